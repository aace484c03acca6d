import type { Applicable } from '../runner/applicable.ts';
import { requestCounts } from './effort.ts';

/**
 * Selects the rows that one shard judges. Shards cost about the same. The first one has all requirements that need the tenant for
 * themselves, or delete. Every shard runs the exchange checks on its own exchanges.
 * @param shard `2/3`
 */
export function shardOf(
  shard: string,
  rows: readonly Applicable[],
): (row: { readonly id: string }) => boolean {
  const requestsOf = requestCounts();
  const costOf = ({ id, operations }: Applicable): number =>
    // A request of a payload check carries a megabyte.
    Math.round((/^8\/payload-/.test(id) ? 10 : 1) * requestsOf(id) * Math.max(1, operations.length));
  const [index = 1, count = 1] = shard.split('/').map(Number);
  const loads = Array.from({ length: count }, () => 0);
  const places = new Map<string, number>();
  const put = (row: Applicable, place: number) => {
    places.set(row.id, place);
    loads[place] = (loads[place] ?? 0) + costOf(row);
  };
  for (const row of rows.filter(isOfFirstShard)) put(row, 0);
  // The most expensive first, each to the shard with the lowest cost so far.
  const free = rows
    .filter((row) => !isOfFirstShard(row) && row.check.kind !== 'exchange')
    .sort((one, other) => costOf(other) - costOf(one) || one.id.localeCompare(other.id));
  for (const row of free) put(row, loads.indexOf(Math.min(...loads)));
  return ({ id }) => (places.get(id) ?? index - 1) === index - 1;
}

/** True for requirements that need the tenant for themselves, or delete. */
function isOfFirstShard({ check }: Applicable): boolean {
  return (
    check.kind !== 'exchange' && (check.lane !== 'parallel' || check.needs.includes('rate_limit_policy'))
  );
}
