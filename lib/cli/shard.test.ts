import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadLedger } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import { applicable } from './selection.ts';
import { shardOf } from './shard.ts';

const ledger = loadLedger();
const rows = applicable(ledger.requirements, await loadContract(), ledger);

test('every requirement is in exactly one shard, but the passive ones in all', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), (count) => {
      const shards = Array.from({ length: count }, (_, index) => shardOf(`${index + 1}/${count}`, rows));
      for (const row of rows) {
        expect(shards.filter((inShard) => inShard(row))).toHaveLength(row.row.passive ? count : 1);
      }
    }),
  );
});

test('what needs the tenant for itself stays in one shard', () => {
  const alone = rows.filter(({ row }) => row.alone || row.consumes !== undefined);
  expect(alone.length).toBeGreaterThan(10);
  expect(alone.filter(shardOf('1/4', rows))).toEqual(alone);
});

test('the order of the ledger changes nothing', () => {
  const turned = rows.toReversed();
  const ids = (list: typeof rows) => list.filter(shardOf('2/3', list)).map(({ id }) => id);
  expect(ids(turned).toSorted()).toEqual(ids(rows).toSorted());
});
