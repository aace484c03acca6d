import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runConformance } from '../lib/cli/run.ts';
import { parseReportText } from '../lib/report/parse.ts';
import { exitCode } from '../lib/report/summary.ts';
import { writeReports } from '../lib/report/write.ts';

/** What became of the run against one target. */
export interface HostileRun {
  readonly baseUrl: string;
  readonly verdict: string;
  readonly code: number;
  readonly seconds: number;
  readonly requests: number;
  /** The most memory that the process ever had. */
  readonly peakMegabytes: number;
  readonly reasons: readonly string[];
}

/**
 * Tests the targets named in the arguments, one after another, writes the reports of each and prints a `HostileRun` as a line of
 * JSON. With `--read-only` nothing has to be put back at the end, which the suite tries for ten seconds.
 */
const { values, positionals } = parseArgs({
  options: { 'read-only': { type: 'boolean' } },
  allowPositionals: true,
});
for (const baseUrl of positionals) {
  const began = performance.now();
  const found = await runConformance({
    baseUrl,
    token: 'opaque-token-of-the-run',
    readOnly: values['read-only'] === true,
    only: ['4.2/reads', '4.2/take-maximum', '5.1/valid-token', '8/checkpoint-walk-*'],
    runs: 2,
    seed: 1,
    timeout: 1000,
    restartWait: 1,
    limits: { wait_ms: 1000, total_wait_ms: 1000, pages: 50 },
  });
  const reportDir = mkdtempSync(join(tmpdir(), 'hostile-'));
  await writeReports(found, reportDir);
  const report = parseReportText(readFileSync(join(reportDir, 'report.json'), 'utf8'));
  const reasons = [report.run.ended_early ?? '', ...report.requirements.map(({ reason = '' }) => reason)];
  const result: HostileRun = {
    baseUrl,
    verdict: report.verdict,
    code: exitCode(report),
    seconds: (performance.now() - began) / 1000,
    requests: report.run.requests,
    peakMegabytes: process.resourceUsage().maxRSS / 1000,
    reasons: reasons.filter((reason, index) => reasons.indexOf(reason) === index),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
