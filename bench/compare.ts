import type { Earlier } from './record.ts';
import { type Row, ratioOf } from './row.ts';

/** How many times the CPU time of an earlier run is a regression. */
export const tolerated = 1.25;

/** A figure of two runs: each beside its own run's reference where it has one. */
export interface Change {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** After by before; undefined where before was nothing. */
  readonly ratio: number | undefined;
  readonly isCpu: boolean;
  /** True for CPU time beyond what is tolerated. */
  readonly isRegression: boolean;
}

/** What became of the rows that both runs have. */
export function changes({ figures }: Earlier, rows: readonly Row[]): Change[] {
  return rows.flatMap((row): Change[] => {
    const before = figures.get(row.name);
    if ('notMeasured' in row || before === undefined) return [];
    const after = ratioOf(row) ?? row.value;
    const ratio = before === 0 ? undefined : after / before;
    const isCpu = row.cpu === true;
    const isRegression = isCpu && (ratio ?? Number.POSITIVE_INFINITY) > tolerated;
    return [{ name: row.name, before, after, ratio, isCpu, isRegression }];
  });
}
