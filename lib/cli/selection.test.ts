import { expect, test } from 'vitest';
import { suite } from '../../suites/index.ts';
import { loadLedger } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import { applicable } from '../runner/applicable.ts';
import { selectRows } from './selection.ts';

const contract = await loadContract();
const rows = applicable(loadLedger(), suite, contract, 'public').requirements;

function selected(only: string[], skip: string[] = []): string[] {
  return selectRows({ only, skip }, rows).map(({ id }) => id);
}

test('no selection selects everything', () => {
  expect(selected([])).toHaveLength(rows.length);
});

test('an id selects one requirement', () => {
  expect(selected(['4.2/take-maximum'])).toEqual(['4.2/take-maximum']);
});

test('a section selects its requirements and those of the sections below it, not those that only share a prefix', () => {
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

const places = (only: string[], skip: string[] = []) =>
  selectRows({ only, skip }, rows).map(({ id, operations }) => [id, operations.map((each) => each.id)]);

test('an operation selects only what is judged on it, and skips nothing on the others', () => {
  for (const [, operations] of places(['listExperiments'])) expect(operations).toEqual(['listExperiments']);
  const skipped = new Map(
    selectRows({ skip: ['listExperiments'] }, rows).map(({ id, operations }) => [id, operations]),
  );
  expect(skipped.get('5.1/no-header')?.map(({ id }) => id)).toContain('listActionVersions');
  expect(skipped.get('5.1/no-header')?.map(({ id }) => id)).not.toContain('listExperiments');
  expect(skipped.has('4.2/take-maximum')).toBe(false);
});

test('a requirement or section is selected on an operation', () => {
  expect(places(['5.1/no-header@list*'])).toEqual([
    ['5.1/no-header', contract.operations.map(({ id }) => id).filter((id) => id.startsWith('list'))],
  ]);
  expect(places(['5.1@listExperiments'], ['5.1/*@list*'])).toEqual([]);
  expect(places(['5.1/no-header'], ['5.1/*@list*'])[0]?.[1]).toEqual(
    expect.not.arrayContaining(['listExperiments']),
  );
  expect(() => places(['5.1/no-header@listExperiment'])).toThrow(
    "--only '5.1/no-header@listExperiment' names no",
  );
});

test('a star matches any text, and nothing else is special', () => {
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
