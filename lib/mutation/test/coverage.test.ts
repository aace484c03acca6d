import { expect, test } from 'vitest';
import { override, type RulesOverride } from '../../fake/index.ts';
import { faults } from '../faults/index.ts';
import { loadShared } from './cases.ts';
import { coverageOf, type FaultOrVariant } from './coverage.ts';

const { own } = await loadShared();
const ids = ['4.2/take-maximum', '4.2/take-accepted', '4.3/delete-succeeds', '4.5/reads'];
const coverage = (changes: readonly FaultOrVariant[]) =>
  coverageOf(changes, { ...own, seed: 1, only: new Set(ids) });
const change = (name: string, rules: RulesOverride) => [{ name, rules }];

test('a fault covers the requirements for which its rules return something else, and no others', async () => {
  const found = await coverage(faults.filter(({ name }) => name === 'take-maximum-51'));
  expect([...(found.get('take-maximum-51') ?? [])]).toEqual(['4.2/take-maximum']);
});

test('equal results do not differ, whichever function returns them', async () => {
  const found = await coverage(
    change('same', (rules) =>
      override(rules, 'experiments', ({ responseBody }) => ({
        responseBody: (answer, page, call) => structuredClone(responseBody(answer, page, call)),
      })),
    ),
  );
  expect([...(found.get('same') ?? [])]).toEqual([]);
});

test('a rule that throws, or whose promise resolves to something else, differs', async () => {
  const found = await coverage([
    ...change('throws', (rules) =>
      override(rules, 'customText', {
        shown() {
          throw new Error('on purpose');
        },
      }),
    ),
    ...change('resolves', (rules) => override(rules, 'token', { verifiesSignature: async () => false })),
  ]);
  expect([...(found.get('throws') ?? [])]).toEqual(['4.5/reads']);
  expect([...(found.get('resolves') ?? [])].sort()).toEqual([...ids].sort());
});

test('a changed effect differs wherever it is called, a changed value everywhere', async () => {
  const found = await coverage([
    ...change('effect', (rules) =>
      override(rules, 'policies', ({ remove }) => ({ remove: (...args) => remove(...args) })),
    ),
    ...change('value', (rules) => override(rules, 'issue', { lifetime: 1 })),
  ]);
  expect([...(found.get('effect') ?? [])]).toEqual(['4.3/delete-succeeds']);
  expect(found.get('value')?.size).toBe(own.suite.length);
});

test('there is no coverage of a suite that fails against the conforming fake', async () => {
  const suite = own.suite.map((check) =>
    check.id === '4.5/reads' && check.kind === 'requirement'
      ? { ...check, judge: () => Promise.reject(new Error('always')) }
      : check,
  );
  await expect(coverageOf([], { ...own, suite, seed: 1, only: new Set(ids) })).rejects.toThrow(
    '4.5/reads fails against the conforming fake: ',
  );
});
