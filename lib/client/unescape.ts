/** Escape sequences of JSON and JavaScript, of URLs and forms, and of HTML. */
const escapeSequence =
  /\\u[\da-f]{4}|\\x[\da-f]{2}|\\[^ux]|%[\da-f]{2}|&(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[\da-f]{1,5});|\+/gi;

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Replaces each escape sequence by one character; octets of a URL are read as ISO 8859-1. */
export function unescapeText(text: string): string {
  return text.replaceAll(escapeSequence, character);
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
  return String.fromCharCode(code);
}
