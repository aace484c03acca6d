import fc, { type Arbitrary } from 'fast-check';
import {
  awkward,
  everyNeutralText,
  ordinaryTemplate,
  plainText,
  validTemplate,
} from '../lib/arbitraries/text.ts';
import type { Exchange } from '../lib/client/exchange.ts';
import { isObject, parseJson } from '../lib/contract/json.ts';
import { essenceOf, formType } from '../lib/contract/media-types.ts';
import type { Call } from '../lib/runner/call.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { defaultMessages } from '../lib/runner/restore-messages.ts';

/** The two phone messages and the requests that contain them, for the suites of sections 2.1 and 4.1. */

/** What requirements on updates need. */
export const updating = { needs: ['token', 'write'] } as const;

/** The update; undefined for a tenant without the subscription that it requires. */
export const updateOf = ({ run }: RequirementContext) =>
  run.operations.find(({ id }) => id === 'put_factor_phone_templates');

/** The fields of the update. */
export const fields = ['enrollment_message', 'verification_message'] as const;
export type Field = (typeof fields)[number];
export type Messages = Record<Field, string>;

/** Length of a long message: beyond common column limits, and read in chunks that may end within a multi-byte character. */
const longCharacters = 70_000;

/** Two generated messages that differ, so that swapped ones are detected. */
const messagesOf = (text: Arbitrary<string>): Arbitrary<Messages> =>
  fc
    .record({ enrollment_message: text, verification_message: text }, { noNullPrototype: true })
    .filter((each) => each.enrollment_message !== each.verification_message);

/** Messages that no sentence of the specification allows a server to refuse or change. */
export const ordinaryMessages = messagesOf(ordinaryTemplate);

/** Messages of any text that is valid in mustache-like template languages. */
export const anyMessages = messagesOf(fc.oneof(plainText, validTemplate));

/** Valid messages that are long and have every unusual character, three variables, no code, or blanks in their braces. */
const longMessages = [everyNeutralText, '{{tenant.friendly_name}} '.repeat(20), '{{ code }} '.repeat(30)];

/** Unusual examples for every seed. */
export const unusualExamples: readonly Messages[] = [
  // Each text occurs in two updates, once in each field, so that a few updates show it in many variations.
  ...awkward
    .filter((_text, index) => index % 2 === 0)
    .map((text, index) => ({
      enrollment_message: `${longMessages[index] ?? ''}${text}${awkward[2 * index + 1]}`,
      verification_message: `${awkward[(2 * index + 5) % awkward.length]}${awkward[(2 * index + 6) % awkward.length]}`,
    })),
  // Texts that a service may read as other types, or as missing.
  { enrollment_message: '0', verification_message: 'true' },
  { enrollment_message: 'null', verification_message: '2026-01-31T10:00:00+02:00' },
  {
    enrollment_message: '€'.repeat(longCharacters),
    verification_message: `${'ü€😀 '.repeat(1500)}{{code}} {{tenant.friendly_name}}`,
  },
];

/** Two valid messages. */
export const validMessages: Messages = {
  enrollment_message: 'Enroll with {{code}}.',
  verification_message: 'Verify with {{code}}.',
};

/** The messages of a tenant that has never updated them (section 2.1). */
export const defaults = ({ contract, operation }: RequirementContext): Messages =>
  defaultMessages(contract, operation);

/** The messages of a recorded update with both and nothing else; undefined for any other request. */
export function messagesOfUpdate({ request }: Exchange): Readonly<Messages> | undefined {
  const { headers, body = '', bodyParts } = request;
  const [, type = ''] = headers.find(([name]) => name === 'content-type') ?? [];
  const mediaType = essenceOf(type);
  const isForm = mediaType === formType;
  if ((!isForm && mediaType !== 'application/json') || bodyParts !== undefined) return undefined;
  const sent = isForm ? Object.fromEntries(new URLSearchParams(body)) : parseJson(body);
  if (!isObject(sent) || Object.keys(sent).toSorted().join() !== fields.join()) return undefined;
  const { enrollment_message, verification_message } = sent;
  if (typeof enrollment_message !== 'string' || typeof verification_message !== 'string') return undefined;
  return { enrollment_message, verification_message };
}

/** True for a text in which mustache-like template languages find nothing wrong. */
export const isNeutralTemplate = (text: string): boolean =>
  text.trim() !== '' && !/[{}]/.test(text.replaceAll(/\{\{ ?(code|tenant\.friendly_name) ?\}\}/g, ''));

/** How messages are sent, and the fraction of the run's examples for it. */
export interface Encoding {
  readonly call: (sent: Messages) => Call;
  readonly fraction: number;
}

export const asJson: Encoding = { call: (json) => ({ json }), fraction: 1 / 2 };
export const asForms: Encoding = { call: (form) => ({ form }), fraction: 1 / 4 };

/** Sends the valid twin of an update that must be refused. */
export const validTwin = (ctx: RequirementContext) => ctx.twin({ json: validMessages });
