import { didYouMean } from '../contract/similar.ts';
import { UsageError } from './usage.ts';

/** What a pattern can name. */
export interface Selectable {
  readonly id: string;
  readonly row: { readonly section: string };
  readonly operations: readonly { readonly id: string }[];
}

/**
 * What `--only` and `--skip` leave. A pattern is a requirement's id, a section (with all below it) or an operation id; `*`
 * stands for any text.
 * @throws UsageError for a pattern that names nothing
 */
export function createSelection(
  patterns: { readonly only?: readonly string[] | undefined; readonly skip?: readonly string[] | undefined },
  rows: readonly Selectable[],
): (row: Selectable) => boolean {
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

function matcher(pattern: string): (row: Selectable) => boolean {
  const text = pattern.trim().replace(/^§/, '').replace(/\/$/, '');
  const source = text
    .split('*')
    .map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&'))
    .join('.*');
  const whole = new RegExp(`^${source}$`);
  const beginning = new RegExp(`^${source}(\\.|$)`);
  return ({ id, row, operations }) =>
    whole.test(id) || beginning.test(row.section) || operations.some((each) => whole.test(each.id));
}
