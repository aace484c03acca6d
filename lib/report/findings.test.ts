import { expect, test } from 'vitest';
import { sampleExchange, sampleReport, sampleResult } from '../../test/sample-report.ts';
import { fieldsOf, findingsOf, rerunAll, withOneErrorPerCause } from './findings.ts';
import type { RequirementResult } from './report.ts';

const failed = (id: string, parts: Partial<RequirementResult> = {}): RequirementResult =>
  sampleResult({ id, verdict: 'failed', exchanges: [sampleExchange()], ...parts });
const shape = (requirements: RequirementResult[], verdict: 'failed' | 'error' | 'warned' = 'failed') =>
  findingsOf({ requirements }, verdict).map(({ result, same, consequences }) => [
    result.id,
    same.map(({ id }) => id),
    consequences.map(({ id }) => id),
  ]);

test('what another one causes stands under it, through any number of steps', () => {
  const results = [
    failed('4.2/c', { caused_by: ['4.2/b'] }),
    failed('4.2/b', { caused_by: ['4.2/a'] }),
    failed('4.2/a'),
    sampleResult({ id: '4.2/w', level: 'inferred', verdict: 'warned', caused_by: ['4.2/a'] }),
  ];
  expect(shape(results)).toEqual([['4.2/a', [], ['4.2/c', '4.2/b', '4.2/w']]]);
  expect(shape(results, 'warned')).toEqual([]);
});

test('a failure is never put under a warning, and a circle has an entry for each', () => {
  const warned = sampleResult({ id: '4.2/w', level: 'inferred', verdict: 'warned' });
  expect(shape([warned, failed('4.2/a', { caused_by: ['4.2/w'] })])).toEqual([['4.2/a', [], []]]);
  const circle = [failed('4.2/a', { caused_by: ['4.2/b'] }), failed('4.2/b', { caused_by: ['4.2/a'] })];
  expect(shape(circle)).toHaveLength(2);
});

test('what is served without permission stands first, however many requests it took', () => {
  const difference = { expected: '403', received: '200' };
  const open = failed('5.3/a', { difference, exchanges: [sampleExchange(), sampleExchange()] });
  expect(shape([failed('5.3/b'), open]).map(([id]) => id)).toEqual(['5.3/a', '5.3/b']);
});

test('identical reasons are one entry', () => {
  const reason = 'the target stopped answering';
  const errors = ['5/a', '5/b', '5/c'].map((id) => sampleResult({ id, verdict: 'error', reason }));
  expect(shape(errors, 'error')).toEqual([['5/a', ['5/b', '5/c'], []]]);
});

test('whatever a target that went away left unanswered is one entry, and one error in reports of tests', () => {
  const { response: _, ...exchange } = sampleExchange();
  const errors = ['ECONNREFUSED', 'ECONNRESET'].map((failure, index) =>
    sampleResult({
      id: `5/${index}`,
      verdict: 'error',
      reason: failure,
      exchanges: [{ ...exchange, failure }],
    }),
  );
  const lost = sampleResult({ id: '5/gone', verdict: 'error', reason: 'list: the target went away' });
  const { run, ...report } = sampleReport({ requirements: [...errors, lost] });
  const ended = { ...report, run: { ...run, ended_early: 'the target went away' } };
  expect(findingsOf(ended, 'error')).toHaveLength(1);
  expect(findingsOf({ ...report, run }, 'error')).toHaveLength(3);
  expect(
    withOneErrorPerCause(ended)
      .map(({ verdict }) => verdict)
      .toSorted(),
  ).toEqual(['error', 'not-judged', 'not-judged']);
});

test('a redirect, a server error and another status of all refusals are one entry an operation; a failure leads warnings', () => {
  const exchange = (status: number, operation = 'list') => {
    const sent = sampleExchange();
    return sent.response === undefined
      ? []
      : [{ ...sent, operation, response: { ...sent.response, status } }];
  };
  const broken = (id: string, expected: string, status: number, parts: Partial<RequirementResult> = {}) =>
    failed(id, {
      difference: { expected, received: `${status} with x`, because: id },
      exchanges: exchange(status),
      ...parts,
    });
  const redirected = [
    broken('4.2/w', 'a 4xx status', 301, { level: 'inferred', verdict: 'warned' }),
    broken('4.2/a', '200', 301),
    broken('4.2/b', '200', 301, { exchanges: exchange(301, 'other') }),
  ];
  expect(shape(redirected)).toEqual([
    ['4.2/a', ['4.2/w'], []],
    ['4.2/b', [], []],
  ]);
  expect(shape(redirected, 'warned')).toEqual([]);
  const refused = [
    broken('4.1/a', '400', 422),
    broken('4.1/b', '400 or 401', 422),
    broken('4.1/c', '401', 422),
    broken('4.1/d', '400', 500),
    broken('4.1/e', '400', 500),
  ];
  expect(shape(refused)).toEqual([
    ['4.1/a', ['4.1/b'], []],
    ['4.1/c', [], []],
    ['4.1/d', [], []],
    ['4.1/e', [], []],
  ]);
  expect(shape([broken('4.2/a', '200', 500), broken('4.2/b', 'a 2xx status', 500)])).toEqual([
    ['4.2/a', ['4.2/b'], []],
  ]);
});

