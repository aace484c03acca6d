import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { exitCode } from '../report/summary.ts';
import { runConformance } from './run.ts';

/** Servers that answer 200 to everything without content: what is not shown does not pass. */

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Base URL of a server with one answer to everything. */
async function serve(body: string, status = 200): Promise<string> {
  const server = createServer((request, response) => {
    request
      .resume()
      .on('end', () => response.writeHead(status, { 'content-type': 'application/json' }).end(body));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api/v2`;
}

/** What a status alone shows. */
const shownByStatus = [
  '4.1/any-text-accepted',
  '4.1/any-text-accepted-form',
  '4.1/charset-accepted',
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
  // Whether the list is there is judged by the schema; its contents are not.
  expect(passed.filter((id) => !/answer-(members|fields)$/.test(id)).toSorted()).toEqual(shownByStatus);
  expect(summary.stated.failed).toBeGreaterThan(10);
  expect(summary.stated.error).toBe(0);
});

test.each([
  [
    'a page for people',
    200,
    '<html>Sign in</html>',
    /200 and a body that is not JSON: this looks like a login page or a gateway/,
  ],
  ['an error', 503, 'no upstream', /every request with 503: .*says: no upstream$/],
  ['nothing found', 404, 'Cannot GET', /every request with 404: is http:\S+ the right --base-url/],
])('%s for everything ends the run with one explanation', async (_, status, body, message) => {
  const report = await runConformance({ baseUrl: await serve(body, status), token: 'opaque', seed: 1 });
  expect(report.run).toMatchObject({ requests: 0, ended_early: expect.stringMatching(message) });
  expect(exitCode(report)).toBe(3);
});

test('a server that has only some operations yet can be tested by these', async () => {
  const options = { baseUrl: await serve('Cannot GET', 404), token: 'opaque', runs: 1, seed: 1 };
  const report = await runConformance({ ...options, only: ['4.1/json-accepted'] });
  expect(report.run.ended_early).toBeUndefined();
  expect(report.summary.stated.failed).toBe(1);
});
