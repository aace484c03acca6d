import { writeFileSync } from 'node:fs';
import { runWithOptions } from '../lib/cli/run.ts';
import { loadLedger } from '../lib/contract/ledger.ts';
import { loadContract } from '../lib/contract/load.ts';
import type { Cloud, Contract } from '../lib/contract/model.ts';
import { applicable } from '../lib/runner/applicable.ts';
import { defaultRuns } from '../lib/runner/run-context.ts';
import { suite } from '../suites/index.ts';
import { loadSampleContract } from '../test/sample-document.ts';

/** Measures how many requests each requirement and observation sends on one operation, and writes them to fixtures/request-counts.json. */

const [shipped, ledger] = [await loadContract(), loadLedger()];
/** A contract of other operations, which generic requirements apply to. */
const sample = await loadSampleContract(10);
/** Numbers of examples: of a quick run and a standard run, so that both are estimated exactly, and of a longer one. */
const [few, many, more] = [3, defaultRuns, 2 * defaultRuns];

type Matrix = 'usual' | 'full';

/** Average number of requests per operation that each requirement and observation sends. */
async function measureOn(contract: Contract, cloud: Cloud, runs: number, matrix: Matrix) {
  const settings = { cloud, seed: 1, runs, har: 'full', ...(matrix === 'full' && { matrix }) } as const;
  const { exchanges = [] } = await runWithOptions({ settings, extras: {}, contract });
  const { requirements, observations } = applicable(ledger, suite, contract, cloud);
  const senders = [...requirements, ...observations].filter(({ check }) => check.kind !== 'exchange');
  return new Map(
    senders.map(({ id, operations }) => {
      const sent = exchanges.filter(({ requirement }) => requirement === id);
      return [id, sent.length / Math.max(1, operations.length)];
    }),
  );
}

/** Measures on a public cloud, and adds what applies only to a private cloud or to other operations. */
async function measure(runs: number, matrix: Matrix): Promise<ReadonlyMap<string, number>> {
  return new Map([
    ...(await measureOn(sample, 'public', runs, matrix)),
    ...(await measureOn(shipped, 'private', runs, matrix)),
    ...(await measureOn(shipped, 'public', runs, matrix)),
  ]);
}

async function counts(matrix: Matrix): Promise<Record<string, readonly number[]>> {
  const [one, other] = [await measure(few, matrix), await measure(many, matrix)];
  const further = await measure(more, matrix);
  return Object.fromEntries(
    [...one].map(([id, requests]) => {
      const perExample = ((other.get(id) ?? 0) - requests) / (many - few);
      const perFurther = ((further.get(id) ?? 0) - (other.get(id) ?? 0)) / (more - many);
      return [id, [requests - perExample * few, perExample, perFurther].map(round)];
    }),
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

const usual = await counts('usual');
const full = Object.fromEntries(
  Object.entries(await counts('full')).filter(([id, count]) => String(count) !== String(usual[id])),
);
const lines = (group: Readonly<Record<string, readonly number[]>>) =>
  suite.flatMap(({ id }) => {
    const count = group[id];
    return count === undefined ? [] : [`    ${JSON.stringify(id)}: [${count.join(', ')}]`];
  });
const text = Object.entries({ usual, full })
  .map(([name, group]) => `  "${name}": {\n${lines(group).join(',\n')}\n  }`)
  .join(',\n');
writeFileSync(new URL('../fixtures/request-counts.json', import.meta.url), `{\n${text}\n}\n`);
