/** Names and values in the order in which they stand. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * The pairs of a query or of an `application/x-www-form-urlencoded` body: `+` is a blank, `%XX` is UTF-8.
 * Undefined where an escape is broken or is not UTF-8.
 */
export function parsePairs(text: string): Pairs | undefined {
  if (text === '') return [];
  const pairs: [string, string][] = [];
  // Without an array of all parts: a megabyte of `&` would make a million of them.
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    while (text[start] === '&') start += 1;
    end = text.indexOf('&', start);
    if (end < 0) end = text.length;
    if (end === start) continue;
    const part = text.slice(start, end);
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : decode(part.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return pairs;
}

/** `%XX` decoded as UTF-8; undefined where an escape is broken. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function decode(text: string): string | undefined {
  return /[%+]/.test(text) ? percentDecode(text.replaceAll('+', ' ')) : text;
}
