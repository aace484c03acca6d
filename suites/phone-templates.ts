import type { Arbitrary } from 'fast-check';
import { isObject } from '../lib/contract/json.ts';
import { formType } from '../lib/contract/media-types.ts';
import type { Call } from '../lib/runner/call.ts';
import { type CallResult, members } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import {
  expect400,
  expectEqual,
  expectRefused,
  expectServed,
  expectStatus,
  isServed,
  show,
} from '../lib/runner/expect.ts';
import { type Check, exchangeCheck, type JudgeExchange, requirement } from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { inputs } from './inputs.ts';
import { statusOf } from './observed-statuses.ts';
import {
  anyMessages,
  asForms,
  asJson,
  defaults,
  type Encoding,
  type Messages,
  messagesOfUpdate,
  ordinaryMessages,
  unusualExamples,
  updating,
  validMessages,
  validTwin,
} from './phone-messages.ts';
import { raw } from './requests.ts';
import { acceptedWith200, acceptsMessages, hasMediaType } from './valid-exchanges.ts';

/** Sections 2.1 and 4.1: accepted updates with PUT /guardian/factors/phone/templates, and their responses. */

/** The messages in the response that are strings. */
const shownMessages = (result: CallResult): Partial<Messages> =>
  Object.fromEntries(
    Object.entries(members(result)).filter(
      ([name, text]) => name in validMessages && typeof text === 'string',
    ),
  );

/** The number of messages in the response, which are those sent. */
function expectEchoed(sent: Messages, result: CallResult): number {
  const found = shownMessages(result);
  expectEqual('the messages in the response', sent, { ...sent, ...found }, result.exchange);
  return Object.keys(found).length;
}

/** Judges the updates that are alone on the tenant: the response to another may show a concurrent one. */
const echoedWhenStored =
  (mediaType: string): JudgeExchange =>
  (exchange, { sentBy }) => {
    const sent = /-is-stored(-form)?$/.test(sentBy) ? messagesOfUpdate(exchange) : undefined;
    const result = { exchange, certain: true };
    // A framework may prefer the query to the form.
    const isMeant = hasMediaType(exchange, mediaType) && new URL(exchange.request.url).search === '';
    return sent !== undefined && isMeant && isServed(result) && expectEchoed(sent, result) > 0;
  };

/** The messages in a 2xx response are those sent. Another requirement judges whether there are any. */
const updatesAreEchoed = (id: string, mediaType: string, { call, fraction }: Encoding): Check =>
  requirement(
    id,
    { ...updating, lane: 'operation', judgeExchange: echoedWhenStored(mediaType) },
    async (ctx) => {
      let shown = 0;
      const judge = async (sent: Messages) => {
        const result = await ctx.call(call(sent));
        if (isServed(result)) shown += expectEchoed(sent, result);
      };
      for (const sent of ctx.share(inputs.consecutive_messages)) await judge(sent);
      const examples = unusualExamples.slice(0, -1);
      await ctx.property(anyMessages, judge, { fraction: fraction / 4, examples });
      if (shown === 0) throw new NotJudged('no response contains a message: see 4.1/answer-fields');
    },
  );

/** The JSON text of these members in this order, including names that an object literal cannot have. */
const jsonObject = (members: readonly (readonly [name: string, value: unknown])[]): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;

const equalMessages = { ...validMessages, verification_message: validMessages.enrollment_message };

/** Each of these updates is accepted. */
const expectAccepted = async (ctx: RequirementContext, calls: readonly Call[]): Promise<void> => {
  for (const call of calls)
    expectStatus(await ctx.call(call), 200, 'nothing in the specification makes the messages invalid');
};

/** Updates with these messages are accepted. */
const eachAccepted = (
  ctx: RequirementContext,
  messages: Arbitrary<Messages>,
  examples: readonly Messages[],
  { call, fraction }: Encoding,
): Promise<void> =>
  ctx.property(messages, (sent) => expectAccepted(ctx, [call(sent)]), { fraction, examples });

