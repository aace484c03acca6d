import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LogEndpoint } from '../control/tenant-logs.ts';
import { type Fake, startFake } from '../fake/index.ts';
import { override } from '../fake/rules.ts';
import { runConformance } from './run.ts';

/** The tenant's own log endpoint: a fake, and a server that shows its logs to the holder of a token. */

let fake: Fake;
let dataSet: Fake['dataSet'];
let server: Server;
let [url, requested]: [string, string[]] = ['', []];
/** What the endpoint does. */
let answer: (ids: readonly string[]) => { status: number; body: unknown };

const wrapped = (ids: readonly string[]) => ({
  status: 200,
  body: { result: { logs: ids.map((id) => ({ type: 'x', references: { correlation_id: id } })) } },
});

beforeAll(async () => {
  fake = await startFake();
  dataSet = fake.dataSet;
  server = createServer((request, response) => {
    requested.push(`${request.url} ${request.headers.authorization}`);
    const ids = fake.logs.map(({ references }) => references.correlation_id);
    const { status, body } = answer(ids);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/logs`;
});
afterAll(async () => {
  server.close();
  await fake.close();
});

async function judged(logs: Partial<LogEndpoint>) {
  requested = [];
  fake.seed(dataSet);
  const token = await fake.token();
  const rateLimitPolicyId = dataSet.rate_limit_policies
    .map(({ id }) => id)
    .filter((id) => id.startsWith('rlp_'));
  const endpoint = { url, items: 'result.logs', correlation_id: 'references.correlation_id', ...logs };
  const only = ['5/correlation-recorded', '5/correlation-truncated'];
  const limits = { log_wait_ms: 300 };
  const options = {
    baseUrl: fake.url,
    token,
    rateLimitPolicyId,
    only,
    runs: 2,
    seed: 1,
    limits,
    logs: endpoint,
  };
  const all = await runConformance(options);
  const report = { ...all, requirements: all.requirements.filter(({ id }) => only.includes(id)) };
  return { token, report, verdicts: report.requirements.map(({ verdict }) => verdict) };
}

test('correlation IDs are found in the logs that the tenant shows, with the token', async () => {
  answer = wrapped;
  const { report, token, verdicts } = await judged({ query: 'q={prefix}*&per_page=100' });
  expect(verdicts).toEqual(['passed', 'passed']);
  expect(report.target.capabilities).toContain('logs');
  expect(requested.length).toBeGreaterThan(3);
  for (const each of requested) {
    expect(each).toMatch(/^\/logs\?q=[\w-]+\*&per_page=100 Bearer /);
    expect(each).toContain(token);
  }
  expect(JSON.stringify(report)).not.toContain(token);
});

test('an answer that is the list itself; IDs elsewhere', async () => {
  answer = (ids) => ({ status: 200, body: ids.map((id) => ({ details: { request: { id } } })) });
  expect((await judged({ items: '', correlation_id: 'details.request.id' })).verdicts).toEqual([
    'passed',
    'passed',
  ]);
});

test('a server that records nothing is caught', async () => {
  answer = () => wrapped([]);
  expect((await judged({})).verdicts[0]).toBe('failed');
});

test.each<[string, () => { status: number; body: unknown }, RegExp]>([
  ['refuses', () => ({ status: 403, body: {} }), /tenant logs: GET \S+\/logs answered 403/],
  [
    'answers something else',
    () => ({ status: 200, body: { logs: 1 } }),
    /answered without a list at 'result\.logs'/,
  ],
])('a log endpoint that %s leads to no violation', async (_, refused, reason) => {
  answer = refused;
  const { report } = await judged({});
  expect(report.requirements[0]).toMatchObject({
    verdict: 'not-judged',
    reason: expect.stringMatching(reason),
  });
});

test('an ID within an array is not the ID', async () => {
  const inArrays = (ids: readonly string[]) => ids.map((id) => ({ references: { correlation_id: [id] } }));
  answer = (ids) => ({ status: 200, body: inArrays(ids) });
  expect((await judged({ items: '' })).verdicts).toEqual(['failed', 'not-judged']);

  await using other = await startFake({
    control: true,
    rules: (rules) =>
      override(rules, 'control', {
        logged: (entries) => inArrays(entries.map(({ references }) => references.correlation_id)),
      }),
  });
  const { requirements } = await runConformance({
    baseUrl: other.url,
    control: other.controlUrl ?? '',
    token: await other.token(),
    only: ['5/correlation-recorded@put_factor_phone_templates'],
    seed: 1,
    limits: { log_wait_ms: 300 },
  });
  expect(requirements.find(({ id }) => id === '5/correlation-recorded')?.verdict).toBe('failed');
});
