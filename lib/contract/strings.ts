import fc, { type Arbitrary } from 'fast-check';
import { NotGenerated } from './not-generated.ts';
import { textsOf } from './patterns.ts';
import type { Schema } from './schema.ts';

/** Number of texts that are tried to find one with the right form and length. */
const tried = 40;

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
    const { form, texts } = textsOf(pattern) ?? {};
    if (form === undefined || texts === undefined)
      throw new NotGenerated(`no text is generated for the pattern ${pattern}`);
    return found(texts, (text) => form.test(text) && fits(text), `that matches the pattern ${pattern}`);
  }
  const made = Object.hasOwn(formats, format) ? formats[format]?.() : undefined;
  if (made !== undefined) {
    const texts =
      format === 'email' || format.startsWith('ur') ? made.map((text) => padded(text, minLength)) : made;
    return found(texts, fits, `of the format ${format} and its length`);
  }
  if (plain) return fc.constant('conformance'.padEnd(minLength, '_').slice(0, maxLength));
  const shortest = Math.min(minLength, maxLength);
  return fc.string({ minLength: shortest, maxLength: Math.min(maxLength, shortest + furtherCharacters) });
}

/** Pads a URL at its end, or an email address at its beginning. */
function padded(text: string, length: number): string {
  const missing = 'a'.repeat(Math.max(0, length - text.length));
  return text.includes('@') ? missing + text : text + missing;
}

function found(texts: Arbitrary<string>, fits: (text: string) => boolean, what: string): Arbitrary<string> {
  if (!fc.sample(texts, { numRuns: tried, seed: 1 }).some(fits))
    throw new NotGenerated(`no text is found ${what}`);
  return texts.filter(fits);
}
