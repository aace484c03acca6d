import { expect, test } from 'vitest';
import type { Exchange } from '../client/exchange.ts';
import { loadContract } from '../contract/load.ts';
import { expectContent, expectScalars } from './content.ts';

const contract = await loadContract();
const exchange: Exchange = {
  number: 1,
  operation: 'listExperiments',
  response: undefined,
  failure: undefined,
  startedAt: 0,
  durationMs: 0,
  request: { method: 'GET', url: 'http://127.0.0.1/', headers: [], bodyBytes: 0, chunked: false },
};
const allocation = { variation_id: 'var_1', segment_id: 'seg_1', weight: 33.4, is_control: true };
const other = { ...allocation, variation_id: 'var_2', weight: 66.6 };
const experiment = {
  id: 'exp_1',
  name: 'One',
  started_at: '2026-01-02T03:04:05.678Z',
  allocations: [allocation, other],
};

const judge = (extent: typeof expectContent, changes: object) =>
  extent({ contract }, 'Experiment', experiment, { ...experiment, ...changes }, exchange);

test('the innermost difference is reported, of the closest element in any order', () => {
  const allocations = [other, { ...allocation, weight: 33 }];
  expect(() => judge(expectScalars, { allocations })).toThrow('/allocations/1/weight of exp_1: 33.4');
});

test('an element that is lost or that the tenant does not contain is a difference, an empty array is not', () => {
  expect(() => judge(expectScalars, { allocations: [] })).not.toThrow();
  expect(() => judge(expectContent, { allocations: [] })).toThrow('/allocations');
  expect(() => judge(expectScalars, { allocations: [other] })).toThrow('/allocations/1 of exp_1');
  const allocations = [allocation, other, { ...allocation, variation_id: 'var_3' }];
  expect(() => judge(expectScalars, { allocations })).toThrow('/allocations/2 of exp_1: nothing');
});

test('times are compared as instants, rounded to their digits or to the millisecond', () => {
  for (const started_at of ['2026-01-02T04:04:05+01:00', '2026-01-02T03:04:05.7Z']) {
    expect(() => judge(expectScalars, { started_at })).not.toThrow();
    expect(() => judge(expectContent, { started_at })).toThrow('/started_at');
  }
  expect(() => judge(expectScalars, { started_at: '2026-01-02T03:04:05.78Z' })).toThrow('/started_at');
});
