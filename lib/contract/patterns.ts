import fc, { type Arbitrary } from 'fast-check';
import { regExpOf } from './validation.ts';

/** Number of generated texts that are searched for a match. */
const tried = 40;

/** A pattern with texts generated for it, some of which may not match. The texts are undefined if none matches. */
interface Form {
  readonly form: RegExp;
  readonly texts: Arbitrary<string> | undefined;
}

/** A cache: patterns are repeated in a document, and some take fast-check seconds. */
const forms = new Map<string, Form | undefined>();

/** The pattern with texts for it; undefined if it is not a regular expression. */
export function textsOf(pattern: string): Form | undefined {
  if (forms.has(pattern)) return forms.get(pattern);
  let made: Form | undefined;
  try {
    const form = regExpOf(pattern);
    made = { form, texts: matching(form) };
  } catch {
    // Not a regular expression.
  }
  forms.set(pattern, made);
  return made;
}

/** Texts that match common patterns, for patterns for which fast-check generates none. */
const usual = [
  ...['', 'Hello, world'],
  ...'a abc Abc-1 ABC 1 12 1234 123456 0.5 true #a0b1c2 en en-US US EUR https://example.com 12:30 /path'.split(
    ' ',
  ),
  ...'2024-01-01T00:00:00.000Z 2024-01-01 12:00:00Z P1D user@example.com 192.0.2.1 2001:db8::1'.split(' '),
  ...'00000000-0000-4000-8000-000000000000 example.com +15551234567 1.2.3 507f1f77bcf86cd799439011 aGVsbG8= Password1!'.split(
    ' ',
  ),
];

/**
 * Texts for the form: generated from it, or without its assertions if fast-check does not support them, or else the common texts
 * that match.
 */
function matching(form: RegExp): Arbitrary<string> | undefined {
  const sources = form.source.length > longestPattern ? [] : [form.source, withoutAssertions(form.source)];
  for (const source of sources) {
    for (const flags of ['u', '']) {
      try {
        const texts = fc.stringMatching(new RegExp(source, flags), { size: 'small' });
        if (fc.sample(texts, { numRuns: tried, seed: 1 }).some((text) => form.test(text))) return texts;
      } catch {
        // Not supported by fast-check, or not a regular expression with this flag.
      }
    }
  }
  const matches = usual.filter((text) => form.test(text));
  return matches.length === 0 ? undefined : fc.constantFrom(...matches);
}

/** Maximum length of a pattern for which fast-check generates texts quickly. */
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
