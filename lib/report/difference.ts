import { isDeepStrictEqual } from 'node:util';
import type { Difference, DifferenceEntry } from './report.ts';

/** Entries of a difference that are named before the rest is counted only. */
const namedEntries = 5;

/** Characters of a value in an entry, and of one that stands alone. */
const entryCharacters = 120;
const valueCharacters = 300;

/** Characters of a text around the first difference. */
const contextBefore = 24;
const contextAfter = 48;

/** Levels of nesting that are compared one by one; below them values only differ or not. */
const comparedDepth = 40;

/** A value as JSON text, cut; `nothing` for undefined. */
export function valueText(value: unknown, length: number = valueCharacters): string {
  const text = value === undefined ? 'nothing' : jsonOf(value);
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}

/**
 * How a received value differs from the expected one: text by its first differing character, lists of scalars by their members,
 * other JSON by path. Short values are shown whole.
 * @param what what is compared: `the body`
 */
export function differenceOf(
  what: string,
  expected: unknown,
  received: unknown,
  because?: string,
): Difference {
  const reason = because === undefined ? {} : { because };
  if (typeof expected === 'string' && typeof received === 'string')
    return { ...textDifference(what, expected, received), ...reason };
  if (isListOfScalars(expected) && isListOfScalars(received))
    return { ...listDifference(what, expected, received), ...reason };
  const comparable =
    typeof expected === 'object' && typeof received === 'object' && expected !== null && received !== null;
  if (!comparable || Array.isArray(expected) !== Array.isArray(received))
    return { expected: `${what}: ${valueText(expected)}`, received: valueText(received), ...reason };
  const { entries, ...rest } = named([...pathEntries(expected, received, '', 0)]);
  const [only] = entries;
  // The one value that differs stands for itself.
  if (entries.length === 1 && only?.kind === 'changed' && only.path !== undefined) {
    const { path, expected: wanted = 'nothing', received: got = 'nothing' } = only;
    return { expected: `${path} of ${what}: ${wanted}`, received: got, ...reason };
  }
  return { expected: what, received: 'a different value', ...reason, entries, ...rest };
}

/** How two texts differ: whole where they are short, else around the first differing character. */
function textDifference(what: string, expected: string, received: string): Difference {
  if (expected.length <= entryCharacters && received.length <= entryCharacters)
    return { expected: `${what}: ${valueText(expected)}`, received: valueText(received) };
  const from = firstDifference(expected, received);
  const around = (text: string): string => {
    const start = Math.max(0, from - contextBefore);
    const end = from + contextAfter;
    return `${start > 0 ? '…' : ''}${jsonOf(text.slice(start, end)).slice(1, -1)}${end < text.length ? '…' : ''}`;
  };
  return {
    expected: `${what} of ${expected.length} characters`,
    received: `${received.length} characters`,
    entries: [
      {
        kind: 'changed',
        path: `character ${from + 1}`,
        expected: `"${around(expected)}"`,
        received: `"${around(received)}"`,
      },
    ],
  };
}

function firstDifference(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let index = 0;
  while (index < end && one[index] === other[index]) index += 1;
  return index;
}

/**
 * How two lists differ: what is missing, unexpected, repeated, and, unless the order is free, out of order.
 * @param what what the lists hold: `experiments`
 */
export function listDifference(
  what: string,
  expected: readonly unknown[],
  received: readonly unknown[],
  { ordered = true }: { readonly ordered?: boolean } = {},
): Difference {
  const wanted = counted(expected);
  const seen = new Map<string, number>();
  const places = new Map(expected.map((value, index) => [jsonOf(value), index]));
  const unexpected: DifferenceEntry[] = [];
  const repeated: DifferenceEntry[] = [];
  const common: { readonly text: string; readonly place: number }[] = [];
  for (const value of received) {
    const text = jsonOf(value);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (!wanted.has(text) && times === 1) unexpected.push({ kind: 'unexpected', received: cutText(text) });
    else if (times > (wanted.get(text) ?? 1)) repeated.push({ kind: 'repeated', received: cutText(text) });
    else common.push({ text, place: places.get(text) ?? 0 });
  }
  const missing = [...wanted].flatMap(([text, times]): DifferenceEntry[] =>
    (seen.get(text) ?? 0) < times ? [{ kind: 'missing', expected: cutText(text) }] : [],
  );
  const inOrder = ordered ? longestIncreasing(common.map(({ place }) => place)) : undefined;
  const outOfOrder = common.flatMap(({ text }, index): DifferenceEntry[] =>
    inOrder === undefined || inOrder.has(index) ? [] : [{ kind: 'out-of-order', received: cutText(text) }],
  );
  return {
    expected: `${expected.length} ${what}`,
    received: String(received.length),
    ...named([...missing, ...unexpected, ...repeated, ...outOfOrder]),
  };
}

