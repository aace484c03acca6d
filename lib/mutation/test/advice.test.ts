import { expect, test } from 'vitest';
import { sampleExchange, sampleResult } from '../../../test/sample-report.ts';
import { adviceOn } from '../../report/advice.ts';
import { update } from '../builders/on.ts';
import { faults } from '../faults/index.ts';
import { loadShared } from './cases.ts';
import { runAgainstFake } from './run-suite.ts';

const { own } = await loadShared();

test.each([
  ['limit-one-byte-short', 'set their `limit`'],
  ['limit-one-byte-long', 'over the limit of 1 megabyte is accepted'],
  ['alg-none', 'neither `none`'],
  ['hmac-pem', 'HMAC with the public key'],
  ['missing-kid-unverified', 'jwt.decode()'],
  ['leeway-two-hours', 'in seconds since the epoch'],
  ['expiry-of-zero-is-none', 'taken for a missing one'],
  ['token-refused-on-delete', '--issuer and --audience'],
  ['anonymous', 'before authentication'],
  ['any-scheme', 'Accept `Bearer` only'],
  ['actions-as-string', 'Array.isArray'],
  ['empty-scopes-on-delete', 'is truthy'],
  ['update-by-other-verbs', 'Both halves of a scope'],
  ['garbage-403', '403 is for a valid token'],
  ['take-fraction-cut', 'parseInt()'],
  ['take-maximum-51', 'Do not clamp'],
  ['walk-skips-equal-times', 'does not begin with the item after'],
  ['walk-repeats-at-each-boundary', 'strictly after'],
  ['page-zero-empty', 'zero-indexed'],
  ['secrets-show-their-values', 'map each to'],
  ['inherited-names-dropped', 'additionalProperties'],
  ['null-for-nothing', 'leave the field out'],
  ['malformed-422', 'respond with 422'],
  ['id-cut-at-63', 'first 64 characters'],
])('%s gets its advice', async (name, part) => {
  const fault = faults.find((each) => each.name === name);
  if (fault === undefined) throw new Error(`there is no fault ${name}`);
  // A check over all exchanges needs exchanges of other requirements.
  const only = new Set([fault.requirement, '4.2/reads', '4.4/reads']);
  const { requirements } = await runAgainstFake([fault.rules], { ...own, seed: 2, only });
  const result = requirements.find(({ id }) => id === fault.requirement);
  const said = result && adviceOn(result);
  expect(said, JSON.stringify([result?.difference, result?.exchanges.at(-1)?.request.headers])).toContain(
    part,
  );
});

test('a fault that only varied requests show gets no advice on their content', async () => {
  const unchecked = update.after(
    'scopes.permits',
    (permitted, _claim, _scope, _claims, { headers }) =>
      permitted || headers['accept-language'] !== undefined,
  );
  const only = new Set(['5.5/wrong-verb']);
  const { requirements } = await runAgainstFake([unchecked], { ...own, seed: 1, only });
  const result = requirements.find(({ id }) => id === '5.5/wrong-verb');
  expect(result).toMatchObject({ verdict: 'failed', passes_plain: true });
  expect(result && adviceOn(result)).toContain('Plain requests passed');
});

test('a token that is issued for a wrong secret gets no advice about operations', async () => {
  const fault = faults.find(({ name }) => name === 'secret-any-case');
  const only = new Set(['5.4/wrong-secret']);
  const { requirements } = await runAgainstFake(fault ? [fault.rules] : [], { ...own, seed: 1, only });
  const result = requirements.find(({ id }) => id === '5.4/wrong-secret');
  expect(result?.verdict).toBe('failed');
  expect(result && adviceOn(result)).toBeUndefined();
});

test.each([
  [301, 'a 2xx status', 'The request is redirected'],
  [500, '400', 'catch it and respond with 400'],
])('%d in place of %s gets its advice', (status, expected, part) => {
  const { request, ...exchange } = sampleExchange();
  const response = { status, headers: [], body: '', body_bytes: 0 };
  const result = sampleResult({
    id: '4.1/a',
    verdict: 'failed',
    difference: { expected, received: String(status) },
    exchanges: [{ ...exchange, request: { ...request, body_bytes: 9 }, response }],
  });
  expect(adviceOn(result)).toContain(part);
});
