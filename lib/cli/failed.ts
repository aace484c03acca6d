import { attempt } from '../contract/json.ts';
import { didNotPass } from '../report/findings.ts';
import type { OperationVerdict, Report } from '../report/report.ts';
import { nameOf } from '../report/summary.ts';
import { defaultReportDir, type Settings } from './options.ts';
import { readReport } from './report-dir.ts';
import { selectRows } from './selection.ts';

/**
 * What `--failed` selects: the requirements on the operations if they failed, warned or ended in error when a run last judged
 * them, as far as `--only` names them.
 * @throws UsageError if there is no report
 */
export function failedNames({ reportDir = defaultReportDir, only = [] }: Settings): readonly string[] {
  const report = readReport(reportDir);
  const rows = report.requirements.map(({ id, section, operations }) => ({
    id,
    row: { section },
    operations: operations.map((operation) => ({ id: operation })),
  }));
  const failed = new Set(failedOf(report));
  return selectRows({ only }, rows)
    .flatMap(({ id, operations }) => [id, ...operations.map((each) => nameOf({ id, operation: each.id }))])
    .filter((name) => failed.has(name));
}

/** The report with the failures that the last one in the directory knows of, and that this run did not judge again. */
export function withEarlierFailures(report: Report, reportDir: string): Report {
  const before = attempt(() => failedOf(readReport(reportDir))) ?? [];
  const unjudged = new Set(namesOf(report, ({ verdict }) => verdict === 'not-judged'));
  const failed_before = before.filter((name) => unjudged.has(name));
  return failed_before.length === 0 ? report : { ...report, run: { ...report.run, failed_before } };
}

function failedOf(report: Report): readonly string[] {
  return [...namesOf(report, didNotPass), ...(report.run.failed_before ?? [])];
}

/** The requirements whose verdict is one of these, each on its operations if it has several. */
function namesOf(
  { requirements }: Report,
  fits: (each: Pick<OperationVerdict, 'verdict'>) => boolean,
): string[] {
  return requirements.flatMap(({ id, verdict, by_operation: on }) => {
    if (on.length <= 1) return fits({ verdict }) ? [id] : [];
    return on.filter(fits).map(({ operation }) => nameOf({ id, operation }));
  });
}
