import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy before servers of a test, which can be away for a while, or hang. */
export interface TcpProxy {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  /** Ends all connections and refuses new ones. */
  down(): Promise<void>;
  /** Accepts connections again. */
  up(): Promise<void>;
  /** From now on nothing comes back; connections stay open. */
  hang(): void;
  close(): Promise<void>;
}

/** @param ports of the servers; each new connection goes to the next one */
export async function startProxy(...ports: readonly number[]): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let hangs = false;
  let connections = 0;
  let server: Server | undefined;
  const accept = (client: Socket) => {
    const backend = connect(ports[connections++ % ports.length] ?? 0, '127.0.0.1');
    for (const [socket, other] of [
      [client, backend],
      [backend, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.on('data', (chunk) => {
        if (!hangs) other.write(chunk);
      });
    }
  };
  const listen = async (port: number): Promise<number> => {
    const listening = createServer(accept);
    server = listening;
    await new Promise<void>((resolve) => listening.listen(port, '127.0.0.1', resolve));
    const address = listening.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  const down = async (): Promise<void> => {
    const closed = new Promise((resolve) => server?.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const port = await listen(0);
  return {
    origin: `http://127.0.0.1:${port}`,
    down,
    up: async () => void (await listen(port)),
    hang() {
      hangs = true;
    },
    close: down,
  };
}
