/** A text without one layer of escaping, and where its characters stand in the text that it was made of. */
export interface Unescaped {
  readonly text: string;
  /** The stretch of the escaped text that a stretch of the unescaped one was made of. */
  source(start: number, end: number): [start: number, end: number];
  /** A stretch of the escaped text, widened so that no escape sequence is cut in two. */
  widen(start: number, end: number): [start: number, end: number];
}

/** Escape sequences of JSON and JavaScript, of URLs and forms, and of HTML. */
const escapeSequence =
  /\\u[\da-f]{4}|\\x[\da-f]{2}|\\[^ux]|%[\da-f]{2}|&(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[\da-f]{1,5});|\+/gi;

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Replaces each escape sequence by one character; octets of a URL are read as ISO 8859-1. */
export function unescapeText(text: string): Unescaped {
  /** Where each sequence stands in the unescaped text, and where it begins and ends in the escaped one. */
  const at: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let unescaped = '';
  let end = 0;
  for (const { 0: sequence, index } of text.matchAll(escapeSequence)) {
    unescaped += text.slice(end, index);
    at.push(unescaped.length);
    starts.push(index);
    end = index + sequence.length;
    ends.push(end);
    unescaped += character(sequence);
  }
  unescaped += text.slice(end);

  const sourceOf = (position: number, isEnd: boolean): number => {
    // The last sequence that begins at or before the character.
    const last = lastAtMost(at, isEnd ? position - 1 : position);
    if (last < 0) return position;
    const [place = 0, start = 0, after = 0] = [at[last], starts[last], ends[last]];
    if (!isEnd) return position === place ? start : after + position - place - 1;
    return after + position - place - 1;
  };
  return {
    text: unescaped,
    source: (start, stop) => [sourceOf(start, false), sourceOf(stop, true)],
    widen(start, stop) {
      const first = lastAtMost(starts, start);
      const last = lastAtMost(starts, stop - 1);
      return [start < (ends[first] ?? 0) ? (starts[first] ?? start) : start, Math.max(stop, ends[last] ?? 0)];
    },
  };
}

function character(sequence: string): string {
  if (sequence === '+') return ' ';
  const name = sequence.slice(1);
  if (sequence.startsWith('%')) return String.fromCharCode(Number.parseInt(name, 16));
  if (sequence.startsWith('\\')) {
    if (name.length > 1) return String.fromCharCode(Number.parseInt(name.slice(1), 16));
    return controls[name] ?? name;
  }
  const entity = name.slice(0, -1).toLowerCase();
  if (!entity.startsWith('#')) return entities[entity] ?? ' ';
  const code = entity.startsWith('#x') ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  // One character, so that positions can be counted.
  return String.fromCharCode(code);
}

/** The index of the last number that is at most the limit, of numbers in ascending order; -1 if none is. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
