import { unescapeText } from './unescape.ts';

/** No output may contain this many consecutive characters of a secret. */
const minimumMatch = 12;

/** The same for the claims of a token. Other texts contain fewer of them, such as a checkpoint with a time in base64. */
const claimsMinimumMatch = 24;

/** Shorter texts are not treated as secrets: replacing them would garble what is recorded. */
const shortestSecret = 6;

/** Signatures that wait to be indexed: more than the tokens that are in use, or shown in a report, at a time. */
const maximumSignatures = 2_000;

/** Layers of escaping that are looked through: a URL in JSON in JSON. */
const layers = 3;

/** A stretch of a text that is to be replaced. */
interface Match {
  readonly start: number;
  end: number;
  readonly placeholder: string;
}

/**
 * All secrets of a run. No text that was scrubbed contains 12 characters of one in a row, or 24 of a token's header and claims: as
 * they are, in another case, escaped for JSON, JavaScript, HTML or a URL, or in base64 or hexadecimal. JSON Web Tokens are found by
 * their shape, known or not.
 */
export class Secrets {
  /** The placeholder for each run of characters, in lower case, by the length of the runs. */
  readonly #runs = new Map<number, Map<string, string>>();
  /** Secrets of fewer characters, in lower case. */
  readonly #short = new Map<string, string>();
  readonly #known = new Set<string>();
  readonly #kept = new Set<string>();
  /** Secrets that are not indexed yet: most tokens of a run are added long before anything is written. */
  #added: [secret: string, placeholder: string, length: number][] = [];
  /** The signatures of the tokens that were minted last, of those that are not indexed yet. */
  readonly #signatures = new Set<string>();

  /** Texts of the suite itself, such as the id of a requirement. `scrub` does not change them. */
  keep(texts: Iterable<string>): void {
    for (const text of texts) this.#kept.add(text);
  }

