import fc, { type Arbitrary } from 'fast-check';
import type { Schema } from '../contract/schema.ts';
import { regExpOf } from '../contract/validation.ts';
import { NotGenerated } from './valid.ts';

/** Texts that are tried for one of the right form and length. */
const tried = 40;

/** Characters beyond the least that a text has. */
const furtherCharacters = 40;

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
  email: () => fc.stringMatching(/^[a-z]{1,10}(\.[a-z]{1,8})?@[a-z]{2,10}\.example$/),
  uri: () => fc.webUrl(),
  url: () => fc.webUrl(),
  iri: () => fc.webUrl(),
  'uri-reference': () => fc.webPath().map((path) => path || '/'),
  'json-pointer': () => fc.stringMatching(/^(\/[a-z]{1,6}){1,3}$/),
  regex: () => fc.stringMatching(/^[a-z]{1,8}$/),
  byte: () => fc.base64String({ maxLength: furtherCharacters }),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  hostname: () => fc.domain(),
};

/** Texts of a string schema. @throws NotGenerated where none of its pattern, format and length is found */
export function validString(schema: Schema): Arbitrary<string> {
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
    const { form, texts } = textsOf(pattern);
    return found(texts, (text) => form.test(text) && fits(text), `that matches the pattern ${pattern}`);
  }
  const made = Object.hasOwn(formats, format) ? formats[format]?.() : undefined;
  if (made !== undefined) {
    const texts =
      format === 'email' || format.startsWith('ur') ? made.map((text) => padded(text, minLength)) : made;
    return found(texts, fits, `of the format ${format} and its length`);
  }
  const shortest = Math.min(minLength, maxLength);
  return fc.string({ minLength: shortest, maxLength: Math.min(maxLength, shortest + furtherCharacters) });
}

/** A URL or an address made longer at its beginning or end. */
function padded(text: string, length: number): string {
  const missing = 'a'.repeat(Math.max(0, length - text.length));
  return text.includes('@') ? missing + text : text + missing;
}

function compiled(pattern: string): RegExp {
  try {
    return regExpOf(pattern);
  } catch {
    throw new NotGenerated(`its pattern ${pattern} is not a regular expression`);
  }
}

/** A pattern with the texts that are made for it, some of which may not match. */
interface Form {
  readonly form: RegExp;
  readonly texts: Arbitrary<string>;
}

/** Patterns stand many times in a document, and some take fast-check seconds. */
const forms = new Map<string, Form>();

function textsOf(pattern: string): Form {
  const known = forms.get(pattern);
  if (known !== undefined) return known;
  const form = compiled(pattern);
  const made = { form, texts: matching(form) };
  forms.set(pattern, made);
  return made;
}

/** Texts as they often are behind patterns, for those that fast-check makes none for. */
const usual = [
  ...[
    '',
    'a',
    'abc',
    'Abc-1',
    'ABC',
    '1',
    '12',
    '1234',
    '123456',
    '0.5',
    'true',
    '#a0b1c2',
    'en',
    'en-US',
    'US',
    'EUR',
  ],
  ...[
    'https://example.com',
    'https://example.com/path',
    'http://example.com/',
    'example.com',
    '/path',
    'user@example.com',
  ],
  ...[
    '2024-01-31',
    '12:30',
    '12:30:00',
    '2024-01-31T12:30:00Z',
    '+15551234567',
    '192.0.2.1',
    '2001:db8::1',
    '1.2.3',
  ],
  ...[
    '5f0c1c0e-8a3c-4c1e-9b1a-2d9f3c1f7a10',
    '507f1f77bcf86cd799439011',
    'aGVsbG8=',
    'Hello, world',
    'Password1!',
  ],
];

/**
 * Texts of the form; where fast-check does not know an assertion of it, texts of the form without, which are looked through; at
 * last those usual ones that match.
 */
function matching(form: RegExp): Arbitrary<string> {
  const sources = form.source.length > longestPattern ? [] : [form.source, withoutAssertions(form.source)];
  for (const source of sources) {
    for (const flags of ['u', '']) {
      try {
        const texts = fc.stringMatching(new RegExp(source, flags), { size: 'small' });
        if (fc.sample(texts, { numRuns: tried, seed: 1 }).some((text) => form.test(text))) return texts;
      } catch {
        // Not known to fast-check, or not a regular expression with this flag.
      }
    }
  }
  const matches = usual.filter((text) => form.test(text));
  if (matches.length === 0) throw new NotGenerated(`no text is generated for the pattern ${form.source}`);
  return fc.constantFrom(...matches);
}

/** Characters of a pattern that fast-check still makes texts for in a moment. */
const longestPattern = 500;

/** The source without lookaheads, lookbehinds and word boundaries. */
function withoutAssertions(source: string): string {
  const start = source.search(/\(\?<?[=!]/);
  if (start < 0) return source.replaceAll(/(?<!\\)\\[bB]/g, '');
  let [depth, inClass, end] = [0, false, start];
  for (; end < source.length; end += 1) {
    const character = source[end];
    if (character === '\\') end += 1;
    else if (inClass) inClass = character !== ']';
    else if (character === '[') inClass = true;
    else if (character === '(') depth += 1;
    else if (character === ')' && --depth === 0) break;
  }
  return withoutAssertions(source.slice(0, start) + source.slice(end + 1));
}

function found(texts: Arbitrary<string>, fits: (text: string) => boolean, what: string): Arbitrary<string> {
  if (!fc.sample(texts, { numRuns: tried, seed: 1 }).some(fits))
    throw new NotGenerated(`no text is found ${what}`);
  return texts.filter(fits);
}
