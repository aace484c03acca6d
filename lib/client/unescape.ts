/** Escape sequences of JSON and JavaScript, of URLs and forms, and of HTML. */
const escapeSequence =
  /\\u[\da-f]{4}|\\x[\da-f]{2}|\\[^ux]|%[\da-f]{2}|&(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[\da-f]{1,5});|\+/gi;

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Replaces each escape sequence by one character; octets of a URL are read as ISO 8859-1.
 * @param from the `starts` of the text itself, if it was unescaped before
 * @returns `starts`: the positions in the escaped text at which each character begins and the last one ends, in ascending order
 */
export function unescapeText(text: string, from?: Uint32Array) {
  const starts = new Uint32Array(text.length + 1);
  let unescaped = '';
  let end = 0;
  const keepUntil = (next: number) => {
    for (let index = end; index < next; index++)
      starts[unescaped.length + index - end] = from?.[index] ?? index;
    unescaped += text.slice(end, next);
  };
  for (const { 0: sequence, index } of text.matchAll(escapeSequence)) {
    keepUntil(index);
    starts[unescaped.length] = from?.[index] ?? index;
    unescaped += character(sequence);
    end = index + sequence.length;
  }
  keepUntil(text.length);
  starts[unescaped.length] = from?.[text.length] ?? text.length;
  return { text: unescaped, starts: starts.subarray(0, unescaped.length + 1) };
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
