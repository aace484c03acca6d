import { didYouMean } from '../contract/similar.ts';
import { UsageError } from './usage.ts';

/** What a pattern can name. */
export interface Selectable {
  readonly id: string;
  readonly row: { readonly section: string };
  readonly operations: readonly { readonly id: string }[];
}

/**
 * What `--only` and `--skip` leave. A pattern is a requirement's id, a section (with all below it) or an operation id, or one of the
 * first two on one operation: `5.5/*@listExperiments`. `*` stands for any text.
 * @returns the rows with the operations that are left, without rows of which nothing is left
 * @throws UsageError for a pattern that names nothing
 */
export function selectRows<Row extends Selectable>(
  patterns: { readonly only?: readonly string[] | undefined; readonly skip?: readonly string[] | undefined },
  rows: readonly Row[],
): Row[] {
  const { only = [], skip = [] } = patterns;
  for (const pattern of only) assertNames('--only', pattern, rows);
  for (const pattern of skip) assertNames('--skip', pattern, rows);
  const wanted = only.map(matcher);
  const unwanted = skip.map(matcher);
  return rows.flatMap((row) => {
    const [ours, others] = [wanted.map((matches) => matches(row)), unwanted.map((matches) => matches(row))];
    const isLeft = (operation?: string) =>
      (only.length === 0 || ours.some((matches) => matches(operation))) &&
      !others.some((matches) => matches(operation));
    const operations = row.operations.filter(({ id }) => isLeft(id));
    const isSelected = row.operations.length === 0 ? isLeft() : operations.length > 0;
    return isSelected ? [{ ...row, operations }] : [];
  });
}

function assertNames(flag: string, pattern: string, rows: readonly Selectable[]): void {
  const matches = matcher(pattern);
  if (rows.some((row) => matches(row)() || row.operations.some(({ id }) => matches(row)(id)))) return;
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

function matcher(pattern: string): (row: Selectable) => (operation?: string) => boolean {
  const [name = '', ...on] = pattern.trim().replace(/^§/, '').split('@');
  const source = (text: string) =>
    text
      .split('*')
      .map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&'))
      .join('.*');
  const text = source(name.replace(/\/$/, ''));
  const whole = new RegExp(`^${text}$`);
  const beginning = new RegExp(`^${text}(\\.|$)`);
  const place = on.length === 0 ? undefined : new RegExp(`^${source(on.join('@'))}$`);
  return ({ id, row }) => {
    const isNamed = whole.test(id) || beginning.test(row.section);
    return (operation) => {
      if (operation === undefined) return isNamed && place === undefined;
      return place === undefined ? isNamed || whole.test(operation) : isNamed && place.test(operation);
    };
  };
}
