import { isDeepStrictEqual } from 'node:util';
import fc, { type Arbitrary } from 'fast-check';
import type { DataSet } from '../lib/contract/data-set.ts';
import { isObject, parseJson } from '../lib/contract/json.ts';
import { formType } from '../lib/contract/media-types.ts';
import type { Call } from '../lib/runner/call.ts';
import { type CallResult, members, status } from '../lib/runner/call-result.ts';
import { tenantMessages } from '../lib/runner/content.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import {
  expectEqual,
  expectServed,
  expectStatus,
  expectThat,
  isRefusal,
  show,
} from '../lib/runner/expect.ts';
import { expectTwinServed } from '../lib/runner/permission.ts';
import {
  type Check,
  type ContextFor,
  exchangeCheck,
  type JudgeExchange,
  observation,
  requirement,
} from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import {
  anyMessages,
  fields,
  good,
  type Messages,
  ordinaryExamples,
  ordinaryMessages,
  raw,
  twin,
  unusualExamples,
} from './phone-messages.ts';
import { rounds } from './request-variations.ts';

/** Sections 2.1 and 4.1: updates of PUT /guardian/factors/phone/templates that are accepted, their responses and what is stored. */

const updating = { needs: ['token', 'write'], lane: 'parallel' } as const;
const inspecting = { needs: ['token', 'write', 'inspect'], lane: 'operation' } as const;

const json = (sent: Messages): Call => ({ json: sent });
const form = (sent: Messages): Call => ({ form: { ...sent } });

/** How messages are sent, and how large a part of the run's examples they get. */
interface Manner {
  readonly call: (sent: Messages) => Call;
  readonly share: number;
}

const asJson: Manner = { call: json, share: 1 / 2 };
const asForms: Manner = { call: form, share: 1 / 4 };

/** The messages that the answer carries as strings. */
const shownMessages = (answer: CallResult): Partial<Messages> =>
  Object.fromEntries(
    Object.entries(members(answer)).filter(([name, text]) => name in good && typeof text === 'string'),
  );

/** Updates one after the other: one message is changed, by its letters' case only, then both to the same text; then both are exchanged, and back. */
const oneAfterTheOther: readonly Messages[] = [
  good,
  { ...good, verification_message: 'VERIFY with {{code}}.' },
  { enrollment_message: 'Both: {{code}}', verification_message: 'Both: {{code}}' },
  good,
  { enrollment_message: good.verification_message, verification_message: good.enrollment_message },
  good,
];

/** Where updates are answered with 2xx and messages, the messages are these; that they are, is another requirement. */
const echoes = (id: string, examples: readonly Messages[], { call, share }: Manner): Check =>
  requirement(id, { ...updating, lane: 'operation' }, async (ctx) => {
    let shown = 0;
    const judge = async (sent: Messages) => {
      const answer = await ctx.call(call(sent));
      if (status(answer) < 200 || status(answer) > 299) return;
      const found = shownMessages(answer);
      shown += Object.keys(found).length;
      expectEqual('the messages in the answer', sent, { ...sent, ...found }, answer.exchange);
    };
    for (const sent of ctx.share(oneAfterTheOther)) await judge(sent);
    const messages = fc.oneof(ordinaryMessages, anyMessages);
    await ctx.property(messages, judge, { runs: Math.ceil(ctx.run.runs * share), examples });
    if (shown === 0) throw new NotJudged('no answer carries a message: see 4.1/answer-fields');
  });

/** Where an update had not taken effect in time. */
const late = new WeakSet<object>();

