import { expect, test } from 'vitest';
import { copyOf } from './json.ts';

test('a copy holds the same, and shares no object', () => {
  const inner = { deep: [1, { text: 'a' }], none: undefined, nothing: null };
  const value = { list: [inner, inner], when: new Date(0), ...JSON.parse('{"__proto__": {"own": true}}') };
  const copy = copyOf(value);
  expect(copy).toStrictEqual(structuredClone(value));
  inner.deep.push(2);
  expect(copy).not.toEqual(value);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

test('what no data holds is refused', () => {
  expect(() => copyOf({ name: () => 'a' })).toThrow('could not be cloned');
});
