import fc, { type Arbitrary } from 'fast-check';
import { ofOtherType } from '../lib/generate/invalid.ts';
import { awkward, invalidTemplate, plainText, validTemplate } from '../lib/generate/text.ts';
import { type Answer, members, response, status } from '../lib/judge/answer.ts';
import { heldMessages } from '../lib/judge/content.ts';
import { expectEqual, expectRefused, expectStatus, expectThat, show } from '../lib/judge/expect.ts';
import type { Call, Judging } from '../lib/judge/judging.ts';
import { type Entry, observation, requirement } from '../lib/judge/requirement.ts';
import { NotJudged, Violation } from '../lib/judge/verdict.ts';

/** Sections 2.1 and 4.1: PUT /guardian/factors/phone/templates. */

type Field = 'enrollment_message' | 'verification_message';
type Messages = Record<Field, string>;

/** Characters of a long message: beyond the limits that columns and text fields usually have. */
const longCharacters = 70_000;

/** Both messages, generated; never the same text, so that swapped ones are seen. */
const messages = (text: Arbitrary<string> = fc.oneof(plainText, validTemplate)): Arbitrary<Messages> =>
  fc
    .record({ enrollment_message: text, verification_message: text }, { noNullPrototype: true })
    .filter((each) => each.enrollment_message !== each.verification_message);

/** Texts that are tried whatever the seed. */
const examples: readonly Messages[] = [
  ...awkward
    .filter((text) => text.trim() !== '')
    .map((text, index) => ({ enrollment_message: text, verification_message: `${index} ${text}` })),
  { enrollment_message: 'a'.repeat(longCharacters), verification_message: 'ü€😀 '.repeat(5000) },
];

const good: Messages = {
  enrollment_message: 'Enroll with {{code}}.',
  verification_message: 'Verify with {{code}}.',
};

const twin = (judging: Judging, call: Call = { json: good }) => judging.twin(() => judging.call(call));

const encoder = new TextEncoder();

/** A raw body with this media type. */
const raw = (text: string | Uint8Array, mediaType = 'application/json'): Call => ({
  body: { mediaType, bytes: typeof text === 'string' ? encoder.encode(text) : text },
});

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
  judging: Judging,
  texts: readonly Messages[],
  send: (sent: Messages) => Promise<readonly Answer[]>,
  runs = judging.run.runs,
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
  await judging.property(
    messages(),
    async (sent) => {
      for (const answer of await send(sent)) judge(answer, sent);
    },
    { runs, examples: texts },
  );
  if (echoes === 0) throw new NotJudged('no answer carries a message: see 4.1/answer-fields');
}

/** What the tenant holds is this; where the update itself was refused, another requirement says so. */
async function expectHeld(judging: Judging, answer: Answer, sent: Messages): Promise<void> {
  if (status(answer) < 200 || status(answer) > 299)
    throw new NotJudged(`the update was refused with ${status(answer)}: see 4.1/json-accepted`);
  const { phone_templates: held } = await judging.control('inspect').inspect();
  for (const field of ['enrollment_message', 'verification_message'] as const) {
    expectEqual(`${field} held by the tenant`, sent[field], held[field], answer.exchange);
  }
}

const missing = (id: string, field: Field): Entry =>
  requirement(id, async (judging) => {
    const { [field]: _left, ...rest } = good;
    expectStatus(await judging.probe({ json: rest }), 400, `${field} is missing`);
    await twin(judging);
  });

const wrongType = (id: string, field: Field): Entry =>
  requirement(id, async (judging) => {
    await judging.property(
      ofOtherType('string'),
      async (value) =>
        expectStatus(
          await judging.probe({ json: { ...good, [field]: value } }),
          400,
          `${field} is no string`,
        ),
      {
        runs: Math.ceil(judging.run.runs / 4),
        examples: [null, 0, 1, true, false, [], ['text'], {}, { text: 'text' }],
      },
    );
    await twin(judging);
  });

/** Templates that are tried whatever the seed: the opening at the start, in the middle, at the end, and after a whole one. */
const unclosed = [
  '{{code',
  'Your code is {{code',
  'Code: {{code}',
  '{{',
  '{{code}} and {{tenant.friendly_name',
];

async function eachInvalid(judging: Judging, judge: (template: string) => Promise<void>): Promise<void> {
  await judging.property(invalidTemplate(), judge, {
    runs: Math.ceil(judging.run.runs / 4),
    examples: unclosed,
  });
  await twin(judging);
}

