import fc, { type Arbitrary } from 'fast-check';
import type { Change } from './changes.ts';

/** Pieces of text that have broken servers. */
export const awkward: readonly string[] = [
  '\ttab\r\nand lines\rback\n\n\nlast',
  '100% + 1 < 50%25 &a=b; c#d?e/f\\g\\ https://a.example/~[x]^',
  'e\u0301 is not \u00e9, 👩‍👩‍👧‍👦 𝒜 🇩🇪',
  ' leading and trailing ',
  `"double" "" 'single' \`back\` \\" \\' \\\\`,
  '<b>&amp;</b><script>alert(1)</script>',
  'Ünïcödé ß ŒœĲ',
  '\u212b and \u00c5',
  'مرحبا 你好 नमस्ते 𠮷 ＡＢＣ 👍🏽',
  '\u00a0\u200b\ufeff\u2028\x7f\u0085\u00ad\u200f… – ❤️ \\n\nlast line\n',
  '$1 $& $$ \\1 %s %41 %%',
  "İstanbul ı “it’s” a@b.example :x: _b_ &#39; ... ''",
];

/** Any code point. fast-check's own unit builds a table of all of them first, which takes a fifth of a second. */
const codePoint = fc.integer({ min: 1, max: 0x10ffff });

/**
 * Texts without braces, which mustache-like template languages treat as plain text.
 * They may contain anything else: Unicode beyond the BMP, both normal forms, quotes, markup, blanks, line ends. Noncharacters are
 * left out, because strict UTF-8 decoders replace them.
 */
export const plainText: Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.array(codePoint, { maxLength: 8 }).map((points) => String.fromCodePoint(...points)),
      fc.constantFrom(...awkward, 'null', '012345'),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((pieces) =>
    pieces
      .join('')
      .replace(/[{}]|\p{Noncharacter_Code_Point}/gu, '')
      .toWellFormed(),
  )
  .filter((text) => text.trim().length > 0 && !text.includes('\0'));

/** Length up to which no sentence of the specification allows a server to refuse a template. */
export const shortTemplateCharacters = 300;

/** One line of ordinary words without braces, which no validator of messages has a reason to refuse. */
const words: Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      ...['Your', 'code', 'for', 'Hello', 'is', '1234', 'Use', 'Grüße', 'señal', 'no.', 'a', "it's", "it''s"],
      ...['(x)', '-', 'please:', '5', '5551234567', 'x:y', '_b_', '...'],
    ),
    { maxLength: 8 },
  )
  .map((each) => each.join(' '));

/**
 * Short one-line templates with `{{code}}` or `{{tenant.friendly_name}}` or both, spelled as in the default messages (section
 * 2.1). No sentence of the specification allows a server to refuse them.
 */
export const ordinaryTemplate: Arbitrary<string> = fc
  .tuple(
    words,
    fc.constantFrom('{{code}}', '{{code}} {{tenant.friendly_name}}', '{{tenant.friendly_name}}: {{code}}'),
    words,
  )
  .map((parts) => parts.join(' ').trim())
  .filter((text) => text.length <= shortTemplateCharacters);

/** Templates that every mustache-like language accepts, with any text around the variables of section 2.1. */
export const validTemplate: Arbitrary<string> = fc
  .tuple(plainText, fc.constantFrom('{{code}}', '{{tenant.friendly_name}}', '{{ code }}', ''), plainText)
  .map((parts) => parts.join(''));

/** Texts before an unclosed opening: none, words, valid variables, other scripts, lines, long ones. */
const beforeOpening: Arbitrary<string> = fc.oneof(
  fc.stringMatching(/^[A-Za-z ]{0,12}$/),
  fc.constantFrom(
    '{{code}} ',
    '{{code}} and {{tenant.friendly_name}} and {{code}}, ',
    'Grüße 你好 😀 ',
    'first line\nsecond line ',
    'with a\ttab | and # a\r\nline ',
    '"quoted" \\ ',
    'Grüße señal: ',
    '100 % of "https://a.example/?c=',
    'line separator\u2028and NUL\0',
    '{% if code %}',
    '<!-- ',
    ' ',
    '}}',
  ),
  fc.constantFrom(120, 1_200, 3_000, 12_000).map((length) => 'Your code is '.padEnd(length, 'a ')),
);

/** Templates that every mustache-like language refuses, because an opening is never closed. */
export function invalidTemplate(): Arbitrary<string> {
  const opening = fc.constantFrom(
    '{{code',
    '{{tenant.friendly_name',
    '{{code}',
    '{{',
    '{{ code',
    '{{\ncode',
    '{{code {{code',
  );
  const after = fc.oneof(
    fc.stringMatching(/^[A-Za-z ]{0,12}$/),
    fc.constantFrom(' Grüße 😀', '\nnext line', '"', 'x'.repeat(200)),
  );
  return fc.tuple(beforeOpening, opening, after).map((parts) => parts.join(''));
}

/**
 * Texts that no common number parser accepts as an integer: words, and numbers followed by letters or a fraction. The letters
 * occur in no notation of numbers (exponents, hexadecimal digits, type suffixes, NaN, Infinity).
 */
export const notIntegers: Arbitrary<string> = fc.oneof(
  fc.stringMatching(/^[gkqwyz]{1,8}$/),
  fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.stringMatching(/^[gkqwyz]{1,4}$/))
    .map((parts) => parts.join('')),
  fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 99 })).map((parts) => parts.join('.')),
);

/** Correlation IDs: visible ASCII (RFC 9110 field values), without blanks at the ends. */
export function correlationId(length: { min: number; max: number }): Arbitrary<string> {
  return fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: length.min,
    maxLength: length.max,
  });
}

/** Messages to replace those of a request whose texts do not matter, by what is unusual about them. */
export const neutralTexts: Readonly<Record<string, Change>> = {
  'beyond ASCII': { text: 'Grüße! Señal {{code}}' },
  'three variables': { text: '{{tenant.friendly_name}}: {{code}}, again {{code}}' },
  'beyond the BMP': { use: 'if-accepted', text: '😀 {{code}}' },
  'line feed': { use: 'if-accepted', text: 'Your code:\n{{code}}' },
  'quote or backslash': { use: 'if-accepted', text: '"{{code}}" \\' },
  'over 300 characters': { use: 'if-accepted', text: 'Your code is {{code}}. '.padEnd(400, 'a ') },
  // The last one, so that all texts in one end with a blank, too.
  'blank at an end': { use: 'if-accepted', text: ' {{code}} ' },
};

/** The messages that these may replace. */
export const replaceableTexts: ReadonlySet<unknown> = new Set([
  'Enroll with {{code}}.',
  'Verify with {{code}}.',
]);

/** All of these texts in one. */
export const everyNeutralText = Object.values(neutralTexts)
  .flatMap(({ text }) => text ?? [])
  .join(' ');
