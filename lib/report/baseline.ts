import type { BaselineComparison, BaselineRow, Report } from './report.ts';
import { breaks, brokenOn, isPartial, nameOf, operationsWith } from './summary.ts';

/**
 * How the report's failures compare with the rows. A row is to be removed only when its requirement was judged whole and passed: not
 * when it was not judged this time, and not on one shard's word about what another one judges. `today` is `2027-01-31`.
 */
export function applyBaseline(
  rows: readonly BaselineRow[],
  report: Report,
  today: string = new Date().toISOString().slice(0, 10),
): BaselineComparison {
  const strict = report.run.strict === true;
  const results = new Map(report.requirements.map((result) => [result.id, result]));
  const isFixed = ({ id, operation }: BaselineRow) => {
    const result = results.get(id);
    if (result === undefined || operation === undefined)
      return result?.verdict === 'passed' && !isPartial(result);
    return operationsWith(result, 'passed').includes(operation);
  };
  const failing = report.requirements.filter((result) => breaks(result, strict));
  const names = new Set(
    failing.flatMap((each) => [
      each.id,
      ...brokenOn(each).map((operation) => nameOf({ id: each.id, operation })),
    ]),
  );
  const listed = new Set(rows.map(nameOf));
  const fails = (row: BaselineRow) => names.has(nameOf(row));
  const isExpired = (row: BaselineRow) => row.expires !== undefined && row.expires < today;
  return {
    known: rows.filter((row) => fails(row) && !isExpired(row)),
    unlisted: failing
      .filter(({ id }) => !listed.has(id))
      .flatMap((result) => {
        const { id, operations } = result;
        const unlisted = brokenOn(result)
          .map((operation) => nameOf({ id, operation }))
          .filter((name) => !listed.has(name));
        return unlisted.length === operations.length ? [id] : unlisted;
      }),
    expired: rows.filter((row) => fails(row) && isExpired(row)),
    fixed: rows.filter(isFixed),
  };
}

/** What a report says of one requirement that the baseline lists or should list. */
export interface BaselineEntry {
  readonly state: 'known' | 'new' | 'expired' | 'passes';
  readonly id: string;
  readonly note: string;
}

/** The entries of the report's baseline, the known ones first; the others fail the run. */
export function baselineEntries({ baseline }: Report): BaselineEntry[] {
  if (baseline === undefined) return [];
  const { known, unlisted, expired, fixed } = baseline;
  const reasonOf = ({ reason, issue, expires }: BaselineRow) =>
    `${reason}${issue === undefined ? '' : ` (${issue})`}${expires === undefined ? '' : `, until ${expires}`}`;
  return [
    ...known.map((row) => ({ state: 'known' as const, id: nameOf(row), note: reasonOf(row) })),
    ...unlisted.map((id) => ({ state: 'new' as const, id, note: 'not listed in the baseline' })),
    ...expired.map((row) => ({ state: 'expired' as const, id: nameOf(row), note: reasonOf(row) })),
    ...fixed.map((row) => ({
      state: 'passes' as const,
      id: nameOf(row),
      note: `remove line ${row.line} of the baseline`,
    })),
  ];
}
