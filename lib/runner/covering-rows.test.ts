import { expect, test } from 'vitest';
import { coveringRow } from './covering-rows.ts';

test('every class is in each group of rows, its first two rows share none, and every pair is in one of the first rows', () => {
  const sizes = { a: 3, b: 2, c: 4, d: 2, plain: 1 };
  const dimensions = new Map(
    Object.entries(sizes).map(([name, size]) => [name, [...Array(size).keys()].map((each) => name + each)]),
  );
  const rows = [...Array(40).keys()].map((index) => coveringRow(dimensions, 7, index));
  for (let start = 0; start < rows.length; start += 4) {
    const group = rows.slice(start, start + 4);
    expect(new Set(group.flat())).toEqual(new Set([...dimensions.values()].flat()));
    expect(group[0]?.filter((each) => group[1]?.includes(each))).toEqual(['plain0']);
  }
  const classes = [...dimensions.values()];
  for (const [index, one] of classes.entries())
    for (const pair of one.flatMap((each) =>
      classes.slice(index + 1).flatMap((others) => others.map((other) => [each, other])),
    ))
      expect(rows.some((row) => pair.every((each) => row.includes(each)))).toBe(true);
  const only = new Map([['only', ['plain', 'unusual']]]);
  expect([0, 1].map((index) => coveringRow(only, 1, index))).toEqual([['unusual'], ['plain']]);
});
