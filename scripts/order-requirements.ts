import { writeFileSync } from 'node:fs';
import { faults } from '../lib/mutation/faults/index.ts';
import { loadShared } from '../lib/mutation/test/cases.ts';
import { runAgainstFake } from '../lib/mutation/test/run-suite.ts';
import { nameOf } from '../lib/report/summary.ts';
import type { Findings } from '../lib/runner/runner.ts';

/**
 * Orders the requirements on each operation by what they catch for their cost, and writes their names to fixtures/requirement-order.json:
 * next comes the one that detects the most new faults for each request that it sends. Runs the suite against every fault with as
 * few examples as a quick run, which takes about ten minutes.
 */

const runs = 3;
const { own } = await loadShared();
const options = { ...own, seed: 1, runs } as const;

/** Names of the requirements on operations, with what they found. */
function verdictsOf({ requirements }: Findings) {
  return requirements.flatMap(({ id, verdict, by_operation: results }) =>
    results.length === 0
      ? [{ name: id, id, verdict }]
      : results.map(({ operation, verdict }) => ({ name: nameOf({ id, operation }), id, verdict })),
  );
}

const exchangeChecks = new Set(own.suite.filter(({ kind }) => kind === 'exchange').map(({ id }) => id));
const conforming = await runAgainstFake([], { ...options, recordExchanges: true });
const judged = verdictsOf(conforming).filter(({ id }) => !exchangeChecks.has(id));
const left = new Map(judged.map(({ name }) => [name, 0]));
for (const { requirement: id = '', operation } of conforming.exchanges ?? []) {
  // A requirement that concerns no operation may send to any.
  const name = [nameOf({ id, operation }), id].find((each) => left.has(each));
  if (name !== undefined) left.set(name, (left.get(name) ?? 0) + 1);
}
const detectedBy = new Map([...left.keys()].map((name) => [name, new Set<string>()]));
/** Faults detected by the checks over all exchanges, which every run includes. */
const always = new Set<string>();
for (const fault of faults) {
  for (const { name, id, verdict } of verdictsOf(await runAgainstFake([fault.rules], options))) {
    if (verdict !== 'failed' && verdict !== 'warned') continue;
    if (exchangeChecks.has(id)) always.add(fault.name);
    else detectedBy.get(name)?.add(fault.name);
  }
}

const order: string[] = [];
let detected: ReadonlySet<string> = always;
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
