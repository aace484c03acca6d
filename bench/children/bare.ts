import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { answer, cpuSeconds, tell } from './tell.ts';

/**
 * Bare `node:http`, which answers everything with the bytes and header fields that a server once answered to a request: the
 * least that a server of Node can do.
 */
const [, , url = '', token = ''] = process.argv;

/** Those that Node's server adds by itself. */
const added = ['date', 'connection', 'keep-alive'];

const [taken]: IncomingMessage[] = await once(
  get(url, { headers: { authorization: `Bearer ${token}` } }),
  'response',
);
if (taken?.statusCode !== 200) throw new Error(`${url} answered with ${taken?.statusCode}`);
const body = await buffer(taken);
const headers = taken.rawHeaders.filter(
  (_, index, all) => !added.includes((all[index - (index % 2)] ?? '').toLowerCase()),
);

const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address: AddressInfo | string | null = server.address();
if (address === null || typeof address === 'string') throw new Error('no port');
answer(async () => ({ cpu: cpuSeconds() }));
tell({ origin: `http://127.0.0.1:${address.port}` });
