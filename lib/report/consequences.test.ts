import { expect, test } from 'vitest';
import { withConsequences } from './consequences.ts';
import type { RequirementResult, Verdict } from './report.ts';

function result(id: string, verdict: Verdict): RequirementResult {
  return { id, section: '4.2', level: 'stated', says: '', operations: [], verdict, exchanges: [] };
}

const presumptions = [{ id: '4.2/walk-edges', presumes: ['4.2/walk-filtered', '4.2/take-limits'] }];

test('what is broken names what it presumes and what is broken too', () => {
  const [root, consequence] = withConsequences(
    [
      result('4.2/walk-filtered', 'warned'),
      result('4.2/walk-edges', 'failed'),
      result('4.2/take-limits', 'passed'),
    ],
    presumptions,
  );
  expect(root?.follows_from).toBeUndefined();
  expect(consequence?.follows_from).toEqual(['4.2/walk-filtered']);
});

test('what is broken alone, or holds, names nothing, also not what another shard knew', () => {
  const stale = { ...result('4.2/walk-edges', 'failed'), follows_from: ['4.2/gone'] };
  expect(withConsequences([stale], presumptions)).toEqual([result('4.2/walk-edges', 'failed')]);
  const held = [result('4.2/walk-filtered', 'failed'), result('4.2/walk-edges', 'passed')];
  expect(withConsequences(held, presumptions)).toEqual(held);
});
