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
import { oneLine, UsageError } from './usage.ts';

/** What `merge` and `render` are told about where their output goes. */
export interface OutputOptions {
  readonly reportDir: string;
  readonly har?: 'full' | 'failures' | 'none';
  readonly quiet?: boolean;
}

export interface MergeCommandOptions extends OutputOptions {
  readonly complete?: boolean;
  readonly baseline?: string;
}

/** `merge DIR…`: one report of the shards of a run, and its exit code. */
export async function mergeCommand(places: readonly string[], options: MergeCommandOptions): Promise<number> {
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
  const { baseline } = options;
  const report =
    baseline === undefined
      ? merged
      : { ...merged, baseline: applyBaseline(readBaseline(baseline, ledger), merged) };
  await output(report, options);
  return exitCode(report, options);
}

/** `render report.json`: everything else that is made from a report. */
export async function renderCommand(file: string, options: OutputOptions): Promise<number> {
  await output(readReport(file), options);
  return 0;
}

/** `compare a.json b.json`: what changed. 1 where something became worse. */
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

/** The report in a file, or in a folder's `report.json`. */
function readReport(place: string): Report {
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

async function output(report: Report, { reportDir, har, quiet = false }: OutputOptions): Promise<void> {
  await writeReports(report, reportDir, har === undefined ? {} : { har });
  const { columns } = process.stdout;
  process.stdout.write(
    renderTerminal(report, { color: wantsColor(process.stdout), quiet, ...(columns && { columns }) }),
  );
}
