import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Certificate } from './certificate.ts';

const options = {
  /** Enough for a token that carries every scope, and for other long headers. */
  maxHeaderSize: 64 * 1024,
  /** Bytes of a response that may be buffered: above Node's default of 16 kB each page would wait for `drain`. */
  highWaterMark: 256 * 1024,
  /** How long an idle connection lives, in milliseconds: longer than the pauses of any client that keeps them. */
  keepAliveTimeout: 72_000,
  /** However slowly a body comes, it is read. */
  requestTimeout: 0,
};

/** Where to listen. */
export interface Address {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
}

/** A listening server. */
export interface Listening {
  /** `http://host:port`, with a certificate `https://host:port`. */
  readonly origin: string;
  /** Ends every connection, idle or not. */
  close(): Promise<void>;
}

/** Serves every request by one listener: a framework would be a sixth of a request, and the rules decide what it would do. */
export async function listen(
  listener: RequestListener,
  { host, port }: Address,
  certificate?: Certificate,
): Promise<Listening> {
  const server = certificate
    ? createTlsServer({ ...options, ...certificate }, listener)
    : createServer(options, listener);
  await once(server.listen({ host, port }), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    origin: `${certificate ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
