// What a target sends ends up on terminals and in browsers. Everything here makes such text safe to display.

/** The length at which long text is cut, unless a caller gives another. */
const shownCharacters = 2_000;

/**
 * Characters that control how text is displayed: control characters (terminal escapes begin with one), marks that change
 * the direction of text, invisible ones, line separators, halves of surrogate pairs, and more combining marks in a row than any
 * language uses. The two joiners stay: words need them.
 */
const unsafe =
  /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u115f\u1160\u3164\uffa0]|\p{M}(?<=\p{M}{5})/gu;

/** The same without line feeds and tabs. */
const unsafeInLines = new RegExp(`(?![\\n\\t])(?:${unsafe.source})`, unsafe.flags);

/** The text on one line, with every unsafe character escaped: `\n`, `\u{1b}`. */
export function visible(text: string): string {
  return text.replace(unsafe, escapeCharacter);
}

/** The same, but line feeds and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(unsafeInLines, escapeCharacter);
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/**
 * The text with everything broken up that a CI runner would take for a command in a log: `::name::` (GitHub Actions, which reads
 * it at the beginning of a line), `##[name]` and `##vso[name]` (Azure Pipelines and GitHub Actions, anywhere in a line). An
 * IPv6 address stays as it is.
 */
export function withoutWorkflowCommands(text: string): string {
  return text.replace(/::(?=[^\s:\]/?#]*(?:\s|::|$))/gm, ': :').replace(/##(?=\[|vso\[)/gi, '# #');
}

/** The start of the text, as a copy: a slice would keep all of a text of megabytes alive. */
export function copyOfStart(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length), 'utf16le').toString('utf16le');
}

/** The start of the text, with a note of how much is missing. */
export function truncate(text: string, length: number = shownCharacters): string {
  if (text.length <= length) return text;
  const code = text.charCodeAt(length - 1);
  const end = code >= 0xd800 && code <= 0xdbff ? length - 1 : length;
  return `${copyOfStart(text, end)}… (${count(text.length - end)} more characters)`;
}

/** A UTF-16 code unit as an escape of JSON: `\u202e`. */
export const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The value as JSON text that is safe to display: unsafe characters are escaped (`\\u202e`). */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replace(unsafeInLines, (character) =>
    character.split('').map(escapeUnit).join(''),
  );
  return `${text}\n`;
}

/** The text truncated and on one line: for text that may contain something from the target. */
export function line(text: string, length: number = shownCharacters): string {
  return visible(truncate(text, length));
}

/** A value as compact JSON, truncated and on one line. */
export function inputText(value: unknown, length: number = shownCharacters): string {
  return line(JSON.stringify(value) ?? String(value), length);
}

/** The whole number 12345 as `12,345`. The first `toLocaleString` of a process would take as long as a hundred requests. */
export function count(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 request`, `2 requests`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** The first of the texts, and how many more: `a, b and 3 more`. */
export function listFirst(texts: readonly string[], most = 5): string {
  const rest = texts.length - most;
  return `${texts.slice(0, most).join(', ')}${rest > 0 ? ` and ${count(rest)} more` : ''}`;
}

/** `DOES NOT CONFORM` as `Does not conform`. */
export function sentenceCase(words: string): string {
  return `${words.charAt(0)}${words.slice(1).toLowerCase()}`;
}

/** Milliseconds as text: `850 ms`, `12.3 s`, `3 min 20 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{10ffff}]/u;
const combining = /[\p{Mark}\u200c\u200d]/u;

/** Columns that the text takes on a terminal: wide characters take two, combining ones none. */
export function columns(text: string): number {
  let width = 0;
  for (const character of text) {
    // Most characters are below the first combining one.
    if (character < '\u0300') width += 1;
    else if (!combining.test(character)) width += wide.test(character) ? 2 : 1;
  }
  return width;
}

/** The text, or its start and an ellipsis if it takes more than `width` columns. */
export function truncateToWidth(text: string, width: number): string {
  if (columns(text) <= width) return text;
  const [first = ''] = splitWord(text, Math.max(1, width - 1));
  return `${first}…`;
}

/** The text's words on lines of at most `width` columns; a longer word is broken. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ').flatMap((word) => splitWord(word, width))) {
    if (current === '') current = word;
    else if (columns(current) + 1 + columns(word) <= width) current += ` ${word}`;
    else {
      lines.push(current);
      current = word;
    }
  }
  lines.push(current);
  return lines;
}

function splitWord(word: string, width: number): string[] {
  if (columns(word) <= width) return [word];
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const character of word) {
    const more = columns(character);
    if (used + more > width) {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += character;
    used += more;
  }
  return [...parts, part];
}
