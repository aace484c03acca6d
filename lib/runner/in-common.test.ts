import { expect, test } from 'vitest';
import { inCommon } from './in-common.ts';

const items = Array.from({ length: 12 }, (_, index) => ({
  id: `e${index}`,
  name: index === 5 ? 'Grüße' : `n${index}`,
  flow: index % 2 === 0 ? 'a' : 'b',
  ...(index !== 7 && { created_at: index === 1 || index === 2 ? 'same' : `at ${index}` }),
}));

test.each([
  [['e1', 'e2'], 'the same created_at as another item'],
  [['e7'], 'no created_at'],
  [['e5'], 'a name beyond ASCII'],
  [['e0', 'e2'], undefined],
  [['e3'], undefined],
  [[], undefined],
])('%j have in common: %s', (wrong, trait) => {
  expect(inCommon(items, new Set(wrong))).toBe(trait);
});

test('what begins with the created_at that a page ends with is distinguished from other items with equal ones', () => {
  // Each three items have one created_at; each page has four, and what has the created_at of its last one is left out.
  const times = Array.from({ length: 24 }, (_, index) => Math.floor(index / 3));
  const all = times.map((time, index) => ({ id: `e${index}`, created_at: `at ${time}` }));
  const ends = all.filter((_, index) => index % 6 === 3);
  const lost = new Set(all.flatMap(({ id }, index) => (index % 6 > 3 ? id : [])));
  expect(inCommon(all, lost, ends)).toBe('the created_at that a page ends with, as others have');
  expect(inCommon(all, lost)).toBe(undefined);
  expect(inCommon(all, new Set(ends.map(({ id }) => id)), ends)).toBe('the last place of a page');
});