const invalidIn = (id: string, field: Field): Entry =>
  requirement(id, (judging) =>
    eachInvalid(judging, async (template) =>
      expectStatus(
        await judging.probe({ json: { ...good, [field]: template } }),
        400,
        `${field} is no valid template`,
      ),
    ),
  );

/** Every string anywhere in the body, which may be JSON or text. */
function strings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}

interface TemplateMessage {
  readonly field: string;
  readonly details: string;
  readonly dot: boolean;
}

/**
 * The message about an invalid template that the answer carries, taken apart; undefined where it has none such. Other
 * text may follow it: its full stop then stands before a line's end or before markup. Of several the best is taken.
 */
function templateMessage(answer: Answer): TemplateMessage | undefined {
  const { json, text } = response(answer);
  const found = (json === undefined ? [text] : strings(json)).flatMap((each): TemplateMessage[] => {
    const [, field, rest = ''] = /Invalid (\w+) template:([\s\S]*)$/.exec(each) ?? [];
    if (field === undefined) return [];
    const stop = /\.\s*(?:$|[\r\n<])/.exec(rest);
    return [{ field, details: rest.slice(0, stop?.index).trim(), dot: stop !== null }];
  });
  return found.find(({ dot }) => dot) ?? found[0];
}

const messageOf = (id: string, field: Field): Entry =>
  requirement(id, async (judging) => {
    let refusals = 0;
    await eachInvalid(judging, async (template) => {
      const sent = { ...good, [field]: template };
      for (const call of [{ json: sent }, { form: sent }]) {
        const answer = await judging.probe(call);
        if (status(answer) !== 400) continue;
        refusals += 1;
        const found = templateMessage(answer);
        expectThat(
          found?.field === field,
          `a message 'Invalid ${field} template: <error details>.'`,
          found === undefined ? show(response(answer).text) : `one about ${found.field}`,
          answer.exchange,
        );
      }
    });
    if (refusals === 0) throw new NotJudged(`no invalid ${field} was refused with 400`);
  });

/** Judges the message about an invalid template in either field, where there is one. */
const ofMessage = (
  id: string,
  judge: (message: { details: string; dot: boolean }, answer: Answer) => void,
): Entry =>
  requirement(id, async (judging) => {
    let found = 0;
    await eachInvalid(judging, async (template) => {
      for (const field of ['enrollment_message', 'verification_message'] as const) {
        const sent = { ...good, [field]: template };
        for (const call of [{ json: sent }, { form: sent }]) {
          const answer = await judging.probe(call);
          const message = status(answer) === 400 ? templateMessage(answer) : undefined;
          if (message === undefined) continue;
          found += 1;
          judge(message, answer);
        }
      }
    });
    if (found === 0) throw new NotJudged('no refusal of an invalid template carries the message');
  });

/** Where one invalid template alone is answered wrongly already, the requirements on that blame the server. */
async function messagesRight(judging: Judging): Promise<void> {
  for (const field of ['enrollment_message', 'verification_message']) {
    const answer = await judging.probe({ json: { ...good, [field]: unclosed[0] } });
    if (status(answer) !== 400 || templateMessage(answer)?.field !== field)
      throw new NotJudged(`an invalid ${field} alone is answered wrongly: see its own requirements`);
  }
}

const refusedBodies = (id: string, because: string, bodies: readonly (string | Uint8Array)[]): Entry =>
  requirement(id, async (judging) => {
    for (const body of bodies) expectStatus(await judging.probe(raw(body)), 400, because);
    await twin(judging);
  });

const additional: readonly Readonly<Record<string, unknown>>[] = [
  { name: 'text' },
  { code: 1 },
  { sms_message: null },
  { Enrollment_Message: 'x' },
  { constructor: 'x' },
  { '': 'x' },
];

