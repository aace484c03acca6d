import { expect, test } from 'vitest';
import { suite } from '../../suites/index.ts';
import { loadLedger } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import { applicable } from '../runner/applicable.ts';
import { createSelection } from './selection.ts';

const rows = applicable(loadLedger(), suite, await loadContract(), 'public').requirements;

function selected(only: string[], skip: string[] = []): string[] {
  return rows.filter(createSelection({ only, skip }, rows)).map(({ id }) => id);
}

test('nothing asked for selects everything', () => {
  expect(selected([])).toHaveLength(rows.length);
});

test('an id selects one requirement', () => {
  expect(selected(['4.2/take-maximum'])).toEqual(['4.2/take-maximum']);
});

test('a section selects its requirements and those of the sections below it, not those that only begin alike', () => {
  expect(selected(['4.2']).every((id) => id.startsWith('4.2/'))).toBe(true);
  const four = selected(['4']);
  expect(four).toContain('4.2/take-maximum');
  expect(four).toContain('4.5/reads');
  expect(selected(['5']).some((id) => id.startsWith('5.1/'))).toBe(true);
  expect(selected(['§4.2/'])).toEqual(selected(['4.2']));
});

test('an operation selects whatever is judged on it', () => {
  const ids = selected(['listExperiments']);
  expect(ids).toContain('4.2/take-maximum');
  expect(ids).toContain('5.1/no-header');
  expect(ids).not.toContain('4.5/reads');
});

test('a star stands for any text, and nothing else is special', () => {
  expect(selected(['4.2/take-*']).length).toBeGreaterThan(1);
  expect(selected(['*/take-maximum'])).toEqual(['4.2/take-maximum']);
  expect(() => selected(['4x2/take-maximum'])).toThrow("--only '4x2/take-maximum' names no");
});

test('skip takes away from only', () => {
  expect(selected(['4.2'], ['4.2/take-*']).some((id) => id.startsWith('4.2/take-'))).toBe(false);
  expect(selected(['4.2'], ['4.2'])).toEqual([]);
});

test.each([
  ['4.2/take-maximun', '4.2/take-maximum'],
  ['4.3/take-maximum', '4.2/take-maximum'],
  ['listExperiment', 'listExperiments'],
])('%s is answered with near matches', (pattern, near) => {
  expect(() => selected([pattern])).toThrow(near);
  expect(() => selected([], [pattern])).toThrow(/^--skip .*--list shows all\)$/);
});
