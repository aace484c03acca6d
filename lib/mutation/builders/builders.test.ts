import { expect, test } from 'vitest';
import { type RulesOverride, startFake } from '../../fake/index.ts';
import { faults } from '../faults/index.ts';
import { experiments, stateful } from './on.ts';
import { isLaterPage } from './predicates.ts';
import { like, transformAt } from './values.ts';

const item = { id: 'a', allocations: [{ weight: 1 }, { weight: 2, priority: 3 }], config: { subject: 's' } };

test('the member at a path is transformed, and nothing else', () => {
  const double = (value: unknown) => Number(value) * 2;
  expect(transformAt(item, 'allocations[].weight', double)).toEqual({
    ...item,
    allocations: [{ weight: 2 }, { weight: 4, priority: 3 }],
  });
  expect(transformAt(item, 'config.subject', () => undefined)).toEqual({ ...item, config: {} });
  expect(transformAt(item, 'absent.member', double)).toBe(item);
  expect(transformAt(item, 'name', (member) => member ?? null)).toEqual({ ...item, name: null });
});

test('a pattern of LIKE matches the whole text, and only its wildcards are special', () => {
  expect(like('a_c%').test('abcd')).toBe(true);
  expect(like('a_c').test('abcd')).toBe(false);
  expect(like('a.c').test('abc')).toBe(false);
});

/** Lists the experiments with each of these queries and returns the statuses. */
async function statusesOf(rules: RulesOverride, ...queries: readonly string[]) {
  const fake = await startFake({ rules });
  const headers = { Authorization: `Bearer ${await fake.token()}` };
  const statuses = await Promise.all(
    queries.map(
      async (query) => (await fetch(`${fake.url}/experimentation/experiments?${query}`, { headers })).status,
    ),
  );
  await fake.close();
  return statuses;
}

test('an override applies only to requests that meet its conditions', async () => {
  const take = experiments.when(isLaterPage).integer('take');
  expect(
    await statusesOf(
      take.coerces(() => 51),
      'take=5',
      'take=5&from=x',
    ),
  ).toEqual([200, 400]);
});

test('an override with state has state of its own in each fake', async () => {
  const first = stateful(() => {
    let seen = 0;
    return experiments.integer('take').rejects(() => {
      seen += 1;
      return seen === 1;
    });
  });
  expect(await statusesOf(first, 'take=5')).toEqual([400]);
  expect(await statusesOf(first, 'take=5')).toEqual([400]);
});

test('names of faults are unique', () => {
  const names = faults.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
