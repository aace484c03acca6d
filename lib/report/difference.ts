import type { Difference, DifferenceEntry } from './report.ts';
import { wordsOf } from './summary.ts';
import { escapeUnit, plural, truncate } from './text.ts';

/** Entries of a difference that are named before the rest is counted only. */
const namedEntries = 5;

/** Characters of a value in an entry, and of one in a message. */
const entryCharacters = 120;
const valueCharacters = 300;

/** Characters of a text around the first difference. */
const contextBefore = 24;
const contextAfter = 48;

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
  const difference =
    isListOfScalars(expected) && isListOfScalars(received)
      ? listDifference(what, expected, received)
      : valueDifference(what, expected, received);
  return { ...difference, ...(because !== undefined && { because }) };
}

function valueDifference(what: string, expected: unknown, received: unknown): Difference {
  const all = [...pathEntries(expected, received, '')];
  const [only] = all;
  // A single value that differs needs no entry.
  if (all.length === 1 && only?.kind === 'changed') {
    const { path = '', expected: wanted = 'nothing', received: got = 'nothing' } = only;
    return { expected: `${path === '' ? '' : `${path} of `}${what}: ${wanted}`, received: got };
  }
  return { expected: what, received: 'a different value', ...firstEntries(all) };
}

/** How two texts at a path differ: short ones are shown whole, others around the first differing character. */
function textEntry(path: string, expected: string, received: string): DifferenceEntry {
  if (Math.max(expected.length, received.length) <= entryCharacters) {
    // Normal forms of one text look alike, so they are shown in ASCII.
    const isAlike = expected.normalize('NFKC') === received.normalize('NFKC');
    const whole = (text: string) => (isAlike ? jsonOf(text).replace(/[^ -~]/g, escapeUnit) : jsonOf(text));
    return { kind: 'changed', path, expected: whole(expected), received: whole(received) };
  }
  let from = 0;
  while (from < expected.length && expected[from] === received[from]) from += 1;
  const around = (text: string): string => {
    const start = Math.max(0, from - contextBefore);
    const end = from + contextAfter;
    return `"${start > 0 ? '…' : ''}${jsonOf(text.slice(start, end)).slice(1, -1)}${end < text.length ? '…' : ''}"`;
  };
  const place = `character ${from + 1}`;
  return {
    kind: 'changed',
    path: path === '' ? place : `${path}, ${place}`,
    expected: around(expected),
    received: around(received),
  };
}

/**
 * How two lists differ: what is missing, unexpected, repeated and out of order.
 * @param what what the lists contain: `experiments`
 */
function listDifference(
  what: string,
  expected: readonly unknown[],
  received: readonly unknown[],
): Difference {
  const wanted = new Map<string, number>();
  for (const text of expected.map(jsonOf)) wanted.set(text, (wanted.get(text) ?? 0) + 1);
  const seen = new Map<string, number>();
  const places = new Map(expected.map((value, index) => [jsonOf(value), index]));
  const unexpected: DifferenceEntry[] = [];
  const repeated: DifferenceEntry[] = [];
  const outOfOrder: DifferenceEntry[] = [];
  let last = 0;
  for (const value of received) {
    const text = jsonOf(value);
    const times = (seen.get(text) ?? 0) + 1;
    const place = places.get(text) ?? 0;
    seen.set(text, times);
    if (!wanted.has(text) && times === 1) unexpected.push({ kind: 'unexpected', received: entryText(value) });
    else if (times > (wanted.get(text) ?? 1)) repeated.push({ kind: 'repeated', received: entryText(value) });
    else if (place < last) outOfOrder.push({ kind: 'out-of-order', received: entryText(value) });
    else last = place;
  }
  const missing = [...wanted]
    .filter(([text, times]) => (seen.get(text) ?? 0) < times)
    .map(([text]): DifferenceEntry => ({ kind: 'missing', expected: truncate(text, entryCharacters) }));
  const others = missing.length > 0 ? 'not the same' : 'in another order';
  return {
    expected:
      expected.length === 0
        ? `no ${what.replace(/^the /, '')}`
        : `${what}: ${plural(expected.length, 'item')}`,
    received: `${plural(received.length, 'item')}${received.length === expected.length ? `, ${others}` : ''}`,
    ...firstEntries([...missing, ...unexpected, ...repeated, ...outOfOrder]),
  };
}

/** Where two JSON values differ, path by path. Deeply nested values from a target are compared only to a limited depth. */
function* pathEntries(expected: unknown, received: unknown, path: string): Generator<DifferenceEntry> {
  if (expected === received) return;
  if (typeof expected === 'string' && typeof received === 'string')
    return yield textEntry(path, expected, received);
  if (!isContainer(expected) || !isContainer(received) || Array.isArray(expected) !== Array.isArray(received))
    return yield { kind: 'changed', path, expected: entryText(expected), received: entryText(received) };
  const wanted = new Map(Object.entries(expected));
  const got = new Map(Object.entries(received));
  for (const key of new Set([...wanted.keys(), ...got.keys()])) {
    const inner = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!got.has(key)) yield { kind: 'missing', path: inner, expected: entryText(wanted.get(key)) };
    else if (!wanted.has(key)) yield { kind: 'unexpected', path: inner, received: entryText(got.get(key)) };
    else yield* pathEntries(wanted.get(key), got.get(key), inner);
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isListOfScalars(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((each) => !isContainer(each));
}

function firstEntries(all: readonly DifferenceEntry[]): Pick<Difference, 'more'> & { entries: typeof all } {
  const entries = all.slice(0, namedEntries);
  return all.length > entries.length ? { entries, more: all.length - entries.length } : { entries };
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

/** The value as truncated JSON, for messages. */
export function show(value: unknown): string {
  return truncate(jsonOf(value), valueCharacters);
}

function entryText(value: unknown): string {
  return truncate(jsonOf(value), entryCharacters);
}

/** One entry in words: `missing "exp_7"`, `/name: expected "a", received "b"`. */
function entryLine({ kind, path, expected, received }: DifferenceEntry): string {
  if (kind === 'changed')
    return `${path === '' ? '' : `${path}: `}expected ${expected}, received ${received}`;
  const value = kind === 'missing' ? expected : received;
  return `${wordsOf(kind)}${path === undefined ? '' : ` ${path}:`} ${value}`;
}

/** The entries in words, one line each; those of one kind without a path on one line. Empty if there are none. */
export function entryLines({ entries = [], more = 0 }: Difference): string[] {
  const withoutPath = entries.filter(({ path }) => path === undefined);
  const lines = [...new Set(withoutPath.map(({ kind }) => kind))].map((kind) => {
    const values = withoutPath.filter((entry) => entry.kind === kind);
    return `${wordsOf(kind)} ${values.map(({ expected, received }) => expected ?? received).join(', ')}`;
  });
  lines.push(...entries.filter(({ path }) => path !== undefined).map(entryLine));
  return more === 0 ? lines : [...lines, `and ${more} more`];
}

/** The difference on one line: `expected 400, because …; received 200`. */
export function differenceLine(difference: Difference): string {
  const { expected, received, because } = difference;
  const rest = entryLines(difference).map((line) => `; ${line}`);
  return `expected ${expected}${because === undefined ? '' : `, because ${because}`}; received ${received}${rest.join('')}`;
}