/** After each of these updates the tenant contains this; where one is refused, another requirement says so. */
async function expectStored(
  ctx: ContextFor<'inspect'>,
  sent: Messages,
  calls: readonly Call[],
  isJudged: (answer: CallResult) => boolean = () => true,
): Promise<void> {
  for (const call of calls) {
    const answer = await ctx.call(call);
    if (!isJudged(answer)) continue;
    if (status(answer) < 200 || status(answer) > 299)
      throw new NotJudged(`the update was refused with ${status(answer)}: see 4.1/json-accepted`);
    const isStored = ({ phone_templates: stored }: DataSet) =>
      fields.every((field) => stored[field] === sent[field]);
    // No sentence says that an update takes effect at once. One that did not in time is not waited for again.
    const limitMs = late.has(ctx) ? 0 : ctx.run.effectWaitMs;
    const stored = await ctx.eventually(() => ctx.control.inspect(), limitMs, isStored);
    if (!isStored(stored)) late.add(ctx);
    for (const field of fields)
      expectEqual(
        `${field} stored by the tenant`,
        sent[field],
        stored.phone_templates[field],
        answer.exchange,
      );
  }
}

/** After each update with ordinary messages the tenant contains them. */
const stored = (id: string, { call, share }: Manner): Check =>
  requirement(id, inspecting, (ctx) =>
    ctx.property(ordinaryMessages, (sent) => expectStored(ctx, sent, [call(sent)]), {
      examples: [...ordinaryExamples, ...oneAfterTheOther],
      sequential: true,
      runs: Math.ceil(ctx.run.runs * share),
    }),
  );

/** Members that no schema names: other names, prefixes and extensions of the two, prototype members, values of each type. */
const additional: readonly (readonly [name: string, value: unknown])[] = [
  ['constructor', 'text'],
  ['0', 'text'],
  ['x-note', 'text'],
  ['code', 1],
  ['sms_message', null],
  ['messages', {}],
  ['$schema', ['text']],
  ['is_default', false],
  ['enrollmentMessage', 'text'],
  ['enrollment', good.enrollment_message],
  ['enrollment-message', 'text'],
  ['verification_message.text', 'text'],
  ['__proto__', 'text'],
  ['toString', null],
  ['', 'text'],
  // What other resources of a service have, and servers drop from an update.
  ['id', 'text'],
  ['created_at', '2026-01-01T00:00:00.000Z'],
  ['updated_at', null],
  ['tenant', 'text'],
  ['größe', 'text'],
  ['n'.repeat(100), 'text'],
  ['enrollment_message ', {}],
];

/** Names that parsers of forms keep as they are: some drop the names of prototype members, or read dots and brackets. */
const additionalFormNames = ['name', 'code', 'sms_message', 'enrollment', 'enrollment_message_2'];

/** A JSON object with these members in this order; also with names that an object literal cannot have. */
const jsonObject = (members: readonly (readonly [name: string, value: unknown])[]): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;

/** Each of these updates is accepted. */
const expectAccepted = async (ctx: RequirementContext, calls: readonly Call[]): Promise<void> => {
  for (const call of calls) expectStatus(await ctx.call(call), 200, 'no sentence makes the messages invalid');
};

/** True for a text in which every template language finds nothing wrong. */
const isTemplate = (text: unknown): boolean =>
  typeof text === 'string' &&
  text.trim() !== '' &&
  !/[{}]/.test(text.replaceAll(/\{\{ ?(code|tenant\.friendly_name) ?\}\}/g, ''));

/** No update of another requirement is refused for its messages. Of one with a correlation ID that may be what is refused. */
const refusesNoMessages =
  (mediaType: string): JudgeExchange =>
  (exchange, { isValid, operation }) => {
    const { headers, body = '', bodyParts } = exchange.request;
    const isMeant = headers.some(([name, value]) => name === 'content-type' && value === mediaType);
    const hasId = headers.some(([name]) => name === operation.correlation?.header.toLowerCase());
    if (!isValid || !isMeant || hasId || bodyParts !== undefined) return false;
    const sent = mediaType === formType ? Object.fromEntries(new URLSearchParams(body)) : parseJson(body);
    const isUpdate = isObject(sent) && Object.keys(sent).toSorted().join() === fields.join();
    if (!isUpdate || !Object.values(sent).every(isTemplate)) return false;
    const expected = 'a status other than 400, because no sentence makes the messages invalid';
    expectThat(exchange.response?.status !== 400, expected, '400', exchange);
    return true;
  };

