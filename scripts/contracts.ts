import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { canCall } from '../lib/arbitraries/input.ts';
import { runConformance } from '../lib/cli/run.ts';
import { loadContract } from '../lib/contract/load.ts';
import { startFake } from '../lib/fake/index.ts';
import { on } from '../lib/mutation/builders/on.ts';
import { type Family, families, operationsWithFault } from '../lib/mutation/families.ts';
import type { Report } from '../lib/report/report.ts';
import { count } from '../lib/report/text.ts';

/**
 * Judges the embedded fake by the OpenAPI document on the command line, and prints its row of the table in docs/contracts.md. With
 * `--faults` the fake has faults of ten families, one after the other, each on an operation drawn by a seed.
 */

async function judge(file: string): Promise<readonly (string | number)[]> {
  const contract = await loadContract(file);
  const { summary, requirements, run } = await runConformance({ contract, seed: 1 });
  const { stated, inferred, judged } = summary;
  return [
    count(contract.operations.length),
    `${judged} of ${summary.requirements}`,
    stated.failed + inferred.warned,
    stated.error + inferred.error,
    reasonsOf(requirements),
    Math.round(run.duration_ms / 1000),
    Math.round(process.resourceUsage().maxRSS / 1024),
  ];
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
async function judgeFaults(file: string): Promise<readonly (string | number)[]> {
  const contract = await loadContract(file);
  let state = 1;
  const pick = <T>(all: readonly T[]): T | undefined => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return all[Math.floor((state / 2 ** 31) * all.length)];
  };
  let judged = 0;
  const missed: string[] = [];
  // A fault of an operation that cannot be called does not show.
  const broken = (family: Family) =>
    (operationsWithFault(family, contract) ?? []).filter((each) => canCall(contract, each));
  const left: Family[] = families.filter((each) => broken(each).length > 0);
  while (judged < sampleSize && left.length > 0) {
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
    judged += 1;
    // Caught if the operation failed and the other one did not.
    if (!isBroken(operation.id) || isBroken(other?.id)) missed.push(`${family.name} on ${operation.id}`);
  }
  return [`${judged - missed.length} of ${judged}`, missed.join(', ') || '-'];
}

const { values, positionals } = parseArgs({
  options: { faults: { type: 'boolean' } },
  allowPositionals: true,
});
const [file = ''] = positionals;
const cells = values.faults ? await judgeFaults(file) : await judge(file);
process.stdout.write(`| ${[basename(file), ...cells].join(' | ')} |\n`);
