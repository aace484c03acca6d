// Node loads these two when a server first listens; with the module it costs no start.
import 'node:cluster';
import 'node:dns';
import { lookup } from 'node:dns/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Room for a token that carries every scope, and for long headers beside it. */
const maxHeaderSize = 64 * 1024;

/** Bytes of a response that may be buffered: above Node's default of 16 kB each page would wait for `drain`. */
const highWaterMark = 256 * 1024;

/** How long an idle connection lives, in milliseconds: longer than the pauses of any client that keeps them. */
const keepAliveTimeout = 72_000;

/** A listening server. */
export interface Listening {
  /** `http://host:port`. */
  readonly origin: string;
  /** Ends every connection, idle or not. */
  close(): Promise<void>;
}

/** A server whose every request, whatever its method and path, goes to one listener. */
export interface HttpServer {
  /** Starts to listen, and says where: `http://host:port`. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>;
  /** Ends every connection, idle or not. */
  close(): Promise<void>;
}

/**
 * A bare server of Node's: a framework's router, hooks and request objects would be a sixth of a request and most of a
 * start, and all that the fake's rules decide about routing, bodies and errors lies outside of them.
 */
export function createHttpServer(listener: RequestListener): HttpServer {
  const create = (): Server => {
    const server = createServer({ maxHeaderSize, highWaterMark }, listener);
    server.keepAliveTimeout = keepAliveTimeout;
    // However slowly a body comes, it is read.
    server.requestTimeout = 0;
    return server.on('clientError', refuseClient);
  };
  const server = create();
  const servers = [server];
  return {
    async listen({ host, port }) {
      const [address = host, ...others] = host === 'localhost' ? await addressesOf(host) : [host];
      const taken = await listening(server, address, port);
      for (const other of others) {
        const sibling = create();
        // Where the other family has no such port, one of them is enough.
        await listening(sibling, other, taken).then(
          () => servers.push(sibling),
          () => {},
        );
      }
      return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
    },
    async close() {
      await Promise.all(servers.map(closed));
    },
  };
}

/** Every address of a name: `localhost` has one in each family, and clients take either. */
async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))];
}

/** The port, once the server listens. */
function listening(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'));
      else resolve(address.port);
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

const refusals: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Answers what is no HTTP, or no request in time. */
function refuseClient(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const status = refusals[error.code ?? ''] ?? '400 Bad Request';
  const body = JSON.stringify({
    statusCode: Number(status.slice(0, 3)),
    error: status.slice(4),
    message: 'Client Error',
  });
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroy(error);
}
