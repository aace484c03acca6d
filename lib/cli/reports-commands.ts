import { loadLedger, type RequirementRow } from '../contract/ledger.ts';
import { applyBaseline } from '../report/baseline.ts';
import { mergeReports } from '../report/merge.ts';
import type { Report } from '../report/report.ts';
import { exitCode } from '../report/summary.ts';
import { readBaseline } from './baseline-file.ts';
import { labelErrors } from './files.ts';
import { lockReportDir } from './lock.ts';
import { defaultReportDir, type Flags, type Settings } from './options.ts';
import { publish, readReport } from './report-dir.ts';
import { collectSettings } from './settings.ts';

/** The settings of the flags alone: environment variables configure a run. */
const settingsOf = (flags: Flags) => collectSettings(flags, {}).settings;

/** `merge DIR…`: combines the reports of the shards of a run. Returns the exit code. */
export async function mergeCommand(places: readonly string[], flags: Flags): Promise<number> {
  const settings = settingsOf(flags);
  const reports = places.map(readReport);
  const ledger = loadLedger();
  const merged = labelErrors('merge', () => mergeReports(reports, ledger.requirements));
  const { baseline } = settings;
  // The report contains the requirements that apply to its contract and kind of cloud.
  const operationsOf = ({ id }: RequirementRow) =>
    merged.requirements.find((each) => each.id === id)?.operations ?? [];
  const report =
    baseline === undefined
      ? merged
      : { ...merged, baseline: applyBaseline(readBaseline(baseline, ledger, operationsOf), merged) };
  return output(report, settings, exitCode(report, settings));
}

/** `render report.json`: writes everything else that is rendered from a report. */
export async function renderCommand(file: string, flags: Flags): Promise<number> {
  return output(readReport(file), settingsOf(flags), 0);
}

/** Writes and prints the report. Returns the exit code. */
async function output(report: Report, settings: Settings, code: number): Promise<number> {
  const release = lockReportDir(settings.reportDir ?? defaultReportDir);
  try {
    return await publish(report, settings, code);
  } finally {
    release();
  }
}
