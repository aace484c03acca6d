import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Certificate } from './certificate.ts';

const options = {
  /** Enough for a token with every scope and for other long headers. */
  maxHeaderSize: 64 * 1024,
  /** Bytes of a response that may be buffered. With Node's default of 16 kB, each page would wait for `drain`. */
  highWaterMark: 256 * 1024,
  /** How long an idle connection stays open, in milliseconds: longer than clients that reuse connections pause. */
  keepAliveTimeout: 72_000,
  /** No limit: a body is read however slowly it arrives. */
  requestTimeout: 0,
};

/** The address to listen on. */
export interface Address {
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
}

/** A listening server. */
export interface Listening {
  /** `http://host:port`, or `https://host:port` with a certificate. */
  readonly origin: string;
  /** Stops listening and closes every connection, idle or not. */
  close(): Promise<void>;
}

/** Serves every request with one listener, without a framework: that would take a sixth of the time, and the rules decide everything. */
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
