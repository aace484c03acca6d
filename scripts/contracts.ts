import { basename } from 'node:path';
import { runConformance } from '../lib/cli/run.ts';
import { loadContract } from '../lib/contract/load.ts';
import type { Report } from '../lib/report/report.ts';
import { count } from '../lib/report/text.ts';

/**
 * Judges the embedded fake by the OpenAPI document on the command line, and prints its row of the table in docs/contracts.md.
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
  const all = requirements.map((each) => (each.by_operation.length > 0 ? each.by_operation : [each]));
  for (const { verdict, reason = '' } of all.flat()) {
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

const [, , file = ''] = process.argv;
process.stdout.write(`| ${[basename(file), ...(await judge(file))].join(' | ')} |\n`);