export const phoneTemplates: readonly Entry[] = [
  requirement('2.1/defaults-are-valid', async (judging) => {
    const schema = judging.contract.component('TemplateMessages');
    const texts = ['enrollment_message', 'verification_message'].map((name) =>
      String(schema?.properties?.[name]?.default),
    );
    const [enrollment_message = '', verification_message = ''] = texts;
    expectStatus(
      await judging.call({ json: { enrollment_message, verification_message } }),
      200,
      'these are the default messages',
    );
    for (const text of ['{{code}}', '{{tenant.friendly_name}}', '{{ code }}{{ tenant.friendly_name }}']) {
      const answer = await judging.call({ json: { enrollment_message: text, verification_message: text } });
      expectStatus(answer, 200, 'the variables of the default messages may be used');
    }
  }),

  requirement('2.1/additional-field', async (judging) => {
    for (const extra of additional) {
      expectStatus(
        await judging.probe({ json: { ...good, ...extra } }),
        400,
        `${show(Object.keys(extra)[0])} is none of its fields`,
      );
    }
    await twin(judging);
  }),

  requirement('2.1/additional-field-form', async (judging) => {
    for (const [name] of additional.flatMap(Object.entries).filter(([name]) => name !== '')) {
      expectStatus(
        await judging.probe({ form: { ...good, [name]: 'x' } }),
        400,
        `${show(name)} is none of its fields`,
      );
    }
    await twin(judging, { form: good });
  }),

  requirement('4.1/json-accepted', async (judging) => {
    await judging.property(
      messages(),
      async (sent) =>
        expectStatus(
          await judging.call({ json: sent }),
          200,
          'both messages are strings and valid templates',
        ),
      { examples },
    );
  }),

  requirement('4.1/form-accepted', async (judging) => {
    await judging.property(
      messages(),
      async (sent) => {
        for (const form of formTexts(sent)) {
          expectStatus(await judging.call({ form }), 200, 'both messages are strings and valid templates');
        }
      },
      { runs: Math.ceil(judging.run.runs / 2), examples: examples.slice(0, -1) },
    );
    const charset = raw(
      new URLSearchParams(good).toString(),
      'application/x-www-form-urlencoded; charset=UTF-8',
    );
    expectStatus(await judging.call(charset), 200, 'a parameter of the media type changes nothing');
  }),

  requirement('4.1/answer-echoes', (judging) =>
    expectEchoes(judging, examples, async (sent) => [await judging.call({ json: sent })]),
  ),

  requirement('4.1/answer-echoes-form', (judging) =>
    expectEchoes(
      judging,
      examples.slice(0, -1),
      (sent) => Promise.all(formTexts(sent).map((form) => judging.call({ form }))),
      Math.ceil(judging.run.runs / 2),
    ),
  ),

  requirement('4.1/answer-no-third-field', async (judging) => {
    for (const call of [{ json: good }, { form: good }]) {
      const answer = await judging.call(call);
      const names = Object.keys(members(answer));
      if (!names.some((name) => Object.hasOwn(good, name)))
        throw new NotJudged('the answer carries neither message: see 4.1/answer-fields');
      const third = names.filter((name) => !Object.hasOwn(good, name));
      if (status(answer) === 200) expectEqual('fields beside the two messages', [], third, answer.exchange);
    }
  }),

  requirement('4.1/update-is-held', async (judging) => {
    await judging.property(
      messages(),
      async (sent) => expectHeld(judging, await judging.call({ json: sent }), sent),
      {
        examples,
        sequential: true,
        runs: Math.ceil(judging.run.runs / 2),
      },
    );
  }),

  requirement('4.1/update-is-held-form', async (judging) => {
    await judging.property(
      messages(),
      async (sent) => {
        for (const form of formTexts(sent)) await expectHeld(judging, await judging.call({ form }), sent);
      },
      { examples: examples.slice(0, -1), sequential: true, runs: Math.ceil(judging.run.runs / 4) },
    );
  }),

  requirement('4.1/refused-changes-nothing', async (judging) => {
    const control = judging.control('inspect');
    await twin(judging);
    let before = await control.inspect();
    const mark = `never held ${judging.seed}`;
    const bodies: readonly Call[] = [
      { json: { enrollment_message: mark, verification_message: '{{code' } },
      { json: { enrollment_message: '{{code', verification_message: mark } },
      { json: { enrollment_message: mark } },
      { json: { verification_message: mark } },
      { json: { enrollment_message: mark, verification_message: 1 } },
      { json: { enrollment_message: mark, verification_message: mark, other: 1 } },
      { form: { enrollment_message: mark } },
    ];
    for (const call of bodies) {
      const answer = await judging.probe(call);
      const after = await control.inspect();
      if (status(answer) < 400) {
        // Not refused, as another requirement says; what follows is compared with what it has left.
        before = after;
        continue;
      }
      expectEqual(
        'the messages as before the refused update',
        heldMessages(before),
        heldMessages(after),
        answer.exchange,
      );
    }
  }),

  missing('4.1/enrollment-required', 'enrollment_message'),
  missing('4.1/verification-required', 'verification_message'),

  requirement('4.1/form-required', async (judging) => {
    const { enrollment_message, verification_message } = good;
    for (const form of [{ enrollment_message }, { verification_message }, '']) {
      expectStatus(await judging.probe({ form }), 400, 'one of the messages is missing');
    }
    await twin(judging, { form: good });
  }),

  wrongType('4.1/enrollment-type', 'enrollment_message'),
  wrongType('4.1/verification-type', 'verification_message'),

  refusedBodies('4.1/body-required', 'its body is empty', ['']),
  refusedBodies('4.1/body-malformed', 'its body is no JSON', [
    '{',
    'enrollment_message',
    '{"enrollment_message":"a","verification_message":"b"',
    "{'enrollment_message':'a','verification_message':'b'}",
    '{"enrollment_message":"a","verification_message":"b",}',
    '{"enrollment_message":"a","verification_message":"b"} trailing',
  ]),
  refusedBodies('4.1/body-object', 'its body is no JSON object', [
    '[]',
    `[${JSON.stringify(good)}]`,
    '"text"',
    '1',
    'true',
    'null',
    '{}',
  ]),

  requirement('4.1/media-type', async (judging) => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/octet-stream',
      'multipart/form-data; boundary=x',
    ]) {
      expectRefused(
        await judging.probe(raw(JSON.stringify(good), type)),
        `${type} is neither JSON nor a form`,
      );
    }
    await twin(judging);
  }),

  invalidIn('4.1/invalid-enrollment-template', 'enrollment_message'),
  invalidIn('4.1/invalid-verification-template', 'verification_message'),

  requirement('4.1/invalid-template-form', async (judging) => {
    for (const field of ['enrollment_message', 'verification_message'] as const) {
      for (const template of unclosed) {
        expectStatus(
          await judging.probe({ form: { ...good, [field]: template } }),
          400,
          `${field} is no valid template`,
        );
      }
    }
    await twin(judging, { form: good });
  }),

  requirement('4.1/invalid-templates-both', async (judging) => {
    await eachInvalid(judging, async (template) => {
      const answer = await judging.probe({
        json: { enrollment_message: template, verification_message: template },
      });
      const found = status(answer) === 400 ? templateMessage(answer) : undefined;
      if (found !== undefined && Object.hasOwn(good, found.field)) return;
      await messagesRight(judging);
      expectStatus(answer, 400, 'neither message is a valid template');
      throw new Violation(
        "a message 'Invalid <field> template: <error details>.' about one of them",
        show(response(answer).text),
        [answer.exchange],
      );
    });
  }),

  messageOf('4.1/enrollment-template-message', 'enrollment_message'),
  messageOf('4.1/verification-template-message', 'verification_message'),

  ofMessage('4.1/template-message-details', ({ details }, answer) =>
    expectThat(
      /[\p{L}\p{N}]/u.test(details),
      'details of the error behind the colon',
      show(details),
      answer.exchange,
    ),
  ),
  ofMessage('4.1/template-message-dot', ({ dot }, answer) =>
    expectThat(dot, 'a full stop at the end of the message', show(response(answer).text), answer.exchange),
  ),

  observation('4.1/unknown-variable', async (judging) => {
    return status(await judging.call({ json: { ...good, enrollment_message: '{{no_such_variable}}' } }));
  }),

  observation('4.1/conditional', async (judging) => {
    const texts = ['{% if code %}{{code}}{% endif %}', '{{ code | upcase }}'];
    const answers = await Promise.all(
      texts.map((text) => judging.call({ json: { ...good, enrollment_message: text } })),
    );
    return Object.fromEntries(texts.map((text, index) => [text, statusOf(answers[index])]));
  }),

  observation('4.1/lone-braces', async (judging) => {
    const texts = ['{ code }', 'a } b', 'a { b', '{}', 'code}}'];
    const answers = await Promise.all(
      texts.map((text) => judging.call({ json: { ...good, enrollment_message: text } })),
    );
    return Object.fromEntries(texts.map((text, index) => [text, statusOf(answers[index])]));
  }),

  observation('4.1/empty-message', async (judging) =>
    status(await judging.call({ json: { ...good, enrollment_message: '' } })),
  ),

  observation('4.1/repeated-form-field', async (judging) => {
    return status(await judging.call({ form: `${new URLSearchParams(good)}&enrollment_message=again` }));
  }),

  observation('4.1/both-invalid-names', async (judging) => {
    const answer = await judging.probe({
      json: { enrollment_message: '{{code', verification_message: '{{code' },
    });
    return templateMessage(answer)?.field;
  }),

  observation('4.1/media-type-status', async (judging) =>
    status(await judging.probe(raw(JSON.stringify(good), 'text/plain'))),
  ),
];

const statusOf = (answer: Answer | undefined): number | undefined =>
  answer === undefined ? undefined : status(answer);
