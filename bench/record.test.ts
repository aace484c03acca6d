import { describe, expect, test } from 'vitest';
import { UsageError } from '../lib/cli/usage.ts';
import { changes } from './compare.ts';
import { readRecord, recordOf } from './record.ts';
import { atMost, type Measured, type Row } from './row.ts';

const cpu: Measured = {
  name: 'suite/cpu',
  what: 'CPU',
  value: 6,
  unit: 's',
  beside: { what: 's, empty', value: 2 },
  goal: atMost(3),
  cpu: true,
};
const wall: Measured = { name: 'suite/wall', what: 'wall', value: 4, unit: 's', goal: atMost(5) };
const missing: Row = { name: 'throughput/prism', what: 'Prism', notMeasured: 'no registry' };
const circumstances = { started_at: '2026-11-21T11:00:00.000Z', node: 'v20.20.2', cpus: 2, quick: false };

const earlier = (rows: readonly Row[]) =>
  readRecord(JSON.stringify(recordOf(rows, circumstances)), 'old.json');

test('a record says all of a row, and what follows from it', () => {
  expect(recordOf([cpu, wall, missing], circumstances)).toEqual({
    ...circumstances,
    rows: [
      { ...cpu, ratio: 3, held: true },
      { ...wall, beside: null, ratio: null, held: true, cpu: false },
      { name: 'throughput/prism', what: 'Prism', not_measured: 'no registry' },
    ],
  });
});

describe('compared with an earlier record', () => {
  const changed = (now: Partial<Measured>) => changes(earlier([cpu, wall, missing]), [{ ...cpu, ...now }])[0];

  test('a machine of half the speed changes nothing', () => {
    const slower = { value: 12, beside: { what: 's, empty', value: 4 } };
    expect(changed(slower)).toMatchObject({ before: 3, after: 3, ratio: 1, isRegression: false });
  });

  test.each([
    [7.5, false],
    [7.6, true],
  ])('%d s of CPU after 6 is a regression: %s', (value, isRegression) => {
    expect(changed({ value })).toMatchObject({ isRegression });
  });

  test('only CPU time regresses', () => {
    const found = changes(earlier([wall]), [{ ...wall, value: 40 }]);
    expect(found).toMatchObject([{ name: 'suite/wall', ratio: 10, isRegression: false }]);
  });

  test('rows that only one of them has are left out', () => {
    expect(changes(earlier([missing]), [missing, cpu])).toEqual([]);
  });
});

test.each(['', '{', '[]', 'null', '{"rows":1}', '{"rows":[1]}', '{"rows":[{}]}'])(
  '%j is no record',
  (text) => {
    expect(() => readRecord(text, 'old.json')).toThrow(UsageError);
    expect(() => readRecord(text, 'old.json')).toThrow(/^--compare old\.json: .+$/);
  },
);
