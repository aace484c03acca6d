import { startProgress } from '../report/progress.ts';
import type { Report } from '../report/report.ts';
import { exitCode } from '../report/summary.ts';
import { renderTerminal, wantsColor } from '../report/terminal.ts';
import { writeReports } from '../report/write.ts';
import { watchInterrupts } from './interrupts.ts';
import type { Settings } from './options.ts';
import { renderPreflight } from './preflight-screen.ts';
import { judge } from './run.ts';
import { readSettings, suspiciousVariables } from './settings.ts';
import { UsageError } from './usage.ts';

/** Where reports go unless told. */
const defaultReportDir = 'reports';

/** `npm test -- …`: judges a target, writes the reports, prints the summary. Returns the exit code. */
export async function runCommand(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const told = readSettings(flags, process.env);
  const { settings } = told;
  for (const line of suspiciousVariables(process.env)) process.stderr.write(`note: ${line}\n`);
  if (settings.list) {
    const { listCommand } = await import('./list.ts');
    return listCommand(told, (text) => process.stdout.write(text));
  }
  if (settings.dryRun) {
    const { dryRunCommand } = await import('./dry-run.ts');
    // Who reads only the first ones (`| head`) has seen enough.
    process.stdout.once('error', () => process.exit(0));
    return dryRunCommand(told, (text) => process.stdout.write(text));
  }
  const interrupts = watchInterrupts();
  const progress = startProgress(process.stderr);
  const say = (text: string) => {
    progress.clear();
    process.stderr.write(text);
  };
  try {
    const report = await judge(told, {
      signal: interrupts.signal,
      onProgress: ({ done, total, requests, foretold, current }) =>
        progress.update({
          done,
          total,
          requests,
          running: [current],
          ...(foretold !== undefined && { expectedRequests: foretold }),
        }),
      onPreflight: (found) => {
        if (settings.quiet !== true || found.fatal !== undefined)
          say(renderPreflight(settings.baseUrl ?? '', found, process.stderr.columns));
      },
      onTrouble: (message) => say(`warning: ${message}\n`),
    });
    progress.clear();
    const settled = await withBaseline(report, settings);
    await writeAll(settled, settings);
    return interrupts.interrupted() ? 130 : exitCode(settled, settings);
  } finally {
    progress.clear();
    interrupts.end();
  }
}

/** The report, once its failures have been written into the baseline where that was asked for. */
async function withBaseline(report: Report, { baseline, updateBaseline }: Settings): Promise<Report> {
  if (!updateBaseline || baseline === undefined) return report;
  const { saveBaseline } = await import('./baseline-file.ts');
  return saveBaseline(report, baseline);
}

async function writeAll(report: Report, settings: Settings): Promise<void> {
  const directory = settings.reportDir ?? defaultReportDir;
  const color = wantsColor(process.stdout);
  const { columns } = process.stdout;
  try {
    await writeReports(report, directory, { ...(settings.har && { har: settings.har }) });
  } catch (error) {
    throw new UsageError(
      `--report-dir ${directory}: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    process.stdout.write(
      renderTerminal(report, { color, ...(columns && { columns }), quiet: settings.quiet === true }),
    );
  }
  if (settings.quiet !== true)
    process.stdout.write(`reports are in ${directory}: index.html, report.json, junit.xml, summary.md\n`);
}
