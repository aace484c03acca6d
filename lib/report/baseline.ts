import type { BaselineOutcome, BaselineRow, Report } from './report.ts';
import { breaks, isPartial } from './summary.ts';

/**
 * How the report's failures stand to the rows. A row is to be removed only when its requirement was judged whole and holds: not
 * when it was not judged this time, and not on one shard's word about what another one judges. `today` is `2027-01-31`.
 */
export function applyBaseline(
  rows: readonly BaselineRow[],
  report: Report,
  today: string = new Date().toISOString().slice(0, 10),
): BaselineOutcome {
  const strict = report.run.strict === true;
  const results = new Map(report.requirements.map((result) => [result.id, result]));
  const holds = (id: string) => {
    const result = results.get(id);
    return result?.verdict === 'passed' && !isPartial(result);
  };
  const failing = new Set(report.requirements.filter((result) => breaks(result, strict)).map(({ id }) => id));
  const listed = new Set(rows.map(({ id }) => id));
  const isExpired = (row: BaselineRow) => row.expires !== undefined && row.expires < today;
  return {
    known: rows.filter((row) => failing.has(row.id) && !isExpired(row)),
    unlisted: [...failing].filter((id) => !listed.has(id)),
    expired: rows.filter((row) => failing.has(row.id) && isExpired(row)),
    fixed: rows.filter((row) => holds(row.id)),
  };
}
