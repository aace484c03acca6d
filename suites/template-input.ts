import { ofOtherType } from '../lib/arbitraries/invalid.ts';
import type { Exchange } from '../lib/client/exchange.ts';
import { formType } from '../lib/contract/media-types.ts';
import type { Call } from '../lib/runner/call.ts';
import { members, status } from '../lib/runner/call-result.ts';
import { expect400, expectRefused, expectThat, show } from '../lib/runner/expect.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { inputs } from './inputs.ts';
import { statusesOf } from './observed-statuses.ts';
import { defaults, type Field, updating, validMessages, validTwin } from './phone-messages.ts';
import { expectRefusalsWith, refusalsOf } from './refusals.ts';
import { inTurn, raw, variationsAndAgain, variationsOf } from './requests.ts';

/** Section 4.1: invalid bodies of PUT /guardian/factors/phone/templates, apart from invalid templates. */

const missing = (id: string, field: Field): Check =>
  requirement(id, updating, async (ctx) => {
    for (const variation of variationsAndAgain(ctx)) {
      const { [field]: _, ...json } = variation % 2 === 0 ? validMessages : defaults(ctx);
      await expect400(ctx, { json, variation }, `${field} is missing`);
    }
    const { [field]: _, ...rest } = validMessages;
    await expect400(ctx, { json: {} }, 'both messages are missing');
    await expect400(ctx, { json: { ...rest, other: 'text' } }, `${field} is missing`);
    await validTwin(ctx);
  });

const wrongType = (id: string, field: Field): Check =>
  requirement(id, updating, async (ctx) => {
    const judge = (value: unknown, variation?: number, others: object = validMessages) =>
      expect400(ctx, { json: { ...others, [field]: value }, variation }, `${field} is not a string`);
    for (const variation of variationsOf(ctx))
      for (const values of inputs.values_of_other_types)
        await judge(values[variation % values.length], variation);
    // Both messages have another type.
    await judge(1, undefined, { enrollment_message: 1, verification_message: 1 });
    await judge(null, undefined, defaults(ctx));
    await judge(null, undefined, { enrollment_message: null, verification_message: null });
    await ctx.property(ofOtherType('string'), (value) => judge(value), { fraction: 1 / 20 });
    await validTwin(ctx);
  });

/** Nested more deeply than recursive parsers can read. */
const nested = '['.repeat(2_000);

/** Each of these bodies is refused with a 4xx status. */
const bodiesRefused = (id: string, because: string, bodies: readonly string[]): Check =>
  requirement(id, updating, async (ctx) => {
    // The first two bodies in every variation, the others in the first two variations.
    for (const variation of variationsOf(ctx))
      for (const body of ctx.share(variation < 2 ? bodies : bodies.slice(0, 2))) {
        // Nothing has a media type. A framework may then skip the validation.
        const sent = body === '' && variation === 2 ? { body: null } : raw(body);
        const result = await ctx.probe({ ...sent, variation });
        // 7/no-server-error reports a parser that runs out of stack, as that of Python does.
        if (body === nested && status(result) >= 500) continue;
        expectRefused(result, `${because}: ${show(body)}`);
      }
    await validTwin(ctx);
  });