export const phoneTemplates: readonly Check[] = [
  requirement('2.1/defaults-are-valid', updating, async (ctx) => {
    for (const call of [{ json: defaults(ctx) }, { form: defaults(ctx) }])
      expectServed(await ctx.call(call), 'its messages are the defaults of the specification');
  }),

  requirement('2.1/additional-field', updating, async (ctx) => {
    const usual: readonly (readonly [name: string, value: unknown])[] = Object.entries(validMessages);
    for (const [index, extra] of ctx.share(inputs.additional_members).entries()) {
      // Before, between or after the two messages.
      const members = usual.toSpliced(index % 3, 0, extra);
      await expect400(ctx, raw(jsonObject(members)), `${show(extra[0])} is not one of its fields`);
    }
    const [first, ...others] = inputs.additional_members;
    const all = jsonObject([...(first ? [first] : []), ...usual, ...others]);
    const because = `${others.length + 1} members are not among its fields`;
    await expect400(ctx, raw(all), because);
    // A validator may look up the schema by the text of the media type. A server may refuse the type itself.
    const mediaTypes = [
      'application/json ;charset=UTF-8',
      'application/json\t;charset=utf-8',
      'APPLICATION/JSON',
    ];
    for (const mediaType of mediaTypes) expectRefused(await ctx.probe(raw(all, mediaType)), because);
    await validTwin(ctx);
  }),

  requirement('2.1/additional-field-form', updating, async (ctx) => {
    for (const [index, name] of ctx.share(inputs.additional_form_fields).entries()) {
      // With a text or without one after the two messages, or before them. A checked box has the value on or true.
      const extra = { [name]: ['x', '', 'on', 'true'][index % 4] ?? 'x' };
      const form = index % 3 === 2 ? { ...extra, ...validMessages } : { ...validMessages, ...extra };
      await expect400(ctx, { form }, `${show(name)} is not one of its fields`);
    }
    const several = { name: 'x', ...validMessages, code: 'x' };
    const because = 'two members are not among its fields';
    await expect400(ctx, { form: several }, because);
    const form = raw(new URLSearchParams(several).toString(), `${formType};charset=UTF-8`);
    expectRefused(await ctx.probe(form), because);
    await ctx.twin({ form: validMessages });
  }),

  // Some parsers and mappers of JSON drop these names, for safety.
  requirement('2.1/additional-field-prototype', updating, async (ctx) => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const json = jsonObject([...Object.entries(validMessages), [name, { text: 'text' }]]);
      await expect400(ctx, raw(json), `${show(name)} is not one of its fields`);
    }
    await validTwin(ctx);
  }),

  requirement('2.1/field-name-case', updating, async (ctx) => {
    const { enrollment_message, ...rest } = validMessages;
    const spellings = {
      // A mapper may also know the names in camel case.
      json: ['Enrollment_Message', 'enrollmentMessage'],
      // PHP replaces a dot and a blank in the name of a form field by an underscore.
      form: ['Enrollment_Message', 'enrollment.message', 'enrollment message'],
    };
    for (const [media, names] of Object.entries(spellings))
      for (const name of ctx.share(names)) {
        const updates = [
          { ...validMessages, [name]: 'x' },
          { ...rest, [name]: enrollment_message },
        ];
        for (const [variation, sent] of updates.entries()) {
          const call = media === 'json' ? { json: sent } : { form: sent };
          await expect400(ctx, { ...call, variation }, `${name} is not one of its fields`);
        }
      }
    // PHP and Rails take brackets for the notation of an array.
    for (const form of [
      { 'enrollment_message[]': 'on', ...validMessages },
      { 'enrollment_message[]': enrollment_message, ...rest },
    ])
      await expect400(ctx, { form }, '"enrollment_message[]" is not one of its fields');
    await validTwin(ctx);
  }),

  requirement(
    '4.1/json-accepted',
    { ...updating, judgeExchange: acceptedWith200('application/json') },
    async (ctx) => {
      await eachAccepted(ctx, ordinaryMessages, inputs.ordinary_messages, asJson);
      const reversed = jsonObject(Object.entries(validMessages).toReversed());
      await expectAccepted(ctx, [
        // As section 1 spells the name of the field; all other requests have it in lower case (RFC 9110, section 5.1).
        {
          body: { bytes: new TextEncoder().encode(reversed) },
          headers: [['Content-Type', 'application/json']],
        },
        raw(JSON.stringify(validMessages, null, '\t').replaceAll('\n', '\r\n')),
        { json: equalMessages },
      ]);
    },
  ),

  requirement('4.1/form-accepted', { ...updating, judgeExchange: acceptedWith200(formType) }, async (ctx) => {
    await eachAccepted(ctx, ordinaryMessages, inputs.ordinary_messages, asForms);
    // A server may parse the names without decoding them, or decode only hexadecimal digits in upper case.
    const encoded = new URLSearchParams(equalMessages).toString().replaceAll('_', '%5F');
    const text = encoded.replace(/%../g, (octet) => octet.toLowerCase());
    await expectAccepted(ctx, [{ form: equalMessages }, raw(text, formType)]);
  }),

  requirement(
    '4.1/any-text-accepted',
    { ...updating, judgeExchange: acceptsMessages('application/json') },
    (ctx) => eachAccepted(ctx, anyMessages, unusualExamples, asJson),
  ),

  requirement(
    '4.1/any-text-accepted-form',
    { ...updating, judgeExchange: acceptsMessages(formType) },
    (ctx) => eachAccepted(ctx, anyMessages, unusualExamples.slice(0, -1), asForms),
  ),

  // In a lane of its own, because the response may show a concurrent update.
  requirement('4.1/charset-accepted', { ...updating, lane: 'operation' }, async (ctx) => {
    const sent = {
      enrollment_message: 'Grüße: {{code}}',
      verification_message: '{{code}} für {{tenant.friendly_name}}',
    };
    const form = new URLSearchParams(sent).toString();
    for (const [type, text] of [
      ['application/json; charset=utf-8', JSON.stringify(sent)],
      ['Application/JSON;charset=UTF-8', JSON.stringify(sent)],
      ['application/json; charset="utf-8"', JSON.stringify(sent)],
      ['application/x-www-form-urlencoded; charset=UTF-8', form],
    ] as const) {
      const result = await ctx.call(raw(text, type));
      expectStatus(result, 200, `both messages are valid, and its Content-Type is ${type}`);
      const shown = { ...sent, ...shownMessages(result) };
      expectEqual('the messages in the response', sent, shown, result.exchange);
    }
  }),

  updatesAreEchoed('4.1/answer-echoes', 'application/json', asJson),
  updatesAreEchoed('4.1/answer-echoes-form', formType, asForms),

  exchangeCheck('4.1/answer-no-third-field', updating.needs, (exchange) => {
    const { status, json } = exchange.response ?? {};
    const names = isObject(json) ? Object.keys(json) : [];
    // 4.1/answer-fields judges whether both messages are there.
    if (status !== 200 || !names.some((name) => Object.hasOwn(validMessages, name))) return false;
    const third = names.filter((name) => !Object.hasOwn(validMessages, name));
    expectEqual('fields besides the two messages', [], third, exchange);
    return true;
  }),

  statusOf('4.1/lone-surrogate', updating, () =>
    raw('{"enrollment_message":"\\ud800 {{code}}","verification_message":"{{code}}"}'),
  ),
  statusOf('4.1/empty-message', updating, () => ({ json: { ...validMessages, enrollment_message: '' } })),
  statusOf('4.1/repeated-form-field', updating, () => ({
    form: `${new URLSearchParams(validMessages)}&enrollment_message=again`,
  })),
];
