import fc from 'fast-check';
import { type Answer, members, status } from '../lib/runner/answer.ts';
import type { Call } from '../lib/runner/call.ts';
import { tenantMessages } from '../lib/runner/content.ts';
import type { ContextFor, RequirementContext } from '../lib/runner/context.ts';
import { expectEqual, expectStatus, isRefusal, show } from '../lib/runner/expect.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import {
  anyMessages,
  encoder,
  type Field,
  good,
  type Messages,
  ordinaryExamples,
  ordinaryMessages,
  raw,
  twin,
  unusualExamples,
} from './phone-messages.ts';

/** Sections 2.1 and 4.1: updates of PUT /guardian/factors/phone/templates that are accepted, what is answered and what is held. */

/** Percent-encoding that leaves nothing but letters and digits as it is, as strict clients send it; a blank as %20. */
const percentEncoded = (text: string): string =>
  [...encoder.encode(text)]
    .map((byte) =>
      /[A-Za-z0-9]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

/** Both ways in which a form may be written: a blank as `+`, and as %20. */
const formTexts = (sent: Messages): readonly string[] => [
  new URLSearchParams(sent).toString(),
  Object.entries(sent)
    .map(([name, text]) => `${name}=${percentEncoded(text)}`)
    .join('&'),
];

const sentMessages = (answer: Answer): Partial<Record<Field, unknown>> => {
  const { enrollment_message, verification_message } = members(answer);
  return { enrollment_message, verification_message };
};

/**
 * Where updates are answered with 2xx and messages, the messages are these; that they are, is another requirement. Throws NotJudged
 * where none is.
 */
async function expectEchoes(
  ctx: RequirementContext,
  texts: readonly Messages[],
  send: (sent: Messages) => Promise<readonly Answer[]>,
  runs = ctx.run.runs,
): Promise<void> {
  let echoes = 0;
  const judge = (answer: Answer, sent: Messages): void => {
    if (status(answer) < 200 || status(answer) > 299) return;
    const got = sentMessages(answer);
    for (const field of ['enrollment_message', 'verification_message'] as const) {
      if (typeof got[field] !== 'string') continue;
      echoes += 1;
      expectEqual(`${field} in the answer`, sent[field], got[field], answer.exchange);
    }
  };
  await ctx.property(
    fc.oneof(ordinaryMessages, anyMessages),
    async (sent) => {
      for (const answer of await send(sent)) judge(answer, sent);
    },
    { runs, examples: texts },
  );
  if (echoes === 0) throw new NotJudged('no answer carries a message: see 4.1/answer-fields');
}

/** What the tenant holds is this; where the update itself was refused, another requirement says so. */
async function expectHeld(ctx: ContextFor<'inspect'>, answer: Answer, sent: Messages): Promise<void> {
  if (status(answer) < 200 || status(answer) > 299)
    throw new NotJudged(`the update was refused with ${status(answer)}: see 4.1/json-accepted`);
  const { phone_templates: held } = await ctx.control.inspect();
  for (const field of ['enrollment_message', 'verification_message'] as const) {
    expectEqual(`${field} held by the tenant`, sent[field], held[field], answer.exchange);
  }
}

/** Members that no schema names: other names, prefixes and extensions of the two, prototype members, values of each type. */
const additional: readonly (readonly [name: string, value: unknown])[] = [
  ['name', 'text'],
  ['code', 1],
  ['sms_message', null],
  ['messages', {}],
  ['templates', ['text']],
  ['is_default', false],
  ['enrollment', 'text'],
  ['enrollment_message_2', 'text'],
  ['verification_message.text', 'text'],
  ['constructor', 'text'],
  ['__proto__', 'text'],
  ['toString', null],
  ['', 'text'],
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

export const phoneTemplates: readonly Check[] = [
  requirement('2.1/defaults-are-valid', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const schema = ctx.contract.component('TemplateMessages');
    const texts = ['enrollment_message', 'verification_message'].map((name) =>
      String(schema?.properties?.[name]?.default),
    );
    const [enrollment_message = '', verification_message = ''] = texts;
    const defaults = { enrollment_message, verification_message };
    await expectAccepted(ctx, [{ json: defaults }, { form: defaults }]);
  }),

  requirement('2.1/additional-field', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const usual = Object.entries(good);
    for (const extra of additional) {
      for (const members of [
        [extra, ...usual],
        [...usual, extra],
      ]) {
        expectStatus(
          await ctx.probe(raw(jsonObject(members))),
          400,
          `${show(extra[0])} is not one of its fields`,
        );
      }
    }
    await twin(ctx);
  }),

  requirement('2.1/additional-field-form', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    for (const name of additionalFormNames) {
      for (const form of [
        { ...good, [name]: 'x' },
        { [name]: 'x', ...good },
      ]) {
        expectStatus(await ctx.probe({ form }), 400, `${show(name)} is not one of its fields`);
      }
    }
    await twin(ctx, { form: good });
  }),

  requirement('2.1/field-name-case', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    const { enrollment_message, ...rest } = good;
    for (const json of [
      { ...good, Enrollment_Message: 'x' },
      { ...rest, Enrollment_Message: enrollment_message },
    ]) {
      for (const call of [{ json }, { form: json }])
        expectStatus(await ctx.probe(call), 400, 'Enrollment_Message is not one of its fields');
    }
    await twin(ctx);
  }),

  requirement('4.1/json-accepted', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    await ctx.property(ordinaryMessages, (sent) => expectAccepted(ctx, [{ json: sent }]), {
      examples: ordinaryExamples,
    });
    const reversed = jsonObject(Object.entries(good).toReversed());
    await expectAccepted(ctx, [raw(reversed), raw(JSON.stringify(good, null, 2))]);
  }),

  requirement('4.1/form-accepted', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    await ctx.property(
      ordinaryMessages,
      (sent) =>
        expectAccepted(
          ctx,
          formTexts(sent).map((form) => ({ form })),
        ),
      { runs: Math.ceil(ctx.run.runs / 2), examples: ordinaryExamples },
    );
  }),

  requirement('4.1/any-text-accepted', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    await ctx.property(anyMessages, (sent) => expectAccepted(ctx, [{ json: sent }]), {
      examples: unusualExamples,
    });
  }),

  requirement('4.1/any-text-accepted-form', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    await ctx.property(
      anyMessages,
      (sent) =>
        expectAccepted(
          ctx,
          formTexts(sent).map((form) => ({ form })),
        ),
      { runs: Math.ceil(ctx.run.runs / 2), examples: unusualExamples.slice(0, -1) },
    );
  }),

  requirement('4.1/charset-accepted', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
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
      const shown = Object.entries(sentMessages(answer)).filter(([, text]) => typeof text === 'string');
      expectEqual(
        'the messages in the answer',
        sent,
        { ...sent, ...Object.fromEntries(shown) },
        answer.exchange,
      );
    }
  }),

  requirement('4.1/answer-echoes', { needs: ['token', 'write'], lane: 'parallel' }, (ctx) =>
    expectEchoes(ctx, [...ordinaryExamples, ...unusualExamples], async (sent) => [
      await ctx.call({ json: sent }),
    ]),
  ),

  requirement('4.1/answer-echoes-form', { needs: ['token', 'write'], lane: 'parallel' }, (ctx) =>
    expectEchoes(
      ctx,
      [...ordinaryExamples, ...unusualExamples.slice(0, -1)],
      (sent) => settleAll(formTexts(sent), (form) => ctx.call({ form })),
      Math.ceil(ctx.run.runs / 2),
    ),
  ),

  requirement('4.1/answer-no-third-field', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    for (const call of [{ json: good }, { form: good }]) {
      const answer = await ctx.call(call);
      const names = Object.keys(members(answer));
      if (!names.some((name) => Object.hasOwn(good, name)))
        throw new NotJudged('the answer carries neither message: see 4.1/answer-fields');
      const third = names.filter((name) => !Object.hasOwn(good, name));
      if (status(answer) === 200) expectEqual('fields beside the two messages', [], third, answer.exchange);
    }
  }),

  requirement(
    '4.1/update-is-held',
    { needs: ['token', 'write', 'inspect'], lane: 'operation' },
    async (ctx) => {
      await ctx.property(
        ordinaryMessages,
        async (sent) => expectHeld(ctx, await ctx.call({ json: sent }), sent),
        {
          examples: ordinaryExamples,
          sequential: true,
          runs: Math.ceil(ctx.run.runs / 2),
        },
      );
    },
  ),

  requirement(
    '4.1/update-is-held-form',
    { needs: ['token', 'write', 'inspect'], lane: 'operation' },
    async (ctx) => {
      await ctx.property(
        ordinaryMessages,
        async (sent) => {
          for (const form of formTexts(sent)) await expectHeld(ctx, await ctx.call({ form }), sent);
        },
        { examples: ordinaryExamples, sequential: true, runs: Math.ceil(ctx.run.runs / 4) },
      );
    },
  ),

  requirement(
    '4.1/any-text-is-held',
    { needs: ['token', 'write', 'inspect'], lane: 'operation' },
    async (ctx) => {
      await ctx.property(
        anyMessages,
        async (sent) => {
          for (const call of [{ json: sent }, ...formTexts(sent).map((form) => ({ form }))]) {
            const answer = await ctx.call(call);
            // Whether unusual texts are accepted is 4.1/any-text-accepted.
            if (!isRefusal(answer)) await expectHeld(ctx, answer, sent);
          }
        },
        { examples: unusualExamples.slice(0, -1), sequential: true, runs: Math.ceil(ctx.run.runs / 4) },
      );
      const long = unusualExamples.at(-1);
      for (const call of long === undefined ? [] : [{ json: long }, { form: long }]) {
        const answer = await ctx.call(call);
        if (long !== undefined && !isRefusal(answer)) await expectHeld(ctx, answer, long);
      }
    },
  ),

  requirement(
    '4.1/refused-changes-nothing',
    { needs: ['token', 'write', 'inspect'], lane: 'operation' },
    async (ctx) => {
      const control = ctx.control;
      await twin(ctx);
      let before = await control.inspect();
      const mark = `never held ${ctx.seed}`;
      const bodies: readonly Call[] = [
        { json: { enrollment_message: mark, verification_message: '{{code' } },
        { json: { enrollment_message: '{{code', verification_message: mark } },
        { json: { enrollment_message: mark } },
        { json: { verification_message: mark } },
        { json: { enrollment_message: mark, verification_message: 1 } },
        { json: { enrollment_message: mark, verification_message: mark, other: 1 } },
        { form: { enrollment_message: mark } },
        { form: { enrollment_message: mark, verification_message: '{{code' } },
        { form: { enrollment_message: '{{code', verification_message: mark } },
      ];
      for (const call of bodies) {
        const answer = await ctx.probe(call);
        const after = await control.inspect();
        if (status(answer) < 400) {
          // Not refused, as another requirement says; what follows is compared with what it has left.
          before = after;
          continue;
        }
        expectEqual(
          'the messages as before the refused update',
          tenantMessages(before),
          tenantMessages(after),
          answer.exchange,
        );
      }
    },
  ),

  observation('4.1/lone-surrogate', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) =>
    status(
      await ctx.call(raw('{"enrollment_message":"\\ud800 {{code}}","verification_message":"{{code}}"}')),
    ),
  ),

  observation('4.1/empty-message', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) =>
    status(await ctx.call({ json: { ...good, enrollment_message: '' } })),
  ),

  observation('4.1/repeated-form-field', { needs: ['token', 'write'], lane: 'parallel' }, async (ctx) => {
    return status(await ctx.call({ form: `${new URLSearchParams(good)}&enrollment_message=again` }));
  }),
];