  /** Adds a secret, which is replaced by the placeholder: `$TOKEN`, `$CLIENT_SECRET`. */
  add(secret: string, placeholder = '$TOKEN'): void {
    if (secret.length < shortestSecret || this.#known.has(secret)) return;
    this.#known.add(secret);
    const [, signature] = /^eyJ[\w-]+\.eyJ[\w-]+\.([\w-]+)$/.exec(secret) ?? [];
    this.#added.push([secret, placeholder, signature === undefined ? minimumMatch : claimsMinimumMatch]);
    if (signature !== undefined) this.add(signature, placeholder);
  }

  /**
   * Adds a token that the suite made itself. Its header and claims are recorded; the secret is its signature, the third of its
   * parts. A run on a large contract mints tens of thousands, so only the last ones are kept; of the others, what is shown as a
   * token is found by its shape.
   */
  addMinted(token: string): void {
    const signature = token.split('.')[2] ?? token;
    // The signature of a token that is sent again counts as recent.
    this.#signatures.delete(signature);
    this.#signatures.add(signature);
    const [oldest] = this.#signatures;
    if (this.#signatures.size > maximumSignatures && oldest !== undefined) this.#signatures.delete(oldest);
  }

  #index(secret: string, placeholder: string, length: number): void {
    const runs = this.#runs.get(length) ?? new Map<string, string>();
    this.#runs.set(length, runs);
    const octets = Buffer.from(secret, 'utf8').toString('latin1');
    for (const form of new Set([secret, octets, unescapeText(secret).text])) {
      const folded = lowerCase(form);
      if (folded.length < length) this.#short.set(folded, placeholder);
      for (let end = length; end <= folded.length; end++) {
        const run = folded.slice(end - length, end);
        // A run of one repeated character, such as blanks, is not a secret.
        if (run !== run.charAt(0).repeat(length)) runs.set(run, runs.get(run) ?? placeholder);
      }
    }
  }

  /** The text with a placeholder for every secret. Takes time linear in the length of the text, whatever it contains. */
  scrub(text: string): string {
    if (this.#kept.has(text)) return text;
    for (const signature of this.#signatures) this.add(signature);
    this.#signatures.clear();
    for (const added of this.#added) this.#index(...added);
    this.#added = [];
    return replaceMatches(text, [...findTokens(text), ...this.#findInLayers(text)]);
  }

  /** The matches in the text and in each layer of escaping, all with their place in the text. */
  *#findInLayers(text: string): Generator<Match> {
    let before = text;
    let layer = unescapeText(text);
    for (const match of this.#find(text)) yield withWholeEscapes(match, layer.starts);
    for (let depth = 1; depth < layers && layer.text !== before; depth++) {
      const { starts } = layer;
      for (const { start, end, placeholder } of this.#find(layer.text))
        yield { start: starts[start] ?? 0, end: starts[end] ?? 0, placeholder };
      before = layer.text;
      layer = unescapeText(before, starts);
    }
  }

  #find(text: string): Match[] {
    if (this.#known.size === 0 || text.length < shortestSecret) return [];
    const matches = this.#findPlain(text);
    // Hexadecimal digits are letters of base64, too.
    for (const { 0: run, index } of text.matchAll(/[\w+/-]{16,4096}/g)) {
      const placeholder = this.#findEncoded(run);
      if (placeholder !== undefined) matches.push({ start: index, end: index + run.length, placeholder });
    }
    return matches;
  }

  #findPlain(text: string): Match[] {
    const matches: Match[] = [];
    const folded = lowerCase(text);
    for (const [length, runs] of this.#runs) {
      let last: Match | undefined;
      for (let end = length; end <= folded.length; end++) {
        const start = end - length;
        const placeholder = runs.get(folded.slice(start, end));
        if (placeholder === undefined) continue;
        if (last !== undefined && last.end >= start) {
          last.end = end;
          continue;
        }
        last = { start, end, placeholder };
        matches.push(last);
      }
    }
    for (const [secret, placeholder] of this.#short) {
      for (let start = folded.indexOf(secret); start >= 0; start = folded.indexOf(secret, start + 1)) {
        const end = start + secret.length;
        // Within a longer word, it is not the secret.
        const isPart =
          /\w\w/.test(folded.slice(Math.max(0, start - 1), start + 1)) ||
          /\w\w/.test(folded.slice(end - 1, end + 1));
        if (!isPart) matches.push({ start, end, placeholder });
      }
    }
    return matches;
  }

  /** The placeholder of a secret within text in base64, base64url or hexadecimal, wherever its first character stands. */
  #findEncoded(run: string): string | undefined {
    const decoded = [0, 1, 2, 3].map((offset) => Buffer.from(run.slice(offset), 'base64'));
    for (const { 0: digits } of run.matchAll(/[\da-f]{24,}/gi))
      decoded.push(...[0, 1].map((offset) => Buffer.from(digits.slice(offset), 'hex')));
    for (const bytes of decoded) {
      const [match] = this.#findPlain(bytes.toString('latin1'));
      if (match !== undefined) return match.placeholder;
    }
    return undefined;
  }
}

/** The text in lower case; its length stays, as `İ` is the one letter that would become two characters. */
function lowerCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}

/** The match, extended to whole escape sequences: JSON stays JSON. @param starts the position of each character */
function withWholeEscapes({ start, end, placeholder }: Match, starts: Uint32Array): Match {
  const [first, last] = [lastAtMost(starts, start), lastAtMost(starts, end - 1)];
  return { start: starts[first] ?? start, end: starts[last + 1] ?? end, placeholder };
}

/** The index of the last number that is at most the limit, of numbers in ascending order from 0. */
function lastAtMost(numbers: Uint32Array, limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle;
  }
  return low;
}

function replaceMatches(text: string, matches: Match[]): string {
  matches.sort((one, other) => one.start - other.start || other.end - one.end);
  let scrubbed = '';
  let end = 0;
  for (const match of matches) {
    if (match.end <= end) continue;
    if (match.start >= end) scrubbed += text.slice(end, match.start) + match.placeholder;
    end = match.end;
  }
  return scrubbed + text.slice(end);
}

/** JSON Web Tokens by their shape. By hand, because a regular expression runs out of stack on a hostile text of megabytes. */
function* findTokens(text: string): Generator<Match> {
  for (let start = text.indexOf('eyJ'); start >= 0; ) {
    const first = endOfPart(text, start);
    const second = text[first] === '.' ? endOfPart(text, first + 1) : first;
    const end = second > first + 1 && text[second] === '.' ? endOfPart(text, second + 1) : second;
    if (end > second) yield { start, end, placeholder: '$TOKEN' };
    start = text.indexOf('eyJ', end > second ? end : first);
  }
}

/** The end of the base64url text that begins here. */
function endOfPart(text: string, start: number): number {
  let end = start;
  while (end < text.length && /[\w-]/.test(text.charAt(end))) end++;
  return end;
}
