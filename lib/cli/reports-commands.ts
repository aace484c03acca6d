import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadLedger } from '../contract/ledger.ts';
import { applyBaseline } from '../report/baseline.ts';
import { compareExitCode, compareReports } from '../report/compare.ts';
import { renderCompareMarkdown, renderCompareTerminal } from '../report/compare-text.ts';
import { MergeError, mergeReports } from '../report/merge.ts';
import { parseReportText, ReportFormatError } from '../report/parse.ts';
import type { Report } from '../report/report.ts';
import { exitCode } from '../report/summary.ts';
import { renderTerminal, wantsColor } from '../report/terminal.ts';
import { writeReports } from '../report/write.ts';
import { readBaseline } from './baseline-file.ts';
import type { Settings } from './options.ts';
import { defaultReportDir, lockReportDir } from './report-dir.ts';
import { readFlags } from './settings.ts';
import { oneLine, UsageError } from './usage.ts';

/** Options as given on the command line. */
type Flags = Readonly<Record<string, unknown>>;

/** `merge DIR…`: combines the reports of the shards of a run. Returns the exit code. */
export async function mergeCommand(places: readonly string[], flags: Flags): Promise<number> {
  const settings = readFlags(flags, process.env);
  const reports = places.map(readReport);
  const ledger = loadLedger();
  let merged: Report;
  try {
    merged = mergeReports(reports, {
      order: ledger.requirements.map(({ id }) => id),
      dependencies: ledger.requirements,
    });
  } catch (error) {
    if (error instanceof MergeError) throw new UsageError(error.message);
    throw error;
  }
  const { baseline } = settings;
  const report =
    baseline === undefined
      ? merged
      : { ...merged, baseline: applyBaseline(readBaseline(baseline, ledger), merged) };
  await output(report, settings);
  return exitCode(report, settings);
}

/** `render report.json`: writes everything else that is rendered from a report. */
export async function renderCommand(file: string, flags: Flags): Promise<number> {
  await output(readReport(file), readFlags(flags, process.env));
  return 0;
}

/** `compare a.json b.json`: prints what changed. Returns 1 if something became worse. */
export function compareCommand(
  before: string,
  after: string,
  options: { readonly markdown?: boolean },
): number {
  const comparison = compareReports(readReport(before), readReport(after));
  const { columns } = process.stdout;
  process.stdout.write(
    options.markdown
      ? renderCompareMarkdown(comparison)
      : renderCompareTerminal(comparison, columns ? { columns } : {}),
  );
  return compareExitCode(comparison);
}

/**
 * The report in a file, or in a directory's `report.json`.
 * @throws UsageError
 */
export function readReport(place: string): Report {
  try {
    const file = statSync(place).isDirectory() ? join(place, 'report.json') : place;
    return parseReportText(readFileSync(file, 'utf8'));
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (missing) throw new UsageError(`there is no report at ${place}`);
    if (error instanceof ReportFormatError) throw new UsageError(`${place}: ${error.message}`);
    throw new UsageError(`${place}: ${oneLine(error)}`);
  }
}

async function output(report: Report, settings: Settings): Promise<void> {
  const { reportDir = defaultReportDir, har, quiet = false } = settings;
  const unlock = lockReportDir(reportDir);
  try {
    await writeReports(report, reportDir, har === undefined ? {} : { har });
  } finally {
    unlock();
  }
  const { columns } = process.stdout;
  process.stdout.write(
    renderTerminal(report, { color: wantsColor(process.stdout), quiet, ...(columns && { columns }) }),
  );
}
