import fc, { type Arbitrary } from 'fast-check';
import { NotGenerated } from './not-generated.ts';
import type { Schema } from './schema.ts';
import { regExpOf } from './validation.ts';

/** Number of texts that are tried to find one with the right form and length. */
const maximumTries = 40;

/** Maximum number of characters beyond the minimum length. */
const furtherCharacters = 40;

const letters = [...'abcdefghijklmnopqrstuvwxyz'];

/** Words of lower-case letters. fast-check's own string arbitraries take milliseconds to create, to try dangerous strings. */
export function word(minLength: number, maxLength: number): Arbitrary<string> {
  return fc.array(fc.constantFrom(...letters), { minLength, maxLength }).map((each) => each.join(''));
}

/** URLs. fast-check's own arbitrary builds a table of all code points, which stays in memory. */
const urls = () => fc.tuple(word(2, 10), word(0, 8)).map(([host, path]) => `https://${host}.example/${path}`);

const year2100 = new Date('2100-01-01');
const dates = fc
  .date({ min: new Date(0), max: year2100, noInvalidDate: true })
  .map((date) => date.toISOString());

const formats: Readonly<Record<string, () => Arbitrary<string>>> = {
  'date-time': () => dates,
  date: () => dates.map((text) => text.slice(0, 10)),
  time: () => dates.map((text) => text.slice(11)),
  duration: () => fc.integer({ min: 1, max: 500 }).map((days) => `P${days}D`),
  uuid: () => fc.uuid(),
  email: () => fc.tuple(word(1, 10), word(2, 10)).map(([user, host]) => `${user}@${host}.example`),
  uri: urls,
  url: urls,
  iri: urls,
  'uri-reference': () => word(0, 8).map((path) => `/${path}`),
  'json-pointer': () => word(1, 6).map((name) => `/${name}`),
  regex: () => word(1, 8),
  byte: () => fc.base64String({ maxLength: furtherCharacters }),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  hostname: () => fc.domain(),
};

/**
 * Texts that match a string schema.
 * @param plain true for a plain word if neither a pattern nor a format is declared
 * @throws NotGenerated if none is found for its pattern, format and length
 */
export function validString(schema: Schema, plain: boolean): Arbitrary<string> {
  const {
    pattern,
    format = '',
    minLength = pattern === undefined ? 1 : 0,
    maxLength = Number.POSITIVE_INFINITY,
  } = schema;
  const fits = (text: string) => {
    const { length } = [...text];
    return length >= minLength && length <= maxLength;
  };
  if (pattern !== undefined) {
    const texts = textsOf(pattern);
    if (texts === undefined) throw new NotGenerated(`no text is generated for the pattern ${pattern}`);
    return filtered(texts, fits, `that matches the pattern ${pattern}`);
  }
  const made = Object.hasOwn(formats, format) ? formats[format]?.() : undefined;
  if (made !== undefined) return filtered(made, fits, `of the format ${format} and its length`);
  if (plain) return fc.constant('conformance'.padEnd(minLength, '_').slice(0, maxLength));
  const shortest = Math.min(minLength, maxLength);
  return fc.string({ minLength: shortest, maxLength: Math.min(maxLength, shortest + furtherCharacters) });
}

/** A cache: patterns are repeated in a document, and some take fast-check seconds. */
const byPattern = new Map<string, Arbitrary<string> | undefined>();

function textsOf(pattern: string): Arbitrary<string> | undefined {
  if (!byPattern.has(pattern)) byPattern.set(pattern, matching(pattern));
  return byPattern.get(pattern);
}

/** Texts that match common patterns, for patterns for which fast-check generates none. */
const commonTexts = [
  ...['', 'Hello, world'],
  ...'a abc Abc-1 ABC 1 12 1234 123456 0.5 true #a0b1c2 en en-US US EUR https://example.com 12:30 /path'.split(
    ' ',
  ),
  ...'2024-01-01T00:00:00.000Z 2024-01-01 12:00:00Z P1D user@example.com 192.0.2.1 2001:db8::1'.split(' '),
  ...'00000000-0000-4000-8000-000000000000 example.com +15551234567 1.2.3 507f1f77bcf86cd799439011 aGVsbG8= Password1!'.split(
    ' ',
  ),
];

/** Maximum length of a pattern for which fast-check generates texts quickly. */
const longestPattern = 500;

/** Texts generated from a pattern, or else the common texts that match it; undefined if there are none or it is not one. */
function matching(pattern: string): Arbitrary<string> | undefined {
  let matches: readonly string[] = [];
  try {
    const form = regExpOf(pattern);
    matches = commonTexts.filter((text) => form.test(text));
    if (pattern.length <= longestPattern)
      return fc.stringMatching(form, { size: 'small' }).filter((text) => form.test(text));
  } catch {
    // Not a regular expression, or fast-check does not support one of its assertions.
  }
  return matches.length === 0 ? undefined : fc.constantFrom(...matches);
}

function filtered(
  texts: Arbitrary<string>,
  fits: (text: string) => boolean,
  what: string,
): Arbitrary<string> {
  if (!fc.sample(texts, { numRuns: maximumTries, seed: 1 }).some(fits))
    throw new NotGenerated(`no text is found ${what}`);
  return texts.filter(fits);
}
