import { expect, test } from 'vitest';
import { startFake } from '../fake/index.ts';
import { faults } from './faults/index.ts';
import { mutant } from './mutant.ts';
import { loadShared } from './test/cases.ts';
import { faultCoverage, planMutants } from './test/mutants.ts';
import { reasonOf } from './test/unseen.ts';

const take51 = faults.find(({ name }) => name === 'take-maximum-51');
if (take51 === undefined) throw new Error('there is no fault take-maximum-51');

test('a mutant shows only at requests in its classes', async () => {
  const rules = mutant(take51.rules, ['filters: one', 'sequence: every second']);
  await using fake = await startFake({ rules });
  const headers = { authorization: `Bearer ${await fake.token()}` };
  const status = async (query: string) =>
    (await fake.fetch(`/api/v2/experimentation/experiments?${query}`, { headers })).status;
  expect(await status('take=51&status=draft')).toBe(400);
  expect(await status('take=51&status=draft')).toBe(200);
  expect(await status('take=51&status=draft')).toBe(400);
  expect(await status('take=51')).toBe(400);
  expect(await status('take=51&status=draft&feature_flag_id=x')).toBe(400);
});

test('a mutant shows only at requests on a connection that has just served other credentials', async () => {
  const rules = mutant(take51.rules, ['memory: connection just served other credentials']);
  await using fake = await startFake({ rules });
  const [one, other] = [await fake.token(), await fake.token({ claims: { sub: 'other' } })];
  const status = async (take: number, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fake.fetch(`/api/v2/experimentation/experiments?take=${take}`, { headers })).status;
  };
  expect(await status(51, one)).toBe(400);
  expect(await status(50, one)).toBe(200);
  expect(await status(51, one)).toBe(400);
  expect(await status(50, one)).toBe(200);
  expect(await status(51, other)).toBe(200);
});

test('a mutant is run against the requirements whose requests meet it, and survives if none does', async () => {
  const { own } = await loadShared();
  const only = new Set(['4.2/take-maximum', '4.2/take-accepted']);
  const judged = await faultCoverage([take51], { ...own, seed: 1, only, runs: 4 });
  const others = [await faultCoverage([take51], { ...own, seed: 2, only })];
  const mutants = planMutants([take51], judged, others, 1);
  const requirementsOf = (wanted: string) =>
    mutants.find(({ classes: [each] }) => each === wanted)?.requirements;
  expect(requirementsOf('page: later')).toEqual(['4.2/take-maximum']);
  expect(requirementsOf('query take: minimum')).toBeUndefined();
  expect(mutants.some(({ requirements }) => requirements.length === 0)).toBe(true);
});

test('there is no mutant if a rule returns something else but no response differs', async () => {
  const fault = faults.find(({ name }) => name === 'take-default-50');
  if (fault === undefined) throw new Error('there is no fault take-default-50');
  const { own } = await loadShared();
  const only = new Set(['4.2/take-default', '4.2/flow-filter-only']);
  const mutants = planMutants([fault], await faultCoverage([fault], { ...own, seed: 1, only }), [], 1);
  const classes = mutants.flatMap((each) => each.classes);
  expect(classes).toContain('query status: present');
  expect(classes).not.toContain('query authentication_flow: reserved character');
});

test('a mutant that no conforming suite could see has a reason', () => {
  const fault = faults.find(({ name }) => name === 'cache-by-signature');
  if (fault === undefined) throw new Error('there is no fault cache-by-signature');
  expect(reasonOf({ fault, classes: ['extra member: null'] })).toContain('refused for its input too');
  expect(reasonOf({ fault, classes: ['extra member: none'] })).toBeUndefined();
  expect(reasonOf({ fault: take51, classes: ['extra member: null'] })).toBeUndefined();
});
