import { UsageError } from '../lib/cli/usage.ts';
import { isObject } from '../lib/contract/json.ts';
import { isHeld, type Row, ratioOf } from './row.ts';

/** What a record says beside its rows. */
export interface Circumstances {
  /** RFC 3339. */
  readonly started_at: string;
  /** `v20.20.2` */
  readonly node: string;
  readonly cpus: number;
  /** Smaller sizes: comparable with other quick ones only. */
  readonly quick: boolean;
}

/** `bench.json`: described in reports/README.md. */
export function recordOf(rows: readonly Row[], circumstances: Circumstances): unknown {
  return { ...circumstances, rows: rows.map(recordedRow) };
}

function recordedRow(row: Row): unknown {
  if ('notMeasured' in row) return { name: row.name, what: row.what, not_measured: row.notMeasured };
  const { name, what, value, unit, beside = null, goal = null, cpu = false } = row;
  return {
    name,
    what,
    value,
    unit,
    beside,
    ratio: ratioOf(row) ?? null,
    goal,
    held: isHeld(row) ?? null,
    cpu,
  };
}

/** What an earlier record says, as far as it is compared. */
export interface Earlier {
  readonly quick: boolean;
  /** By the row's name its ratio, or its value where it has none. */
  readonly figures: ReadonlyMap<string, number>;
}

/** Reads a record. @throws UsageError of one line where it is none */
export function readRecord(text: string, file: string): Earlier {
  const wrong = (what: string) => new UsageError(`--compare ${file}: ${what}`);
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw wrong('this is no JSON');
  }
  if (!isObject(found) || !Array.isArray(found.rows)) throw wrong('this is no record of a bench');
  const figures = found.rows.flatMap((row: unknown): [string, number][] => {
    if (!isObject(row) || typeof row.name !== 'string') throw wrong('a row has no name');
    const known = [row.ratio, row.value].find((each) => typeof each === 'number');
    return typeof known === 'number' ? [[row.name, known]] : [];
  });
  return { quick: found.quick === true, figures: new Map(figures) };
}