/** Valid messages as multipart/form-data (RFC 7578) with the boundary `x`. */
const multipart = Object.entries(validMessages)
  .map(([name, text]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`)
  .join('')
  .concat('--x--\r\n');

/** True for a refusal that concerns neither the token nor a missing media type. */
const isOfInput = ({ request, response }: Exchange): boolean =>
  ![401, 403].includes(response?.status ?? 0) && request.headers.some(([name]) => name === 'content-type');

/** If this body is refused, the status is 400. */
const refusedWith400 = (id: string, because: string, body: string): Check =>
  requirement(
    id,
    { ...updating, judgeExchange: refusalsOf(id.replace('-400', ''), because, [400], isOfInput) },
    async (ctx) => {
      await expectRefusalsWith(ctx, [raw(body)], because, [400]);
      await validTwin(ctx);
    },
  );

/** Characters of a message that makes a body larger than the buffer in which many servers read a small one. */
const largeCharacters = 20_000;

/** Bodies that are not JSON (RFC 8259). */
const malformed = [
  '{"enrollment_message":"{{code}}","verification_message":"{{code}}"',
  new URLSearchParams({ ...validMessages, enrollment_message: 'a'.repeat(largeCharacters) }).toString(),
  ' ',
  '{"enrollment_message":NaN,"verification_message":"{{code}}"}',
  '{"enrollment_message":"{{code}}","verification_message":"{{code}}',
  new URLSearchParams(validMessages).toString(),
  '{"enrollment_message":"{{code}}" "verification_message":"{{code}}"}',
  nested,
] as const;

export const templateInput: readonly Check[] = [
  missing('4.1/enrollment-required', 'enrollment_message'),

  missing('4.1/verification-required', 'verification_message'),

  requirement('4.1/form-required', updating, async (ctx) => {
    const { enrollment_message, verification_message } = validMessages;
    // An empty body may be refused with another status.
    expectRefused(await ctx.probe({ form: '' }), 'both messages are missing');
    for (const variation of variationsOf(ctx))
      for (const form of [{ enrollment_message }, { verification_message }])
        await expect400(ctx, { form, variation }, 'one of the messages is missing');
    await ctx.twin({ form: validMessages });
  }),

  // A framework may merge the query string into a form or into any body, and prefer it to the body.
  requirement('4.1/field-in-query', updating, async (ctx) => {
    const { enrollment_message, verification_message } = validMessages;
    const calls: readonly Call[] = [
      { json: { verification_message }, query: { enrollment_message } },
      { form: { enrollment_message }, query: { verification_message } },
    ];
    for (const call of calls)
      await expect400(ctx, call, 'one of the messages is missing in its body, although its query has it');
    const query = { enrollment_message: 'In the query: {{code}}' };
    for (const body of [{ json: validMessages }, { form: validMessages }]) {
      const result = await ctx.probe({ ...body, query });
      const { enrollment_message: got } = members(result);
      const expectation = {
        expected: 'a response without the message in the query string',
        because: 'the body has both messages',
      };
      expectThat(got !== query.enrollment_message, expectation, show(got), result.exchange);
    }
    await validTwin(ctx);
  }),

  wrongType('4.1/enrollment-type', 'enrollment_message'),

  wrongType('4.1/verification-type', 'verification_message'),

  bodiesRefused('4.1/body-required', 'its body is empty', ['']),
  refusedWith400('4.1/body-required-400', 'its body is empty', ''),

  bodiesRefused('4.1/body-malformed', 'its body is not valid JSON', malformed),
  refusedWith400('4.1/body-malformed-400', 'its body is not valid JSON', malformed[0]),

  bodiesRefused('4.1/body-trailing-text', 'text follows the JSON value', [
    `${JSON.stringify(validMessages)} trailing`,
    // As one value on each line.
    `${JSON.stringify(validMessages)}\n${JSON.stringify(validMessages)}`,
    `${JSON.stringify(validMessages)}]`,
  ]),

  requirement('4.1/body-object', updating, async (ctx) => {
    // Some decoders read the members of an object from an array in order.
    const members = JSON.stringify(Object.values(validMessages));
    const text = JSON.stringify(JSON.stringify(validMessages));
    const others = ['[]', text, '1', 'true', '0', '""'];
    const always = ['null', members, `[${JSON.stringify(validMessages)}]`];
    const wrapped = JSON.stringify({ data: validMessages });
    for (const variation of variationsOf(ctx))
      for (const body of [...always, ...inTurn(ctx, others, variation, 2)])
        await expect400(ctx, { ...raw(body), variation }, 'its body is not a JSON object');
    await expect400(ctx, raw(wrapped), 'the messages are in another object');
    await validTwin(ctx);
  }),

  requirement('4.1/media-type', updating, async (ctx) => {
    const json = JSON.stringify(validMessages);
    const bodies = [
      { type: formType, text: json },
      { type: 'application/xml', text: json },
      { type: 'multipart/form-data; boundary=x', text: multipart },
    ];
    for (const variation of variationsOf(ctx))
      for (const { type, text } of [{ type: 'text/plain', text: json }, ...inTurn(ctx, bodies, variation)]) {
        const result = await ctx.probe({ ...raw(text, type), variation });
        expectRefused(result, `the media type of its body is ${type}`);
      }
    await validTwin(ctx);
  }),

  statusesOf('4.1/json-extensions', updating, () => {
    const { json_extensions } = inputs;
    return Object.fromEntries(Object.entries(json_extensions).map(([what, text]) => [what, raw(text)]));
  }),

  observation('4.1/media-type-status', updating, async (ctx) => {
    const { bytes } = raw(JSON.stringify(validMessages)).body;
    // Without a media type it must not break the service either, which 7/no-server-error judges.
    await ctx.probe({ body: { bytes } });
    return status(await ctx.probe(raw(JSON.stringify(validMessages), 'text/plain')));
  }),
];
