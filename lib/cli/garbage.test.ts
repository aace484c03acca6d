import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { runConformance } from './run.ts';

/** Servers that say 200 to everything and tell nothing: what is not shown is not passed. */

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Base URL of a server with one answer to everything. */
async function serve(body: string): Promise<string> {
  const server = createServer((request, response) => {
    request
      .resume()
      .on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api/v2`;
}

/** What a status alone shows. */
const shownByStatus = [
  '4.1/form-accepted',
  '4.1/json-accepted',
  '4.2/reads',
  '4.2/status-accepted',
  '4.2/take-accepted',
  '4.4/per-page-accepted',
  '4.4/reads',
];

test.each([
  ['an empty object', '{}'],
  ['a list of something else', '{"experiments":["a"],"versions":[1]}'],
  ['null for the list', '{"experiments":null,"versions":null,"next":null}'],
  ['an array', '[]'],
  ['no JSON', '<<<'],
])('%s for every body passes nothing that a body would have to show', async (_, body) => {
  const { requirements, summary } = await runConformance({
    baseUrl: await serve(body),
    token: 'opaque-token-of-the-run',
    actionId: ['act_1'],
    only: ['4.1', '4.2', '4.4', '8/checkpoint-*'],
    runs: 2,
    seed: 1,
  });
  const passed = requirements.filter(({ verdict }) => verdict === 'passed').map(({ id }) => id);
  // Whether the list is there is judged by the schema; what it holds is not.
  expect(passed.filter((id) => !/answer-(members|fields)$/.test(id)).toSorted()).toEqual(shownByStatus);
  expect(summary.stated.failed).toBeGreaterThan(10);
  expect(summary.stated.error).toBe(0);
});
