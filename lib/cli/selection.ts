import { escapeRegExp } from '../contract/escape-regexp.ts';
import { didYouMean } from '../contract/similar.ts';
import { splitName } from '../report/summary.ts';
import { UsageError } from './usage.ts';

/** What a pattern can name. */
export interface Selectable {
  readonly id: string;
  readonly row: { readonly section: string };
  readonly operations: readonly { readonly id: string }[];
}

/**
 * Applies `--only` and `--skip` to the rows. A pattern is a requirement's id, a section (with all below it) or an operation id, or one of the
 * first two on one operation: `5.5/*@listExperiments`. `*` stands for any text.
 * @returns the rows with the operations that are left, without rows of which nothing is left
 * @throws UsageError for a pattern that names nothing
 */
export function selectRows<Row extends Selectable>(
  patterns: { readonly only?: readonly string[] | undefined; readonly skip?: readonly string[] | undefined },
  rows: readonly Row[],
): Row[] {
  const { only = [], skip = [] } = patterns;
  const wanted = only.map((pattern) => matcherOf('--only', pattern, rows));
  const unwanted = skip.map((pattern) => matcherOf('--skip', pattern, rows));
  return rows.flatMap((row) => {
    const isChosen = (operation?: string) =>
      (only.length === 0 || wanted.some((matches) => matches(row, operation))) &&
      !unwanted.some((matches) => matches(row, operation));
    const operations = row.operations.filter(({ id }) => isChosen(id));
    const isSelected = row.operations.length === 0 ? isChosen() : operations.length > 0;
    return isSelected ? [{ ...row, operations }] : [];
  });
}

/** @throws UsageError for a pattern that names nothing */
function matcherOf(flag: string, pattern: string, rows: readonly Selectable[]): Matcher {
  const matches = matcher(pattern);
  if (rows.some((row) => matches(row) || row.operations.some(({ id }) => matches(row, id)))) return matches;
  const names = rows.flatMap(({ id, row, operations }) => [
    id,
    row.section,
    ...operations.map((each) => each.id),
  ]);
  const hint = didYouMean(pattern, names, 3);
  throw new UsageError(
    `${flag} '${pattern}' names no requirement, section or operation${hint} (--list shows all)`,
  );
}

type Matcher = (row: Selectable, operation?: string) => boolean;

/** True for the rows that a pattern names; with an operation, for those that it names on this operation. */
function matcher(pattern: string): Matcher {
  const [name, onOperation] = splitName(pattern.trim().replace(/^§/, ''));
  const source = (text: string) => text.split('*').map(escapeRegExp).join('.*');
  const named = source(name.replace(/\/$/, ''));
  const whole = new RegExp(`^${named}$`);
  const beginning = new RegExp(`^${named}(\\.|$)`);
  const place = onOperation === undefined ? undefined : new RegExp(`^${source(onOperation)}$`);
  return ({ id, row }, operation) => {
    const isNamed = whole.test(id) || beginning.test(row.section);
    if (place === undefined) return isNamed || (operation !== undefined && whole.test(operation));
    return isNamed && operation !== undefined && place.test(operation);
  };
}