function counted(values: readonly unknown[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(jsonOf(value), (counts.get(jsonOf(value)) ?? 0) + 1);
  return counts;
}

/** Indexes of a longest subsequence that does not decrease: all others are what is out of order. */
function longestIncreasing(values: readonly number[]): ReadonlySet<number> {
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [index, value] of values.entries()) {
    let length = ends.findIndex((end) => (values[end] ?? 0) > value);
    if (length === -1) length = ends.length;
    before[index] = ends[length - 1];
    ends[length] = index;
  }
  const found = new Set<number>();
  for (let index = ends.at(-1); index !== undefined; index = before[index]) found.add(index);
  return found;
}

/** Where two JSON values differ, path by path. */
function* pathEntries(
  expected: unknown,
  received: unknown,
  path: string,
  depth: number,
): Generator<DifferenceEntry> {
  if (expected === received) return;
  if (isContainer(expected) && isContainer(received) && Array.isArray(expected) === Array.isArray(received)) {
    if (depth < comparedDepth) {
      const wanted = new Map(Object.entries(expected));
      const got = new Map(Object.entries(received));
      for (const key of new Set([...wanted.keys(), ...got.keys()])) {
        const inner = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        if (!got.has(key)) yield { kind: 'missing', path: inner, expected: entryText(wanted.get(key)) };
        else if (!wanted.has(key))
          yield { kind: 'unexpected', path: inner, received: entryText(got.get(key)) };
        else yield* pathEntries(wanted.get(key), got.get(key), inner, depth + 1);
      }
      return;
    }
    if (isSame(expected, received)) return;
  }
  yield { kind: 'changed', path, expected: entryText(expected), received: entryText(received) };
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    return isDeepStrictEqual(one, other);
  } catch {
    // Deeper than the stack: whatever a server sends may be.
    return false;
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isListOfScalars(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((each) => !isContainer(each));
}

function named(all: readonly DifferenceEntry[]): { entries: readonly DifferenceEntry[]; more?: number } {
  const entries = all.slice(0, namedEntries);
  return all.length > entries.length ? { entries, more: all.length - entries.length } : { entries };
}

/** JSON text; of what JSON cannot say (too deep, a cycle) its kind. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Array.isArray(value) ? '[…]' : '{…}';
  }
}

function cutText(text: string): string {
  return text.length <= entryCharacters ? text : `${text.slice(0, entryCharacters)}…`;
}

function entryText(value: unknown): string {
  return cutText(jsonOf(value));
}

const kindWords: Readonly<Record<DifferenceEntry['kind'], string>> = {
  missing: 'missing',
  unexpected: 'unexpected',
  repeated: 'repeated',
  'out-of-order': 'out of order',
  changed: 'changed',
};

/** One entry in words: `missing "exp_7"`, `/name: expected "a", received "b"`. */
export function entryLine({ kind, path, expected, received }: DifferenceEntry): string {
  if (kind === 'changed')
    return `${path === '' ? '' : `${path}: `}expected ${expected}, received ${received}`;
  const value = kind === 'missing' ? expected : received;
  return `${kindWords[kind]}${path === undefined ? '' : ` ${path}:`} ${value}`;
}

/** The entries in words, one line each; those of one kind without a path on one line. Empty where there are none. */
export function entryLines({ entries = [], more = 0 }: Difference): string[] {
  const lines: string[] = [];
  const withoutPath = entries.filter(({ path }) => path === undefined);
  for (const kind of new Set(withoutPath.map((entry) => entry.kind))) {
    const values = withoutPath.filter((entry) => entry.kind === kind);
    lines.push(
      `${kindWords[kind]} ${values.map(({ expected, received }) => expected ?? received ?? '').join(', ')}`,
    );
  }
  lines.push(...entries.filter(({ path }) => path !== undefined).map(entryLine));
  return more === 0 ? lines : [...lines, `and ${more} more`];
}

/** The difference on one line: `expected 400, because …; received 200`. */
export function differenceLine(difference: Difference): string {
  const { expected, received, because } = difference;
  const rest = entryLines(difference).map((line) => `; ${line}`);
  return `expected ${expected}${because === undefined ? '' : `, because ${because}`}; received ${received}${rest.join('')}`;
}
