import { expect, test } from 'vitest';
import { sampleExchange, sampleResult } from '../../test/sample-report.ts';
import { withCauses } from './causes.ts';
import type { RequirementResult, Verdict } from './report.ts';
import { operationsShown } from './summary.ts';

function result(id: string, verdict: Verdict): RequirementResult {
  return sampleResult({ id, operations: [], verdict });
}

const dependencies = [{ id: '4.2/walk-edges', dependsOn: ['4.2/walk-filtered', '4.2/take-limits'] }];

test('what is broken names what it dependsOn and what is broken too', () => {
  const [root, consequence] = withCauses(
    [
      result('4.2/walk-filtered', 'warned'),
      result('4.2/walk-edges', 'failed'),
      result('4.2/take-limits', 'passed'),
    ],
    dependencies,
  );
  expect(root?.caused_by).toBeUndefined();
  expect(consequence?.caused_by).toEqual(['4.2/walk-filtered']);
});

test('a single failure, or a pass, names nothing, also not what another shard knew', () => {
  const stale = { ...result('4.2/walk-edges', 'failed'), caused_by: ['4.2/gone'] };
  expect(withCauses([stale], dependencies)).toEqual([result('4.2/walk-edges', 'failed')]);
  const results = [result('4.2/walk-filtered', 'failed'), result('4.2/walk-edges', 'passed')];
  expect(withCauses(results, dependencies)).toEqual(results);
});

test('what another one breaks on one operation is not a cause of a failure on another', () => {
  const on = (id: string, ...broken: string[]) => sampleResult({ id, verdict: 'failed', operations: broken });
  const causeOf = (...results: RequirementResult[]) => withCauses(results, dependencies)[0]?.caused_by;
  const root = on('4.2/walk-filtered', 'a');
  expect(causeOf(on('4.2/walk-edges', 'a'), root)).toEqual(['4.2/walk-filtered']);
  expect(causeOf(on('4.2/walk-edges', 'a', 'b'), root)).toBeUndefined();
  expect(causeOf(on('4.2/walk-edges', 'a', 'b'), root, on('4.2/take-limits', 'b'))).toEqual([
    '4.2/walk-filtered',
    '4.2/take-limits',
  ]);
});

test('a check of the whole service is about the operation of the exchange that shows its failure', () => {
  const exchanges = [sampleExchange(), sampleExchange({ operation: 'getCustomText' })];
  const history = sampleResult({ id: '4.2/walk-edges', verdict: 'failed', operations: ['a'], exchanges });
  expect(operationsShown(history)).toEqual(['getCustomText']);
  const on = (operation: string) =>
    sampleResult({ id: '4.2/walk-filtered', verdict: 'failed', operations: [operation] });
  expect(withCauses([history, on('a')], dependencies)[0]?.caused_by).toBeUndefined();
  expect(withCauses([history, on('getCustomText')], dependencies)[0]?.caused_by).toEqual([
    '4.2/walk-filtered',
  ]);
});
