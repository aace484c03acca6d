import type { Ledger, ObservationRow, RequirementRow } from '../contract/ledger.ts';
import type { Contract } from '../contract/model.ts';
import { select } from '../contract/select.ts';
import { didYouMean, UsageError } from './usage.ts';

/** What a pattern can name. */
export interface Selectable {
  readonly id: string;
  readonly section: string;
  readonly operations: readonly string[];
}

/** A row of the ledger with the operations of this contract that it is judged on. */
export interface Applicable<Row> extends Selectable {
  readonly row: Row;
}

/** True for what is to be judged. */
export type Selects = (row: Selectable) => boolean;

/** The ledger's rows that concern this contract, each with the operations that it is judged on. */
export function applicable<Row extends RequirementRow | ObservationRow>(
  rows: readonly Row[],
  contract: Contract,
  ledger: Ledger,
): Applicable<Row>[] {
  return rows.flatMap((row) => {
    const operations = select(contract, row.operations, ledger.specific).map(({ id }) => id);
    const general = typeof row.operations !== 'string' && row.operations.length === 0;
    return operations.length > 0 || general ? [{ row, id: row.id, section: row.section, operations }] : [];
  });
}

/**
 * What `--only` and `--skip` leave. A pattern is a requirement's id, a section (with all below it) or an operation id; `*`
 * stands for any text.
 * @throws UsageError for a pattern that names nothing
 */
export function createSelection(
  patterns: { readonly only?: readonly string[] | undefined; readonly skip?: readonly string[] | undefined },
  rows: readonly Selectable[],
): Selects {
  const { only = [], skip = [] } = patterns;
  for (const [flag, given] of [
    ['--only', only],
    ['--skip', skip],
  ] as const) {
    for (const pattern of given) assertNames(flag, pattern, rows);
  }
  const wanted = only.map(matcher);
  const unwanted = skip.map(matcher);
  return (row) =>
    (wanted.length === 0 || wanted.some((matches) => matches(row))) &&
    !unwanted.some((matches) => matches(row));
}

function assertNames(flag: string, pattern: string, rows: readonly Selectable[]): void {
  if (rows.some(matcher(pattern))) return;
  const names = rows.flatMap(({ id, section, operations }) => [id, section, ...operations]);
  // A slug is remembered more easily than its section.
  const slug = pattern.slice(pattern.indexOf('/') + 1);
  const alike = rows.map(({ id }) => id).filter((id) => slug.length > 3 && id.endsWith(`/${slug}`));
  const hint =
    alike.length > 0 ? `; did you mean ${alike.slice(0, 3).join(' or ')}?` : didYouMean(pattern, names, 3);
  throw new UsageError(
    `${flag} '${pattern}' names no requirement, section or operation${hint} (--list shows all)`,
  );
}

function matcher(pattern: string): (row: Selectable) => boolean {
  const text = pattern.trim().replace(/^§/, '').replace(/\/$/, '');
  const source = text
    .split('*')
    .map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&'))
    .join('.*');
  const whole = new RegExp(`^${source}$`);
  const beginning = new RegExp(`^${source}(\\.|$)`);
  return ({ id, section, operations }) =>
    whole.test(id) || beginning.test(section) || operations.some((each) => whole.test(each));
}
