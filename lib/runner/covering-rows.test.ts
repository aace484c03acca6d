import { expect, test } from 'vitest';
import { coveringRow } from './covering-rows.ts';

test('every class is in each group of rows, its first two rows share none, and every pair is in one of the first rows', () => {
  const classes = { a: 3, b: 2, c: 4, d: 2, plain: 1 };
  const rows = [...Array(40).keys()].map((index) => coveringRow(classes, 7, index));
  const names = Object.entries(classes);
  for (let start = 0; start < rows.length; start += 4) {
    const group = rows.slice(start, start + 4);
    for (const [name, count] of names) {
      expect(new Set(group.map((row) => row[name])).size).toBe(count);
      if (count > 1) expect(group[0]?.[name]).not.toBe(group[1]?.[name]);
    }
  }
  for (const [index, [one, count]] of names.entries())
    for (const [other, otherCount] of names.slice(index + 1)) {
      const pairs = new Set(rows.map((row) => `${row[one]} ${row[other]}`));
      expect(pairs.size).toBe(count * otherCount);
    }
  expect([0, 1].map((index) => coveringRow({ only: 2 }, 1, index))).toEqual([{ only: 1 }, { only: 0 }]);
});
