/** What a figure counts. MB are 1,000,000 bytes, µs are millionths of a second. */
export type Unit =
  | 's'
  | 'ms'
  | 'µs'
  | 'MB'
  | 'bytes'
  | 'requests'
  | 'requests/s'
  | 'of its time'
  | 'handles'
  | 'times';

/** What a row's ratio is held to, or its value where it stands beside nothing. */
export interface Goal {
  readonly bound: 'at_most' | 'at_least';
  readonly limit: number;
}

/** One figure of the bench. */
export interface Measured {
  /** What `--compare` knows it by: `suite/cpu`. Never used for anything else. */
  readonly name: string;
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  /** What was measured in the same run, in the same unit, so that the machine's own speed does not count. */
  readonly beside?: { readonly what: string; readonly value: number };
  readonly goal?: Goal;
  /** True for CPU time beside CPU time of the same run: what `--compare` holds to. */
  readonly cpu?: boolean;
}

/** A figure that could not be had here, and why. */
export interface Missing {
  readonly name: string;
  readonly what: string;
  readonly notMeasured: string;
}

export type Row = Measured | Missing;

export function atMost(limit: number): Goal {
  return { bound: 'at_most', limit };
}

export function atLeast(limit: number): Goal {
  return { bound: 'at_least', limit };
}

/** The value by what it stands beside; undefined where it stands beside nothing. */
export function ratioOf({ value, beside }: Measured): number | undefined {
  return beside && value / beside.value;
}

/** Whether the goal is held; undefined where there is none. */
export function isHeld(row: Measured): boolean | undefined {
  if (row.goal === undefined) return undefined;
  const { bound, limit } = row.goal;
  const found = ratioOf(row) ?? row.value;
  return bound === 'at_most' ? found <= limit : found >= limit;
}
