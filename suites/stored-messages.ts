import { isDeepStrictEqual } from 'node:util';
import type { DataSet } from '../lib/contract/data-set.ts';
import type { Call } from '../lib/runner/call.ts';
import { type CallResult, status } from '../lib/runner/call-result.ts';
import { tenantMessages } from '../lib/runner/content.ts';
import {
  expectEqual,
  expectNone,
  expectServed,
  expectThat,
  isRefusal,
  isServed,
  show,
} from '../lib/runner/expect.ts';
import { assertTwinServed } from '../lib/runner/permission.ts';
import { type Check, type ContextFor, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { inputs } from './inputs.ts';
import {
  anyMessages,
  asForms,
  asJson,
  defaults,
  type Encoding,
  type Messages,
  ordinaryMessages,
  unusualExamples,
  validMessages,
} from './phone-messages.ts';
import { noEffect } from './refused-effects.ts';
import { raw, slowJson, twoVariations, variationsOf } from './requests.ts';

/** Section 4.1: which messages the tenant contains after accepted and refused updates. */

const inspecting = { needs: ['token', 'write', 'inspect'], lane: 'operation' } as const;

/** Contexts in which an update did not take effect in time. */
const timedOut = new WeakSet<object>();

/** The tenant contains these messages after each update. Throws NotJudged if one is refused: another requirement reports it. */
async function expectStored(
  ctx: ContextFor<'inspect'>,
  sent: Messages,
  calls: readonly Call[],
  isJudged: (result: CallResult) => boolean = () => true,
): Promise<void> {
  for (const call of calls) {
    const result = await ctx.call(call);
    if (!isJudged(result)) continue;
    if (!isServed(result))
      throw new NotJudged(
        `the update was refused with ${status(result)}: see 4.1/json-accepted and 4.1/form-accepted`,
      );
    const isStored = (stored: DataSet) => isDeepStrictEqual(tenantMessages(stored), sent);
    // The specification does not say that an update takes effect at once. After one timeout there is no more waiting.
    const limitMs = timedOut.has(ctx) ? 0 : ctx.run.effectWaitMs;
    const stored = await ctx.eventually(() => ctx.control.inspect(), limitMs, isStored);
    if (!isStored(stored)) timedOut.add(ctx);
    expectEqual('the messages that the tenant contains', sent, tenantMessages(stored), result.exchange);
  }
}

/** The tenant contains ordinary messages after each update. */
const updatesAreStored = (
  id: string,
  { call, fraction }: Encoding,
  otherCalls: readonly Call[] = [],
): Check =>
  requirement(id, inspecting, async (ctx) => {
    const [first = validMessages] = inputs.ordinary_messages;
    // An update that follows two others at once, one of them invalid.
    await ctx.call(call(first));
    await ctx.probe(call({ ...first, verification_message: '{{code' }));
    await expectStored(ctx, validMessages, [call(validMessages)]);
    // The update after it follows one that breaks the schema.
    const further = { ...validMessages, further: 'text' };
    await ctx.probe(call(further));
    const isAccepted = (result: CallResult) => {
      expectServed(result, 'other short messages were accepted');
      return true;
    };
    // A server may take one message that is equal to its default for a reset of both.
    const withDefaults = [
      defaults(ctx),
      { ...validMessages, enrollment_message: defaults(ctx).enrollment_message },
    ];
    await ctx.property(ordinaryMessages, (sent) => expectStored(ctx, sent, [call(sent)], isAccepted), {
      examples: [...inputs.ordinary_messages, ...withDefaults, ...inputs.consecutive_messages],
      sequential: true,
      fraction,
    });
    // 8/payload-accepted judges whether long bodies are accepted.
    await expectStored(ctx, validMessages, otherCalls, (result) => !isRefusal(result));
  });

/** Bytes beyond the size that some services read at once, or store in one piece. */
const longBytes = 200_000;

export const storedMessages: readonly Check[] = [
  updatesAreStored('4.1/update-is-stored', asJson, [raw(JSON.stringify(validMessages).padEnd(longBytes))]),
  updatesAreStored('4.1/update-is-stored-form', asForms),

  requirement('4.1/any-text-is-stored', inspecting, async (ctx) => {
    let updates = 0;
    const isAccepted = (result: CallResult) => {
      if (isRefusal(result)) return false;
      updates += 1;
      return true;
    };
    // 4.1/any-text-accepted judges whether unusual texts are accepted.
    const judge = (sent: Messages) => {
      const calls = twoVariations(ctx).flatMap((variation) => [
        { json: sent, variation },
        { form: sent, variation },
      ]);
      return expectStored(ctx, sent, calls, isAccepted);
    };
    await ctx.property(anyMessages, judge, {
      // A server may not store a message that is equal to its default.
      examples: [...unusualExamples, { ...defaults(ctx), enrollment_message: 'Not the default: {{code}}' }],
      sequential: true,
      fraction: 1 / 8,
    });
    if (updates === 0) throw new NotJudged('every update was refused: see 4.1/json-accepted');
  }),

  requirement('4.1/concurrent-updates', inspecting, async (ctx) => {
    // Long bodies arrive too far apart for some services to store two updates at the same time.
    const calls = { long: slowJson, short: (sent: Messages): Call => ({ json: sent }) };
    for (const [length, callOf] of Object.entries(calls)) {
      const updates = [1, 2, 3, 4].map((number) => ({
        enrollment_message: `Enroll ${number}, ${length}, with {{code}}.`,
        verification_message: `Verify ${number}, ${length}, with {{code}}.`,
      }));
      const results = await settleAll(updates, (sent) => ctx.call(callOf(sent)));
      for (const result of results) assertTwinServed(ctx, result);
      const isOne = (stored: DataSet) =>
        updates.some((each) => isDeepStrictEqual(tenantMessages(stored), each));
      const stored = await ctx.eventually(() => ctx.control.inspect(), ctx.run.effectWaitMs, isOne);
      const got = show(tenantMessages(stored));
      const evidence = results.map(({ exchange }) => exchange);
      expectThat(isOne(stored), 'both messages of one of the concurrent updates', got, ...evidence);
    }
  }),

  requirement('4.1/refused-not-stored', inspecting, async (ctx) => {
    const both = (text: string) => ({ enrollment_message: text, verification_message: text });
    const updates: readonly ((text: string) => Call)[] = [
      ...variationsOf(ctx).flatMap((variation) => {
        const other = variation % 2 === 0 ? '1' : 1;
        return [
          (text: string) => ({ json: { ...both(text), other }, variation }),
          (text: string) => ({ form: { ...both(text), other: '1' }, variation }),
        ];
      }),
      // One message is invalid: a service may store the other one first.
      (text) => ({ json: { enrollment_message: text, verification_message: `${text} {{code` } }),
      (text) => ({ form: { enrollment_message: `${text} {{code`, verification_message: text } }),
    ];
    const { expectNoEffect } = await noEffect(ctx, ctx.control.inspect, 'its input is invalid');
    for (const [index, callWith] of ctx.share(updates).entries()) {
      const start = `refused ${ctx.nonce} ${index}`;
      const result = await ctx.probe(callWith(start));
      // The requirements on fields and templates report an update that is accepted.
      if (isRefusal(result)) await expectNoEffect(result, start);
    }
    // A server may check the first of two members with the same name, and store the last one.
    const [valid, open] = ['{{code}}', '{{code'].map((text) => JSON.stringify(both(text)).slice(1, -1));
    const result = await ctx.probe(raw(`{${valid},${open}}`));
    const stored = Object.values(tenantMessages(await ctx.control.inspect()));
    const unclosed = stored.filter((text) => text === '{{code');
    const because = 'each message was sent twice in one body, the last time with an invalid template';
    expectNone({ expected: 'messages that are not valid templates', because }, unclosed, result.exchange);
  }),

  requirement('4.1/refused-changes-nothing', inspecting, async (ctx) => {
    assertTwinServed(ctx, await ctx.call({ json: validMessages }));
    // An update may take effect after its response.
    let before = await ctx.eventually(
      () => ctx.control.inspect(),
      ctx.run.effectWaitMs,
      (stored) => isDeepStrictEqual(tenantMessages(stored), validMessages),
    );
    const mark = `never stored ${ctx.nonce}`;
    const refused = [
      { enrollment_message: mark, verification_message: '{{code' },
      { enrollment_message: '{{code', verification_message: mark },
      { enrollment_message: mark },
    ];
    const calls: readonly Call[] = [
      ...refused.flatMap((form) => [{ json: form }, { form }]),
      { json: { verification_message: mark } },
      { json: { enrollment_message: 1, verification_message: mark } },
      { json: { enrollment_message: mark, verification_message: {} } },
      { json: { enrollment_message: mark, verification_message: 1 } },
      // Again: a service may remember an update before it validates it.
      { json: { enrollment_message: mark, verification_message: 1 } },
      raw(JSON.stringify({ enrollment_message: mark, verification_message: mark }), 'text/plain'),
    ];
    for (const call of ctx.share(calls)) {
      const result = await ctx.probe(call);
      const after = await ctx.control.inspect();
      // After an update that is accepted, which another requirement reports, the next one is compared with its result.
      if (status(result) >= 400) {
        const what = 'the messages before the refused update';
        expectEqual(what, tenantMessages(before), tenantMessages(after), result.exchange);
      }
      before = after;
    }
  }),
];
