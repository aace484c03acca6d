/** Names and values in the order in which they stand. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * The pairs of a query or of an `application/x-www-form-urlencoded` body.
 * Undefined where a percent-encoding is broken or is not UTF-8.
 */
export function parsePairs(text: string): Pairs | undefined {
  if (text === '') return [];
  // The separator in front keeps a question mark at the start, which URLSearchParams would drop.
  return percentDecode(text) === undefined ? undefined : [...new URLSearchParams(`&${text}`)];
}

/** `%XX` decoded as UTF-8; undefined where an escape is broken. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
