import { percentDecode } from '../contract/styles.ts';

/** Names and values, in order. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * The pairs of a query or of an `application/x-www-form-urlencoded` body.
 * Undefined if a percent-encoding is invalid or is not UTF-8.
 */
export function parsePairs(text: string): Pairs | undefined {
  if (text === '') return [];
  // URLSearchParams would drop a question mark at the start, but not after a separator.
  return percentDecode(text) === undefined ? undefined : [...new URLSearchParams(`&${text}`)];
}
