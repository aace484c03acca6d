import type { Settings } from './options.ts';
import { defaultReportDir } from './report-dir.ts';
import { readReport } from './reports-commands.ts';
import { createSelection } from './selection.ts';

/**
 * The IDs that `--failed` selects: what failed, warned or ended in error in the last report, as far as `--only` names it.
 * @throws UsageError where there is no report
 */
export function failedIds({ reportDir = defaultReportDir, only = [] }: Settings): readonly string[] {
  const rows = readReport(reportDir).requirements.map(({ id, section, operations, verdict }) => ({
    id,
    row: { section },
    operations: operations.map((operation) => ({ id: operation })),
    verdict,
  }));
  return rows
    .filter(({ verdict }) => verdict !== 'passed' && verdict !== 'not-judged')
    .filter(createSelection({ only }, rows))
    .map(({ id }) => id);
}
