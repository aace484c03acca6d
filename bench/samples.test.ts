import { expect, test } from 'vitest';
import { alternate, median } from './samples.ts';

test('the middle one, or the mean of the middle two', () => {
  expect(median([10, 2, 1])).toBe(2);
  expect(median([4, 1, 10, 2])).toBe(3);
  expect(median([7])).toBe(7);
});

test('every other round goes the other way', async () => {
  const order: string[] = [];
  const found = await alternate(
    3,
    ['one', 'other'].map((name) => async () => {
      order.push(name);
      return `${name} ${order.length}`;
    }),
  );
  expect(order).toEqual(['one', 'other', 'other', 'one', 'one', 'other']);
  expect(found).toEqual([
    ['one 1', 'one 4', 'one 5'],
    ['other 2', 'other 3', 'other 6'],
  ]);
});
