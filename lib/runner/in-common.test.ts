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
