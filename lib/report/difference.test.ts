import { expect, test } from 'vitest';
import { differenceLine, differenceOf, entryLines } from './difference.ts';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `exp_${index}`);

test('lists differ by what is missing, unexpected, repeated and out of order', () => {
  const received = ['exp_0', 'exp_2', 'exp_1', 'exp_1', 'exp_9'];
  expect(differenceOf('ids', ids(4), received)).toEqual({
    expected: 'ids: 4 items',
    received: '5 items',
    entries: [
      { kind: 'missing', expected: '"exp_3"' },
      { kind: 'unexpected', received: '"exp_9"' },
      { kind: 'repeated', received: '"exp_1"' },
      { kind: 'out-of-order', received: '"exp_1"' },
    ],
  });
});

test('a count cannot be taken for a status', () => {
  const difference = differenceOf('additional keys', [], ['a', 'b']);
  expect(differenceLine(difference)).toBe(
    'expected no additional keys; received 2 items; unexpected "a", "b"',
  );
});

test('of one item that moved only this one is out of order', () => {
  const [first = '', ...rest] = ids(50);
  expect(differenceOf('ids', ids(50), [...rest, first]).entries).toEqual([
    { kind: 'out-of-order', received: '"exp_0"' },
  ]);
});

test('five entries are named, the rest is counted', () => {
  const difference = differenceOf('ids', ids(100), ids(50));
  expect(difference.entries).toHaveLength(5);
  expect(difference.more).toBe(45);
  expect(entryLines(difference)).toEqual([
    'missing "exp_50", "exp_51", "exp_52", "exp_53", "exp_54"',
    'and 45 more',
  ]);
});

test('an expected member that occurs twice is not repeated, and missing if it occurs once', () => {
  expect(differenceOf('x', ['a', 'a'], ['a', 'a']).entries).toEqual([]);
  expect(differenceOf('x', ['a', 'a'], ['a']).entries).toEqual([{ kind: 'missing', expected: '"a"' }]);
});

test('JSON differs by path', () => {
  const expected = { id: 'a', tags: [{ name: 'x' }, { name: 'y' }], 'a/b': 1 };
  const received = { id: 'a', tags: [{ name: 'x' }, { name: 'z' }], extra: true };
  expect(differenceOf('the body', expected, received).entries).toEqual([
    { kind: 'changed', path: '/tags/1/name', expected: '"y"', received: '"z"' },
    { kind: 'missing', path: '/a~1b', expected: '1' },
    { kind: 'unexpected', path: '/extra', received: 'true' },
  ]);
});

test('a long text within JSON differs at its first differing character', () => {
  const text = 'x'.repeat(400);
  const { entries, ...difference } = differenceOf('the body', { a: `${text} `, b: 1 }, { a: text, b: 2 });
  expect(entries?.[0]).toEqual({
    kind: 'changed',
    path: '/a, character 401',
    expected: `"…${'x'.repeat(24)} "`,
    received: `"…${'x'.repeat(24)}"`,
  });
  expect(difference).toEqual({ expected: 'the body', received: 'a different value' });
});

test('a single value that differs stands for itself, and once', () => {
  const difference = differenceOf('the body', { a: { b: 1 } }, { a: { b: 2 } }, 'it was sent so');
  expect(difference).toEqual({
    expected: '/a/b of the body: 1',
    received: '2',
    because: 'it was sent so',
  });
  expect(differenceLine(difference)).toBe('expected /a/b of the body: 1, because it was sent so; received 2');
});

test('texts that look alike are shown in ASCII', () => {
  expect(differenceOf('name', 'caf\u00e9', 'cafe\u0301')).toEqual({
    expected: 'name: "caf\\u00e9"',
    received: '"cafe\\u0301"',
  });
  expect(differenceOf('name', 'é', 'è')).toEqual({ expected: 'name: "é"', received: '"è"' });
});

test('long texts differ by their first differing character, with context', () => {
  expect(differenceOf('message', `${'a'.repeat(500)}b`, `${'a'.repeat(500)}c`)).toEqual({
    expected: `character 501 of message: "…${'a'.repeat(24)}b"`,
    received: `"…${'a'.repeat(24)}c"`,
  });
});

test('values of different kinds are shown whole, cut', () => {
  expect(differenceOf('next', undefined, null)).toEqual({ expected: 'next: nothing', received: 'null' });
  expect(differenceOf('next', null, 'x'.repeat(1_000)).received.length).toBeLessThan(340);
});

test('what nests deeply differs by its path', () => {
  const deep = (levels: number, leaf: unknown) => {
    let value = leaf;
    for (let level = 0; level < levels; level += 1) value = { a: value };
    return value;
  };
  expect(differenceOf('the body', deep(99, 1), deep(99, 2)).expected).toBe(
    `${'/a'.repeat(99)} of the body: 1`,
  );
});
