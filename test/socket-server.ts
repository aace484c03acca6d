import { createServer, type Socket } from 'node:net';

/** A server of raw sockets for the tests of this module: its responses need not be HTTP. */
export interface SocketServer {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly port: number;
  /** Connections so far. */
  connections: number;
  close(): Promise<void>;
}

/**
 * Listens on a loopback address. `onRequest` gets every request whose header section has come in, as text, with its
 * number on this connection, from 1; bodies are dropped.
 */
export async function listen(
  onRequest: (socket: Socket, head: string, number: number, connection: number) => void,
  options: { readonly host?: string; readonly bodies?: boolean } = {},
): Promise<SocketServer> {
  const sockets = new Set<Socket>();
  const { host = '127.0.0.1' } = options;
  const server = createServer((socket) => {
    sockets.add(socket);
    const connection = ++result.connections;
    let received = '';
    let number = 0;
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (text: string) => {
      received += text;
      const end = received.indexOf('\r\n\r\n');
      if (end < 0 || !/^[A-Z]+ /.test(received)) return;
      const head = received.slice(0, end);
      received = options.bodies ? received.slice(end + 4) : '';
      onRequest(socket, head, ++number, connection);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const result: SocketServer = {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    connections: 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return result;
}

/** An answer as text, with its Content-Length. */
export function answer(status: number, body: string, fields: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status} X`, `Content-Length: ${Buffer.byteLength(body)}`, ...fields, '', body];
  return lines.join('\r\n');
}
