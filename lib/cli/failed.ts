import { didNotPass } from '../report/findings.ts';
import type { Report } from '../report/report.ts';
import type { Settings } from './options.ts';
import { defaultReportDir } from './report-dir.ts';
import { readReport } from './reports-commands.ts';
import { createSelection } from './selection.ts';

/**
 * The IDs that `--failed` selects: what failed, warned or ended in error when a run last judged it, as far as `--only` names it.
 * @throws UsageError where there is no report
 */
export function failedIds({ reportDir = defaultReportDir, only = [] }: Settings): readonly string[] {
  const report = readReport(reportDir);
  const rows = report.requirements.map(({ id, section, operations }) => ({
    id,
    row: { section },
    operations: operations.map((operation) => ({ id: operation })),
  }));
  const failed = new Set(failedOf(report));
  return rows
    .filter(({ id }) => failed.has(id))
    .filter(createSelection({ only }, rows))
    .map(({ id }) => id);
}

/** The report with the failures that the last one in the directory knows of, and that this run did not judge again. */
export function withEarlierFailures(report: Report, reportDir: string): Report {
  let before: readonly string[];
  try {
    before = failedOf(readReport(reportDir));
  } catch {
    return report;
  }
  const unjudged = new Set(
    report.requirements.flatMap((each) => (each.verdict === 'not-judged' ? each.id : [])),
  );
  const failed_before = before.filter((id) => unjudged.has(id));
  return failed_before.length === 0 ? report : { ...report, run: { ...report.run, failed_before } };
}

function failedOf({ requirements, run }: Report): readonly string[] {
  return [...requirements.filter(didNotPass).map(({ id }) => id), ...(run.failed_before ?? [])];
}
