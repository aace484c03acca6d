import { expect, test } from 'vitest';
import { Driver } from '../client/driver.ts';
import type { Exchange, Request } from '../client/exchange.ts';
import { recordRequest } from '../client/record.ts';
import { loadContract } from '../contract/load.ts';
import { Scripts } from './script.ts';
import { Steps } from './steps.ts';

const contract = await loadContract();
const list = contract.operations.find(({ id }) => id === 'listExperiments');
const now = 1_800_000_000;
const usual = {
  header: { alg: 'EdDSA', typ: 'JWT', kid: 'k' },
  claims: { iss: 'http://h/', aud: '/api/v2/', sub: 'conformance', iat: now, exp: now + 3600, scopes: {} },
};
const dataSet = {
  phone_templates: { enrollment_message: '', verification_message: '' },
  experiments: [],
  actions: [],
  rate_limit_policies: [],
  self_service_profiles: [],
};

/** Adds an exchange with this target whose response issues a checkpoint. */
function send(steps: Steps, number: number, target: string, changes: Partial<Request> = {}, next?: string) {
  const scopes = { experimentation: { actions: ['read'] } };
  const authorization = { value: 'Bearer x.y.z', ...usual, claims: { ...usual.claims, scopes } };
  const request = { operation: list, method: 'GET', target, authorization, ...changes };
  const json = { next, next_cursor: next };
  const exchange = {
    number,
    operation: 'listExperiments',
    request: recordRequest(request, `http://h${target}`, [['authorization', 'Bearer $TOKEN']]),
    response: { status: 200, headers: [], text: '', json },
  } as unknown as Exchange;
  steps.addExchange(request, exchange, now);
  return exchange;
}

const scripts = new Scripts(
  { contract, driver: new Driver({ baseUrl: 'http://h' }) },
  { tokenCommand: 'token', control: 'http://c', directory: 'reports/repeat' },
);
scripts.usual = usual;
const script = (steps: Steps, ...exchanges: Exchange[]) =>
  scripts.write(steps.leadingTo(exchanges), dataSet)?.split('\n') ?? [];

const seeded = [
  "curl -sS -f -X PUT http://c/tenant -H 'content-type: application/json' --data-binary @reports/repeat/tenant.json",
  `curl -sS -f -X PUT http://c/clock -H 'content-type: application/json' -d '{"offset_seconds":0}'`,
];
const authorization = `-H 'authorization: Bearer '"$TOKEN"`;

test('a script seeds, sets the clock, gets a token and sends the request', () => {
  const steps = new Steps();
  expect(script(steps, send(steps, 1, '/a?take=51'))).toEqual([
    ...seeded,
    'TOKEN=$(token --scopes read:experimentation) || exit 1',
    `curl -sS -i 'http://h/a?take=51' ${authorization}; echo`,
  ]);
});

test('a walk with another checkpoint parameter sends the checkpoint of each page', () => {
  if (list?.pagination?.kind !== 'checkpoint') throw new Error('the listing has no checkpoints');
  const operation = { ...list, pagination: { ...list.pagination, from: 'cursor', next: 'next_cursor' } };
  const steps = new Steps();
  send(steps, 1, '/a', { operation }, 'one');
  const lines = script(steps, send(steps, 2, '/a?cursor=one', { operation }));
  expect(lines).toContain('NEXT_1=$(printf %s "$RESPONSE" | member next_cursor)');
  expect(lines.at(-1)).toContain(`\${NEXT_1:+-G --data-urlencode "cursor=$NEXT_1"}`);
});

test('a walk sends the checkpoint of each page, from its first page', () => {
  const steps = new Steps();
  for (let number = 1; number < 9; number += 1) send(steps, number, '/other');
  send(steps, 11, '/a?take=2', {}, 'one');
  send(steps, 12, '/a?take=2&from=one', {}, 'two');
  const lines = script(steps, send(steps, 13, '/a?take=2&from=two'));
  const page = `curl -sS -i 'http://h/a?take=2' ${authorization}`;
  const read = `printf '%s\\n\\n' "$RESPONSE"`;
  expect(lines.slice(4)).toEqual([
    `RESPONSE=$(${page}); ${read}`,
    'NEXT_1=$(printf %s "$RESPONSE" | member next)',
    `RESPONSE=$(${page} \${NEXT_1:+-G --data-urlencode "from=$NEXT_1"}); ${read}`,
    'NEXT_2=$(printf %s "$RESPONSE" | member next)',
    '# The response to the next command showed the failure.',
    `${page} \${NEXT_2:+-G --data-urlencode "from=$NEXT_2"}; echo`,
  ]);
});

test('what changed data or clock before belongs to it, and what was read afterwards', () => {
  const steps = new Steps();
  for (let number = 1; number < 9; number += 1) send(steps, number, '/other');
  send(steps, 9, '/rate-limit-policies/x', { method: 'DELETE' });
  steps.add({ kind: 'clock', offsetSeconds: 60 });
  const last = send(steps, 10, '/a');
  steps.add({ kind: 'read', path: '/tenant' });
  const lines = script(steps, last);
  expect(lines.filter((line) => line.startsWith('curl')).map((line) => line.split(' http://')[1])).toEqual([
    ...seeded.map((line) => line.split(' http://')[1]),
    `h/rate-limit-policies/x ${authorization}; echo`,
    `c/clock -H 'content-type: application/json' -d '{"offset_seconds":60}'`,
    `h/a ${authorization}; echo`,
    'c/tenant; echo',
    seeded[1]?.split(' http://')[1],
  ]);
  const comment = lines.indexOf('# The response to the next command showed the failure.');
  expect(lines[comment + 1]).toContain('http://c/tenant');
});

test('a token whose claims are not recorded, such as one in a cookie, is any valid one', () => {
  const steps = new Steps();
  const sent = send(steps, 1, '/a', { authorization: { value: 'Bearer opaque' } });
  expect(script(steps, sent)[2]).toBe('TOKEN=$(token --scopes read:experimentation) || exit 1');
});

test.each([
  [{ claims: { ...usual.claims, exp: now - 3600 } }, '--expires-in -3600'],
  [{ claims: { ...usual.claims, scopes: 'read:actions' } }, `--claims '{"scopes":"read:actions"}'`],
  [
    { header: { alg: 'EdDSA', typ: 'JWT' }, signature: 'untrusted-key' },
    `--token-header '{"kid":null}' --signature untrusted-key`,
  ],
  [
    { header: { alg: 'None', typ: 'JWT' }, signature: 'none' },
    `--token-header '{"alg":"None"}' --signature none`,
  ],
])('the token is like that of the request: %j', (changes, words) => {
  const steps = new Steps();
  const sent = send(steps, 1, '/a', { authorization: { value: 'Bearer x.y.z', ...usual, ...changes } });
  expect(script(steps, sent)[2]).toBe(`TOKEN=$(token ${words}) || exit 1`);
});
