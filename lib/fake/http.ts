import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
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
  // `localhost` has an address in each family, and clients take either.
  const found = host === 'localhost' ? await lookup(host, { all: true }) : [{ address: host }];
  const [first = host, ...others] = new Set(found.map(({ address }) => address));
  const start = async (host: string, port: number): Promise<Server> => {
    const server = certificate
      ? createTlsServer({ ...options, ...certificate }, listener)
      : createServer(options, listener);
    await once(server.listen({ host, port }), 'listening');
    return server;
  };
  const server = await start(first, port);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const servers = [server];
  // Where the other family has no such port, one of them is enough.
  for (const other of others)
    await start(other, address.port).then(
      (server) => servers.push(server),
      () => {},
    );
  return {
    origin: `${certificate ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    async close() {
      await Promise.all(servers.map(stop));
    },
  };
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
