import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { heapLimit } from '../bench/process.ts';
import { canCall } from '../lib/arbitraries/input.ts';
import { runConformance } from '../lib/cli/run.ts';
import { loadContract } from '../lib/contract/load.ts';
import { startFake } from '../lib/fake/index.ts';
import { on } from '../lib/mutation/builders/on.ts';
import { type Family, families, operationsWithFault } from '../lib/mutation/families.ts';
import type { Report } from '../lib/report/report.ts';
import { count } from '../lib/report/text.ts';

/**
 * Judges the embedded fake by each of the OpenAPI documents on the command line, and prints the rows of the tables in
 * docs/contracts.md. With `--faults` the fake of each document has faults of ten families, one after the other, each on an operation
 * drawn by a seed.
 */

/** What came of one document. */
interface Row {
  readonly operations: number;
  readonly summary: Report['summary'];
  readonly reasons: string;
  readonly seconds: number;
  readonly megabytes: number;
}

interface Caught {
  readonly fault: string;
  readonly operation: string;
  /** True where the operation failed and the other one did not. */
  readonly caught: boolean;
}

async function judge(file: string): Promise<Row> {
  const contract = await loadContract(file);
  const { summary, requirements, run } = await runConformance({ contract, seed: 1 });
  return {
    operations: contract.operations.length,
    summary,
    reasons: reasonsOf(requirements),
    seconds: Math.round(run.duration_ms / 1000),
    megabytes: Math.round(process.resourceUsage().maxRSS / 1024),
  };
}

/** Why requirements were not judged on operations, the most frequent reasons first. */
function reasonsOf(requirements: Report['requirements']): string {
  const counts = new Map<string, number>();
  const all: readonly { readonly verdict: string; readonly reason?: string }[] = requirements.flatMap(
    (each): readonly Pick<typeof each, 'verdict' | 'reason'>[] =>
      each.by_operation.length > 0 ? each.by_operation : [each],
  );
  for (const { verdict, reason = '' } of all) {
    if (verdict !== 'not-judged') continue;
    const general = reason
      .replace(/^no (value|text) is generated.*/s, 'no value is generated')
      .replace(/^it needs credentials.*/s, 'other credentials than a token')
      .replace(/^the (listing|action) has.*/s, 'the listing is too short')
      .replace(/^the equivalent valid request.*/s, 'its valid counterpart is refused too')
      .replaceAll('|', '/');
    counts.set(general, (counts.get(general) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  return sorted.map(([reason, number]) => `${reason} (${number})`).join('; ') || '-';
}

const sampleSize = 10;

/** The order is that of a linear congruential generator, the same in every run. */
async function judgeFaults(file: string): Promise<readonly Caught[]> {
  const contract = await loadContract(file);
  let state = 1;
  const pick = <T>(all: readonly T[]): T | undefined => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return all[Math.floor((state / 2 ** 31) * all.length)];
  };
  const results: Caught[] = [];
  // What no request can be made for shows no fault.
  const broken = (family: Family) =>
    (operationsWithFault(family, contract) ?? []).filter((each) => canCall(contract, each));
  const left: Family[] = families.filter((each) => broken(each).length > 0);
  while (results.length < sampleSize && left.length > 0) {
    const family = pick(left);
    const operation = family && pick(broken(family));
    if (family === undefined || operation === undefined) break;
    left.splice(left.indexOf(family), 1);
    const other = pick(contract.operations.filter(({ id }) => id !== operation.id));
    const fake = await startFake({ contract, control: true, rules: family.on(on(operation.id)) });
    const { requirements } = await runConformance({
      contract,
      baseUrl: fake.url,
      control: fake.controlUrl ?? '',
      signingKey: { ...fake.signingKey },
      only: [operation.id, other?.id ?? operation.id],
      seed: 1,
    });
    await fake.close();
    const isBroken = (id: string | undefined) =>
      requirements.some(({ by_operation }) =>
        by_operation.some((each) => each.operation === id && /failed|warned/.test(each.verdict)),
      );
    results.push({
      fault: family.name,
      operation: operation.id,
      caught: isBroken(operation.id) && !isBroken(other?.id),
    });
  }
  return results;
}

/** In a process of its own, so that time and memory are those of one document. */
async function inChildProcess(mode: string, file: string): Promise<unknown> {
  const args = [...heapLimit, '--import', 'tsx', fileURLToPath(import.meta.url), mode, file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout);
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && 'summary' in value;
}

const write = (text: string) => process.stdout.write(text);
const [mode = '', ...files] = process.argv.slice(2);
if (mode === '--one') write(JSON.stringify(await judge(files[0] ?? '')));
else if (mode === '--one-with-faults') write(JSON.stringify(await judgeFaults(files[0] ?? '')));
else if (mode === '--faults') {
  for (const file of files) {
    const found = await inChildProcess('--one-with-faults', file);
    const all: readonly Caught[] = Array.isArray(found) ? found : [];
    const missed = all
      .filter(({ caught }) => !caught)
      .map(({ fault, operation }) => `${fault} on ${operation}`);
    write(
      `| ${basename(file)} | ${all.length - missed.length} of ${all.length} | ${missed.join(', ') || '-'} |\n`,
    );
  }
} else {
  for (const file of [mode, ...files]) {
    const row = await inChildProcess('--one', file);
    if (!isRow(row)) continue;
    const { stated, inferred, judged, requirements } = row.summary;
    const [failed, errors] = [stated.failed + inferred.warned, stated.error + inferred.error];
    const counts = [count(row.operations), `${judged} of ${requirements}`, failed, errors, row.reasons];
    write(`| ${[basename(file), ...counts, row.seconds, row.megabytes].join(' | ')} |\n`);
  }
}
