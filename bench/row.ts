/** One line of the table. MB are 1,000,000 bytes. */
export interface Row {
  readonly name: string;
  readonly what: string;
  readonly value: number;
  readonly unit: 's' | 'MB' | 'requests per CPU second';
  /** What was measured in the same run, in the same unit, so that the speed of the machine cancels out. */
  readonly reference?: { readonly what: string; readonly value: number };
  /** Bound of the ratio to the reference, or of the value if there is no reference. */
  readonly limit: { readonly atMost: number } | { readonly atLeast: number };
}

/** A row that could not be measured here, and why. */
export interface Unavailable {
  readonly name: string;
  readonly what: string;
  readonly unavailable: string;
}

/** What every benchmark gets. */
export interface Bench {
  /** Temporary folder; removed at the end. */
  readonly folder: string;
  /** True for `--quick`: one round and small sizes, to see that the benchmark works. */
  readonly isQuick: boolean;
}

/** The row as `reports/bench.json` and the table show it: with its ratio and whether it is within the limit. */
export function result(row: Row) {
  const ratio = row.reference === undefined ? null : row.value / row.reference.value;
  const compared = ratio ?? row.value;
  const { limit } = row;
  const within = 'atMost' in limit ? compared <= limit.atMost : compared >= limit.atLeast;
  return { ...row, ratio, within };
}

/** Middle value; of an even number of values the upper one. */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}
