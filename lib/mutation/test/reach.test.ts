import { expect, test } from 'vitest';
import { override, type RulesOverride } from '../../fake/index.ts';
import { faults } from '../faults/index.ts';
import { reachOf } from './reach.ts';
import { loadShared } from './subject.ts';

const { judgement } = await loadShared();
const rows = ['4.2/take-maximum', '4.2/take-accepted', '4.3/delete-succeeds', '4.5/reads'];
const reach = (changes: readonly { name: string; rules: RulesOverride }[]) =>
  reachOf(changes, { ...judgement, seed: 1, only: new Set(rows) });
const own = (name: string, rules: RulesOverride) => [{ name, rules }];

test('a fault reaches the requirements to which its rules answer otherwise, and no others', async () => {
  const found = await reach(faults.filter(({ name }) => name === 'take-maximum-51'));
  expect([...(found.get('take-maximum-51') ?? [])]).toEqual(['4.2/take-maximum']);
});

test('the same answers reach nobody, whoever gives them', async () => {
  const found = await reach(
    own('same', (rules) =>
      override(rules, 'experiments', ({ answered }) => ({
        answered: (answer, page, call) => structuredClone(answered(answer, page, call)),
      })),
    ),
  );
  expect([...(found.get('same') ?? [])]).toEqual([]);
});

test('a rule that throws, or answers otherwise in time, reaches who asks', async () => {
  const found = await reach([
    ...own('throws', (rules) =>
      override(rules, 'customText', {
        shown() {
          throw new Error('on purpose');
        },
      }),
    ),
    ...own('later', (rules) => override(rules, 'token', { signatureHolds: async () => false })),
  ]);
  expect([...(found.get('throws') ?? [])]).toEqual(['4.5/reads']);
  expect([...(found.get('later') ?? [])].sort()).toEqual([...rows].sort());
});

test('what acts reaches who comes upon it, and a value everybody', async () => {
  const found = await reach([
    ...own('acts', (rules) =>
      override(rules, 'policies', ({ remove }) => ({ remove: (...asked) => remove(...asked) })),
    ),
    ...own('value', (rules) => override(rules, 'issue', { lifetime: 1 })),
  ]);
  expect([...(found.get('acts') ?? [])]).toEqual(['4.3/delete-succeeds']);
  expect(found.get('value')?.size).toBe(judgement.suite.length);
});

test('a suite that accuses the conforming fake is no measure', async () => {
  const suite = judgement.suite.map((entry) =>
    entry.id === '4.5/reads' && entry.kind === 'requirement'
      ? { ...entry, judge: () => Promise.reject(new Error('always')) }
      : entry,
  );
  await expect(reachOf([], { ...judgement, suite, seed: 1, only: new Set(rows) })).rejects.toThrow(
    '4.5/reads does not hold of the conforming fake: ',
  );
});
