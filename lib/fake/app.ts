import type { Server } from 'node:http';
import fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify';

/**
 * A Fastify instance without its schema compilers: the contract's own validators judge requests, and loading a second
 * set of them would be most of a fake's start.
 */
export function createApp(options: FastifyHttpOptions<Server>): FastifyInstance {
  return fastify({
    ...options,
    forceCloseConnections: true,
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
  });
}

function unused(): never {
  throw new Error('no route of the fake has a schema of Fastify');
}

/** Starts to listen, and says where: `http://host:port`. */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<string> {
  await app.listen({ host, port });
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
