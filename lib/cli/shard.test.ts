import fc from 'fast-check';
import { expect, test } from 'vitest';
import { suite } from '../../suites/index.ts';
import { loadLedger } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import { applicable } from '../runner/applicable.ts';
import { shardOf } from './shard.ts';

const rows = applicable(loadLedger(), suite, await loadContract(), 'public').requirements;

test('every requirement is in exactly one shard, but those judged over all exchanges in all', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), (count) => {
      const shards = Array.from({ length: count }, (_, index) => shardOf(`${index + 1}/${count}`, rows));
      for (const row of rows) {
        expect(shards.filter((inShard) => inShard(row))).toHaveLength(
          row.check.kind === 'exchange' ? count : 1,
        );
      }
    }),
  );
});

test('what needs the tenant for itself stays in one shard', () => {
  const alone = rows.filter(({ check }) => check.kind === 'requirement' && check.lane !== 'parallel');
  expect(alone.length).toBeGreaterThan(10);
  expect(alone.filter(shardOf('1/4', rows))).toEqual(alone);
});

test('the order of the ledger changes nothing', () => {
  const turned = rows.toReversed();
  const ids = (list: typeof rows) => list.filter(shardOf('2/3', list)).map(({ id }) => id);
  expect(ids(turned).toSorted()).toEqual(ids(rows).toSorted());
});
