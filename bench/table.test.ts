import { expect, test } from 'vitest';
import { atLeast, atMost, type Row } from './row.ts';
import { figure, table } from './table.ts';

const rows: readonly Row[] = [
  {
    name: 'a',
    what: 'one thing',
    value: 9.381,
    unit: 's',
    beside: { what: 's, another', value: 3 },
    goal: atMost(3),
  },
  { name: 'b', what: 'requests', value: 6284, unit: 'requests', goal: atLeast(4000) },
  { name: 'c', what: 'a third', value: 1, unit: 'MB' },
  { name: 'd', what: 'a fourth', notMeasured: 'no registry' },
];

test('a goal is held by the ratio where there is one, by the value where there is none', () => {
  expect(table(rows).split('\n')).toEqual([
    'what       figure          beside        ratio  goal              held',
    'one thing  9.38 s          3 s, another  3.13×  ≤ 3×              NO',
    'requests   6,284 requests                       ≥ 4,000 requests  yes',
    'a third    1 MB',
    'a fourth   not measured: no registry',
  ]);
});

test.each([
  [0, '0'],
  [0.012345, '0.0123'],
  [12.345, '12.3'],
  [999.6, '1,000'],
  [123_456.7, '123,457'],
])('%d is shown as %s', (value, text) => {
  expect(figure(value)).toBe(text);
});
