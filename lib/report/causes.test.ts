import { expect, test } from 'vitest';
import { withCauses } from './causes.ts';
import type { RequirementResult, Verdict } from './report.ts';

function result(id: string, verdict: Verdict): RequirementResult {
  return { id, section: '4.2', level: 'stated', description: '', operations: [], verdict, exchanges: [] };
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

test('what is broken alone, or holds, names nothing, also not what another shard knew', () => {
  const stale = { ...result('4.2/walk-edges', 'failed'), caused_by: ['4.2/gone'] };
  expect(withCauses([stale], dependencies)).toEqual([result('4.2/walk-edges', 'failed')]);
  const held = [result('4.2/walk-filtered', 'failed'), result('4.2/walk-edges', 'passed')];
  expect(withCauses(held, dependencies)).toEqual(held);
});