/** Updates with these messages are accepted. */
const eachAccepted = (
  ctx: RequirementContext,
  messages: Arbitrary<Messages>,
  examples: readonly Messages[],
  { call, share }: Manner,
): Promise<void> =>
  ctx.property(messages, (sent) => expectAccepted(ctx, [call(sent)]), {
    runs: Math.ceil(ctx.run.runs * share),
    examples,
  });

/** The messages of a tenant that has never updated them (section 2.1). */
function defaults({ contract }: RequirementContext): Messages {
  const schema = contract.component('TemplateMessages');
  const [enrollment_message = '', verification_message = ''] = fields.map((name) =>
    String(schema?.properties?.[name]?.default),
  );
  return { enrollment_message, verification_message };
}

export const phoneTemplates: readonly Check[] = [
  requirement('2.1/defaults-are-valid', updating, async (ctx) => {
    for (const call of [json(defaults(ctx)), form(defaults(ctx))])
      expectServed(await ctx.call(call), 'the specification has them as its defaults');
  }),

  requirement('2.1/additional-field', updating, async (ctx) => {
    const usual = Object.entries(good);
    for (const [index, extra] of ctx.share(additional).entries()) {
      const members = index % 2 === 0 ? [extra, ...usual] : [...usual, extra];
      expectStatus(
        await ctx.probe(raw(jsonObject(members))),
        400,
        `${show(extra[0])} is not one of its fields`,
      );
    }
    const several = jsonObject([...additional.slice(0, 1), ...usual, ...additional.slice(1, 3)]);
    expectStatus(await ctx.probe(raw(several)), 400, 'three members are not among its fields');
    await twin(ctx);
  }),

  requirement('2.1/additional-field-form', updating, async (ctx) => {
    for (const name of ctx.share(additionalFormNames)) {
      for (const form of ctx.share([
        { ...good, [name]: 'x' },
        { ...good, [name]: '' },
        { [name]: 'x', ...good },
      ]))
        expectStatus(await ctx.probe({ form }), 400, `${show(name)} is not one of its fields`);
    }
    const several = { name: 'x', ...good, code: 'x' };
    expectStatus(await ctx.probe({ form: several }), 400, 'two members are not among its fields');
    await twin(ctx, { form: good });
  }),

  requirement('2.1/field-name-case', updating, async (ctx) => {
    const { enrollment_message, ...rest } = good;
    for (const json of [
      { ...good, Enrollment_Message: 'x' },
      { ...rest, Enrollment_Message: enrollment_message },
    ]) {
      for (const call of rounds(ctx)
        .slice(0, 2)
        .flatMap((variation) => [
          { json, variation },
          { form: json, variation },
        ]))
        expectStatus(await ctx.probe(call), 400, 'Enrollment_Message is not one of its fields');
    }
    await twin(ctx);
  }),

  requirement('4.1/json-accepted', updating, async (ctx) => {
    await eachAccepted(ctx, ordinaryMessages, ordinaryExamples, asJson);
    const reversed = jsonObject(Object.entries(good).toReversed());
    const equal = { ...good, verification_message: good.enrollment_message };
    await expectAccepted(ctx, [raw(reversed), raw(JSON.stringify(good, null, 2)), json(equal)]);
  }),

  requirement('4.1/form-accepted', updating, (ctx) =>
    eachAccepted(ctx, ordinaryMessages, ordinaryExamples, asForms),
  ),

  requirement(
    '4.1/any-text-accepted',
    updating,
    (ctx) => eachAccepted(ctx, anyMessages, unusualExamples, asJson),
    refusesNoMessages('application/json'),
  ),

  requirement(
    '4.1/any-text-accepted-form',
    updating,
    (ctx) => eachAccepted(ctx, anyMessages, unusualExamples.slice(0, -1), asForms),
    refusesNoMessages(formType),
  ),

  // Another update under way may be what the answer shows.
  requirement('4.1/charset-accepted', { ...updating, lane: 'operation' }, async (ctx) => {
    const sent = {
      enrollment_message: 'Grüße: {{code}}',
      verification_message: '{{code}} für {{tenant.friendly_name}}',
    };
    const form = new URLSearchParams(sent).toString();
    for (const call of [
      raw(JSON.stringify(sent), 'application/json; charset=utf-8'),
      raw(JSON.stringify(sent), 'application/json;charset=UTF-8'),
      raw(form, 'application/x-www-form-urlencoded; charset=UTF-8'),
    ]) {
      const answer = await ctx.call(call);
      expectStatus(answer, 200, 'both messages are strings and valid templates');
      expectEqual('the messages in the answer', sent, { ...sent, ...shownMessages(answer) }, answer.exchange);
    }
  }),

  echoes('4.1/answer-echoes', [...ordinaryExamples, ...unusualExamples], asJson),
  echoes('4.1/answer-echoes-form', [...ordinaryExamples, ...unusualExamples.slice(0, -1)], asForms),

  exchangeCheck('4.1/answer-no-third-field', updating.needs, (exchange) => {
    const { status, json } = exchange.response ?? {};
    const names = isObject(json) ? Object.keys(json) : [];
    // That the two are there, 4.1/answer-fields says.
    if (status !== 200 || !names.some((name) => Object.hasOwn(good, name))) return false;
    const third = names.filter((name) => !Object.hasOwn(good, name));
    expectEqual('fields besides the two messages', [], third, exchange);
    return true;
  }),

  stored('4.1/update-is-stored', asJson),
  stored('4.1/update-is-stored-form', asForms),

  requirement('4.1/any-text-is-stored', inspecting, async (ctx) => {
    const isAccepted = (answer: CallResult) => !isRefusal(answer);
    // Whether unusual texts are accepted is 4.1/any-text-accepted.
    const judge = (sent: Messages) => {
      const calls = rounds(ctx)
        .slice(0, 2)
        .flatMap((variation) => [json(sent), form(sent)].map((call) => ({ ...call, variation })));
      return expectStored(ctx, sent, calls, isAccepted);
    };
    await ctx.property(anyMessages, judge, {
      // A server may leave out what is equal to its default.
      examples: [...unusualExamples, { ...defaults(ctx), enrollment_message: 'Not the default: {{code}}' }],
      sequential: true,
      runs: Math.ceil(ctx.run.runs / 8),
    });
  }),

  requirement('4.1/refused-changes-nothing', inspecting, async (ctx) => {
    expectTwinServed(ctx, await ctx.call({ json: good }));
    // An update may take effect after its answer.
    let before = await ctx.eventually(
      () => ctx.control.inspect(),
      ctx.run.effectWaitMs,
      (stored) => isDeepStrictEqual(tenantMessages(stored), good),
    );
    const mark = `never stored ${ctx.seed}`;
    const refused = [
      { enrollment_message: mark, verification_message: '{{code' },
      { enrollment_message: '{{code', verification_message: mark },
      { enrollment_message: mark },
    ];
    const calls: readonly Call[] = [
      { json: { enrollment_message: mark, verification_message: mark, other: 1 } },
      ...refused.flatMap((form) => [{ json: form }, { form }]),
      { json: { verification_message: mark } },
      { json: { enrollment_message: mark, verification_message: 1 } },
    ];
    for (const call of ctx.share(calls)) {
      const answer = await ctx.probe(call);
      const after = await ctx.control.inspect();
      // Where it is not refused, as another requirement says, what follows is compared with what it has left.
      if (status(answer) >= 400) {
        const what = 'the messages as before the refused update';
        expectEqual(what, tenantMessages(before), tenantMessages(after), answer.exchange);
      }
      before = after;
    }
  }),

  observation('4.1/lone-surrogate', updating, async (ctx) =>
    status(
      await ctx.call(raw('{"enrollment_message":"\\ud800 {{code}}","verification_message":"{{code}}"}')),
    ),
  ),

  observation('4.1/empty-message', updating, async (ctx) =>
    status(await ctx.call({ json: { ...good, enrollment_message: '' } })),
  ),

  observation('4.1/repeated-form-field', updating, async (ctx) => {
    return status(await ctx.call({ form: `${new URLSearchParams(good)}&enrollment_message=again` }));
  }),
];