test('what is served only as varied requests are sent is one entry, whatever is wrong with it', () => {
  const varied = (id: string, because: string, parts: Partial<RequirementResult> = {}) =>
    failed(id, { difference: { expected: '403', received: '200', because }, passes_plain: true, ...parts });
  const chunked = sampleExchange();
  const headers = [...chunked.request.headers, ['transfer-encoding', 'chunked']] as const;
  const exchanges = [{ ...chunked, request: { ...chunked.request, headers } }];
  const results = [
    varied('5.3/a', 'the token permits nothing'),
    varied('5.5/b', 'its token has only read:users'),
    varied('5.3/c', 'the token permits nothing', { exchanges }),
    failed('5.5/d', { difference: { expected: '403', received: '200', because: 'its token has others' } }),
  ];
  expect(shape(results).map(([id, same]) => [id, same])).toEqual([
    ['5.3/a', ['5.5/b']],
    ['5.3/c', []],
    ['5.5/d', []],
  ]);
});

test('the simplest comes first: what its exchange names, in few and small requests', () => {
  const { request } = sampleExchange();
  const large = sampleExchange({ request: { ...request, body_bytes: 90_000 } });
  const results = [
    failed('4.2/large', { exchanges: [large] }),
    failed('4.2/many', { exchanges: [sampleExchange(), sampleExchange()] }),
    failed('4.2/other', { operations: ['deleteRateLimitPolicy'] }),
    failed('4.2/plain'),
  ];
  expect(shape(results).map(([id]) => id)).toEqual(['4.2/plain', '4.2/large', '4.2/many', '4.2/other']);
});

test('fields say each value once, in the same order everywhere', () => {
  const result = failed('4.2/a', {
    source: '§4.2, query parameter take',
    reason: 'listExperiments: expected 3 ids; received 2',
    difference: {
      expected: '3 ids',
      received: '2',
      because: 'they were seeded',
      entries: [{ kind: 'missing', expected: '"exp_1"' }],
    },
  });
  expect(fieldsOf(sampleReport(), result).map(({ label, text }) => [label, text])).toEqual([
    ['source', '§4.2, query parameter take'],
    ['on', 'listExperiments'],
    ['request', 'GET /api/v2/experimentation/experiments?take=51'],
    ['expected', '3 ids'],
    ['received', '2'],
    ['', 'missing "exp_1"'],
    ['because', 'they were seeded'],
  ]);
});

test('shows the body of the last request, unless the input shows it or only its token is judged', () => {
  const { request, ...exchange } = sampleExchange();
  const url = 'https://tenant.example/api/v2/guardian/factors/phone/templates';
  const sent = { ...exchange, request: { ...request, method: 'PUT', url, body: '{"a":"b"}', body_bytes: 9 } };
  const shown = (id: string, counterexample?: unknown) => {
    const result = failed(id, { exchanges: [sent], ...(counterexample !== undefined && { counterexample }) });
    return fieldsOf(sampleReport(), result).find(({ label }) => label === 'request')?.text;
  };
  expect(shown('4.1/a')).toBe('PUT /api/v2/guardian/factors/phone/templates {"a":"b"}');
  expect(shown('4.1/a', { a: 'b' })).toBe(undefined);
  expect(shown('5.5/a')).toBe(undefined);
});

test('one command runs again everything that did not pass', () => {
  const some = (count: number) =>
    sampleReport({ requirements: Array.from({ length: count }, (_, index) => failed(`4.2/r${index}`)) });
  const command = 'npm test -- --base-url https://tenant.example/api/v2 --seed 20260117';
  expect(rerunAll(some(0))).toBeUndefined();
  expect(rerunAll(some(1))).toBe(`${command} --only '4.2/r0'`);
  expect(rerunAll(some(2))).toBe(`${command} --failed`);
});
