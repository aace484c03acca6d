import { readFileSync, writeFileSync } from 'node:fs';
import { requestCounts } from '../lib/cli/effort.ts';
import { loadLedger } from '../lib/contract/ledger.ts';
import { loadContract } from '../lib/contract/load.ts';
import type { MutationReport } from '../lib/mutation/test/report.ts';
import { applicable } from '../lib/runner/applicable.ts';
import { suite } from '../suites/index.ts';

/**
 * Orders the requirements by what they catch for their cost, and writes their ids to fixtures/requirement-order.json: each time the one
 * comes next that detects the most faults which none before it detects, for each request that it sends. Reads the report of
 * `npm run mutation` (reports/mutation.json).
 */

const report: MutationReport = JSON.parse(readFileSync('reports/mutation.json', 'utf8'));
const requestsOf = requestCounts('grouped', 3);
const { requirements } = applicable(loadLedger(), suite, await loadContract(), 'public');
const left = new Map(
  requirements
    .filter(({ check }) => check.kind === 'requirement')
    .map(({ id, operations }) => [id, Math.max(1, requestsOf(id) * Math.max(1, operations.length))]),
);
const faults = report.results.filter(({ kind }) => kind === 'fault');
const detectedBy = new Map(
  [...left.keys()].map((id) => [
    id,
    new Set(faults.filter(({ failed, warned }) => id in { ...failed, ...warned }).map(({ name }) => name)),
  ]),
);
const order: string[] = [];
while (left.size > 0) {
  const worth = (id: string, cost: number) => (detectedBy.get(id)?.size ?? 0) / cost;
  const [[best] = ['']] = [...left].toSorted((one, other) => worth(...other) - worth(...one));
  order.push(best);
  left.delete(best);
  const detected = detectedBy.get(best) ?? new Set();
  for (const others of detectedBy.values())
    if (others !== detected) for (const name of detected) others.delete(name);
}
writeFileSync(
  new URL('../fixtures/requirement-order.json', import.meta.url),
  `${JSON.stringify(order, null, 2)}\n`,
);
