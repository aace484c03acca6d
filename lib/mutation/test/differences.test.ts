import { expect, test } from 'vitest';
import { override, type RulesOverride } from '../../fake/index.ts';
import { faults } from '../faults/index.ts';
import { loadShared } from './cases.ts';
import { findDifferences } from './differences.ts';

const { own } = await loadShared();
const ids = ['4.2/take-maximum', '4.2/take-accepted', '4.3/delete-succeeds', '4.5/reads'];
const change = (name: string, rules: RulesOverride) => [{ name, rules }];

/** By the name of each change, the ids of the requirements whose requests it would answer differently. */
async function differencesOf(changes: Parameters<typeof findDifferences>[0]) {
  const found = new Map(changes.map(({ name }) => [name, new Set<string>()]));
  await findDifferences(changes, { ...own, seed: 1, only: new Set(ids) }, (name, id) => {
    found.get(name)?.add(id);
  });
  return found;
}

test('a fault is met by the requirements for which its rules return something else, and by no others', async () => {
  const found = await differencesOf(faults.filter(({ name }) => name === 'take-maximum-51'));
  expect([...(found.get('take-maximum-51') ?? [])]).toEqual(['4.2/take-maximum']);
});

test('equal results do not differ, whichever function returns them', async () => {
  const found = await differencesOf(
    change('same', (rules) =>
      override(rules, 'experiments', ({ responseBody }) => ({
        responseBody: (answer, page, call) => structuredClone(responseBody(answer, page, call)),
      })),
    ),
  );
  expect([...(found.get('same') ?? [])]).toEqual([]);
});

test('a rule that throws, or whose promise resolves to something else, differs', async () => {
  const found = await differencesOf([
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

test('a changed effect differs wherever it is called', async () => {
  const found = await differencesOf(
    change('effect', (rules) =>
      override(rules, 'policies', ({ remove }) => ({ remove: (...args) => remove(...args) })),
    ),
  );
  expect([...(found.get('effect') ?? [])]).toEqual(['4.3/delete-succeeds']);
});

test('nothing is found with a suite that fails against the conforming fake', async () => {
  const suite = own.suite.map((check) =>
    check.id === '4.5/reads' && check.kind === 'requirement'
      ? { ...check, judge: () => Promise.reject(new Error('always')) }
      : check,
  );
  await expect(findDifferences([], { ...own, suite, seed: 1, only: new Set(ids) }, () => {})).rejects.toThrow(
    '4.5/reads fails against the conforming fake: ',
  );
});
