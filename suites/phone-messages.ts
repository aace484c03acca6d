import fc, { type Arbitrary } from 'fast-check';
import { awkward, ordinaryTemplate, plainText, validTemplate } from '../lib/arbitraries/text.ts';
import type { Call } from '../lib/runner/call.ts';
import type { RequirementContext } from '../lib/runner/context.ts';

/** The two phone messages, and how requests carry them: for the suites of sections 2.1 and 4.1. */

/** The fields of the update. */
export const fields = ['enrollment_message', 'verification_message'] as const;
export type Field = (typeof fields)[number];
export type Messages = Record<Field, string>;

/** Characters of a long message: beyond the limits that columns and text fields usually have, of several bytes, within which pieces of it end. */
const longCharacters = 70_000;

/** Both messages, generated; never the same text, so that swapped ones are seen. */
const messagesOf = (text: Arbitrary<string>): Arbitrary<Messages> =>
  fc
    .record({ enrollment_message: text, verification_message: text }, { noNullPrototype: true })
    .filter((each) => each.enrollment_message !== each.verification_message);

/** Messages that no sentence lets a server refuse or change. */
export const ordinaryMessages = messagesOf(ordinaryTemplate);

/** Messages of any text in which every template language finds nothing wrong. */
export const anyMessages = messagesOf(fc.oneof(plainText, validTemplate));

/** Ordinary messages that are tried whatever the seed: with one variable, both, several times, and other letters. */
export const ordinaryExamples: readonly Messages[] = [
  { enrollment_message: '{{code}}', verification_message: 'Code: {{code}}' },
  {
    enrollment_message: '{{tenant.friendly_name}}: {{code}}, again {{code}}, {{tenant.friendly_name}}.',
    verification_message: "Grüße! Señal {{code}} (it's valid for 5 minutes)",
  },
];

/** Unusual texts that are tried whatever the seed. */
export const unusualExamples: readonly Messages[] = [
  // Each text in two messages of two updates, so that a few updates are sent in many ways with each.
  ...awkward
    .filter((_text, index) => index % 2 === 0)
    .map((text, index) => ({
      enrollment_message: `${text}${awkward[2 * index + 1]}`,
      verification_message: `${awkward[(2 * index + 5) % awkward.length]}${awkward[(2 * index + 6) % awkward.length]}`,
    })),
  {
    enrollment_message: '€'.repeat(longCharacters),
    verification_message: `${'ü€😀 '.repeat(1500)}{{code}} {{tenant.friendly_name}}`,
  },
];

/** Two valid messages. */
export const good: Messages = {
  enrollment_message: 'Enroll with {{code}}.',
  verification_message: 'Verify with {{code}}.',
};

/** The valid twin of an update that is to be refused. */
export const twin = (ctx: RequirementContext, call: Call = { json: good }) => ctx.twin(call);

export const encoder = new TextEncoder();

/** A raw body with this media type. */
export const raw = (text: string | Uint8Array, mediaType = 'application/json'): Call => ({
  body: { mediaType, bytes: typeof text === 'string' ? encoder.encode(text) : text },
});
