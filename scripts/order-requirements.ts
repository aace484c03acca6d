import { writeFileSync } from 'node:fs';
import { faults } from '../lib/mutation/faults/index.ts';
import { loadShared } from '../lib/mutation/test/cases.ts';
import { runAgainstFake } from '../lib/mutation/test/run-suite.ts';
import { nameOf } from '../lib/report/summary.ts';
import type { Findings } from '../lib/runner/runner.ts';

/**
 * Orders the requirements on each operation by what they catch for their cost, and writes their names to fixtures/requirement-order.json:
 * next comes the one that detects the most new faults for each request that it sends. Runs the suite against every fault with as
 * few examples as a quick run, which takes about 15 minutes. What a check of all exchanges finds counts for the requirement that sent
 * the exchange.
 */

const runs = 3;
const { own } = await loadShared();
// The last id names the requirement whose request shows the defect.
const options = { ...own, seed: 1, runs, rerun: (...ids: readonly string[]) => ids.at(-1) ?? '' };

const exchangeChecks = new Set(own.suite.filter(({ kind }) => kind === 'exchange').map(({ id }) => id));
const conforming = await runAgainstFake([], { ...options, recordExchanges: true });
/** The requests of each requirement on each operation. */
const left = new Map(
  conforming.requirements
    .filter(({ id }) => !exchangeChecks.has(id))
    .flatMap(({ id, by_operation: results }) =>
      results.length === 0 ? [id] : results.map(({ operation }) => nameOf({ id, operation })),
    )
    .map((name) => [name, 0]),
);
/** The name of a requirement on an operation; a requirement that concerns no operation may send to any. */
const knownName = (id: string, operation?: string) =>
  [nameOf({ id, operation }), id].find((each) => left.has(each));
for (const { requirement: id = '', operation } of conforming.exchanges ?? []) {
  const name = knownName(id, operation);
  if (name !== undefined) left.set(name, (left.get(name) ?? 0) + 1);
}

/** Names of the requirements on operations whose requests show a defect. */
function detecting({ requirements }: Findings): string[] {
  return requirements.flatMap(({ id, rerun: sender = id, verdict, by_operation: results }) =>
    (results.length === 0 ? [{ operation: undefined, verdict }] : results)
      .filter(({ verdict }) => verdict === 'failed' || verdict === 'warned')
      .flatMap(({ operation }) => knownName(sender, operation) ?? []),
  );
}

const detectedBy = new Map([...left.keys()].map((name) => [name, new Set<string>()]));
for (const fault of faults) {
  for (const name of detecting(await runAgainstFake([fault.rules], options)))
    detectedBy.get(name)?.add(fault.name);
}

const order: string[] = [];
let detected: ReadonlySet<string> = new Set();
while (left.size > 0) {
  for (const faults of detectedBy.values()) for (const name of detected) faults.delete(name);
  const worth = (name: string, cost: number) => (detectedBy.get(name)?.size ?? 0) / Math.max(1, cost);
  const [[best] = ['']] = [...left].toSorted((one, other) => worth(...other) - worth(...one));
  order.push(best);
  left.delete(best);
  detected = new Set(detectedBy.get(best));
}
writeFileSync(
  new URL('../fixtures/requirement-order.json', import.meta.url),
  `${JSON.stringify(order, null, 2)}\n`,
);
