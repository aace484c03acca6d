import { expect, test } from 'vitest';
import { hash } from '../arbitraries/hash.ts';
import { ResourcePool } from './resource-pool.ts';

const pool = () =>
  new ResourcePool({
    action: ['act_1', 'act_2'],
    rate_limit_policy: ['a/b', 'x'.repeat(26), 'rlp_1', 'rlp_2', 'rlp_3'],
    self_service_profile: [],
  });

test('data that is read comes from the first of its kind', () => {
  expect(pool().peek('action', 'any')).toBe('act_1');
  expect(pool().peek('self_service_profile', 'any')).toBeUndefined();
});

test('what is taken is handed out once, plain ids first', () => {
  const policies = pool();
  const ids = [1, 2, 3, 4, 5, 6].map(() => policies.take('rate_limit_policy'));
  expect(ids).toEqual(['rlp_1', 'rlp_2', 'rlp_3', 'a/b', 'x'.repeat(26), undefined]);
});

test('what is peeked at depends on the requirement alone, and is never special', () => {
  const policies = pool();
  const first = policies.peek('rate_limit_policy', '5.5/each-scope-alone');
  expect(first).toMatch(/^rlp_\d$/);
  expect(policies.peek('rate_limit_policy', '5.5/each-scope-alone')).toBe(first);
  policies.markDeleted([['rate_limit_policy', first ?? '']]);
  expect(policies.peek('rate_limit_policy', '5.5/each-scope-alone')).not.toBe(first);
});

test('a served deletion removes the policy that its target names, in any spelling', () => {
  const policies = pool();
  for (const target of [
    '//rate-limit-policies/%72lp_1/',
    '/rate-limit-policies/a%2Fb;x',
    '/rate-limit-policies/rlp_22',
  ])
    policies.markDeletedBy(target);
  expect(policies.all('rate_limit_policy')).toEqual(['rlp_2', 'rlp_3', 'x'.repeat(26)]);
  expect(policies.deletions).toBe(2);
});

test('a hash is a non-negative 31-bit integer', () => {
  for (const text of ['', 'a', 'ü'.repeat(1000)]) {
    expect(hash(text)).toBeGreaterThanOrEqual(0);
    expect(hash(text)).toBeLessThan(2 ** 31);
  }
});
