import { everyNeutralText, invalidTemplate, shortTemplateCharacters } from '../lib/arbitraries/text.ts';
import type { Exchange } from '../lib/client/exchange.ts';
import type { ReceivedResponse } from '../lib/client/received-response.ts';
import type { Call } from '../lib/runner/call.ts';
import { responseOf, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expect400, expectRefused, expectStatus, expectThat, isRefusal, show } from '../lib/runner/expect.ts';
import { type Check, exchangeCheck, type JudgeExchange, requirement } from '../lib/runner/requirement.ts';
import { NotJudged, Violation } from '../lib/runner/verdict.ts';
import { inputs } from './inputs.ts';
import { statusesOf, statusOf } from './observed-statuses.ts';
import {
  defaults,
  type Field,
  fields,
  isNeutralTemplate,
  messagesOfUpdate,
  updating,
  validMessages,
  validTwin,
} from './phone-messages.ts';
import { variationsOf } from './requests.ts';

/** Section 4.1: invalid templates, and the error message about them. */

/** A list of templates for each requirement, with the texts that their placeholders stand for. */
const furtherUnclosed = inputs.further_unclosed_templates.map((templates) =>
  templates.map((template) =>
    template
      .replace('<unusual>', everyNeutralText)
      .replace('<unusual, all open>', everyNeutralText.replaceAll('}', ''))
      .replace('<long>', 'a '.repeat(33_000)),
  ),
);

/**
 * Judges updates with invalid templates: those for every requirement, those of its own list, and generated ones.
 * @param list index of the requirement's own list
 * @param examples those that are tried in every variation
 * @param fraction of the run's number of generated ones
 */
async function eachInvalid(
  ctx: RequirementContext,
  list: number,
  judge: (template: string, variation?: number) => Promise<void>,
  { examples = inputs.unclosed_templates, fraction = 1 / 8 } = {},
): Promise<void> {
  const variations = variationsOf(ctx);
  // Consecutive requests have different tokens: a service may remember the last one.
  for (const template of examples) for (const variation of variations) await judge(template, variation);
  // It may also remember its response to an equal request.
  for (const template of examples.slice(0, 1)) await judge(template, 0);
  for (const template of ctx.share(furtherUnclosed[list] ?? []))
    for (const variation of variations) await judge(template, variation);
  await ctx.property(invalidTemplate(), (template) => judge(template), { fraction });
  await validTwin(ctx);
}

/** Length of a message in a form that every server reads. */
const ordinaryFormCharacters = 1_000;

const invalidIn = (id: string, field: Field): Check =>
  requirement(id, updating, (ctx) =>
    eachInvalid(ctx, fields.indexOf(field), async (template, variation) => {
      // A server may check both messages as one text, one only if the other contains a variable, or none if one is its default.
      const usual = defaults(ctx)[field === fields[0] ? fields[1] : fields[0]];
      const others = [validMessages.enrollment_message, 'No variable', '}} ends here', usual];
      // Some refuse those, so that every second variation has an ordinary one.
      const index = variation === undefined || variation % 2 === 1 ? template.length + (variation ?? 0) : 0;
      const other = others[index % others.length] ?? '';
      const json = { enrollment_message: other, verification_message: other, [field]: template };
      await expect400(ctx, { json, variation }, `${field} is not a valid template`);
    }),
  );

/** All strings anywhere in a JSON value. */
function strings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}

/** A server may refuse a longer text, a line feed or an emoji for another reason, with another message (section 7, row 400). */
const isShortLine = (template: string): boolean =>
  template.length <= shortTemplateCharacters && !/[\p{Cc}\p{Extended_Pictographic}]/u.test(template);

interface TemplateMessage {
  readonly field: string;
  readonly details: string;
  readonly dot: boolean;
}

/**
 * The message about an invalid template in the response, parsed; undefined if there is none. Its full stop is the first one that
 * no letter or digit follows, since other text may follow. Prefers a message with a full stop.
 */
function templateMessage({ json, text }: ReceivedResponse): TemplateMessage | undefined {
  const found = (json === undefined ? [text] : strings(json)).flatMap((each): TemplateMessage[] => {
    const [, field, rest = ''] = /Invalid (\w+) template:([\s\S]*)$/.exec(each) ?? [];
    if (field === undefined) return [];
    const stop = /\.(?![\p{L}\p{N}])/u.exec(rest);
    return [{ field, details: rest.slice(0, stop?.index).trim(), dot: stop !== null }];
  });
  return found.find(({ dot }) => dot) ?? found[0];
}

/** True for a short, valid message that has the variable that some servers require. */
const isUsual = (text: string): boolean =>
  isNeutralTemplate(text) && isShortLine(text) && text.includes('{{code}}');

type JudgeMessage = (message: TemplateMessage, exchange: Exchange) => void;

/**
 * Judges the message, if there is one, in the responses to updates with invalid templates.
 * @param field the one that has to be invalid, and it alone. Default: any
 */
const inInvalidUpdates =
  (judge: JudgeMessage, field?: Field): JudgeExchange =>
  (exchange, { sentBy }) => {
    const sent = /\/invalid-|-template-message$/.test(sentBy) ? messagesOfUpdate(exchange) : undefined;
    if (sent === undefined || exchange.response?.status !== 400) return false;
    const invalid = fields.filter((each) => !isUsual(sent[each]));
    const isMeant = field === undefined ? invalid.length > 0 : invalid.join() === field;
    const message = templateMessage(exchange.response);
    if (!isMeant || !fields.every((each) => isShortLine(sent[each])) || message === undefined) return false;
    judge(message, exchange);
    return true;
  };

/** @param list index of the requirement's own list of invalid templates */
function messageOf(id: string, list: number, field: Field): Check {
  const judge = (message: TemplateMessage | undefined, exchange: Exchange): void => {
    const expected = `a message 'Invalid ${field} template: <error details>.'`;
    const about = message && `a message about ${message.field}`;
    expectThat(message?.field === field, expected, about ?? show(exchange.response?.text ?? ''), exchange);
  };
  const execution = { ...updating, judgeExchange: inInvalidUpdates(judge, field) };
  return requirement(id, execution, async (ctx) => {
    let found = 0;
    const send = async (template: string, variation?: number) => {
      const sent = { ...validMessages, [field]: template };
      const content = (variation ?? template.length) % 2 === 0 ? { json: sent } : { form: sent };
      const result = await ctx.probe({ ...content, variation });
      // The requirements on invalid templates report a refusal with another status.
      if (status(result) < 300) expectStatus(result, 400, `${field} is not a valid template`);
      if (status(result) !== 400) return;
      const message = templateMessage(responseOf(result));
      if (message === undefined && (await mayLackMessage(ctx, field, template))) return;
      judge(message, result.exchange);
      found += 1;
    };
    await eachInvalid(ctx, list, send, { examples: inputs.unclosed_templates.slice(1, 2), fraction: 1 / 24 });
    if (found === 0) throw new NotJudged('no 400 for an invalid template contains the message');
  });
}

/**
 * True if a server may refuse this invalid template for another reason: its characters, or its length if a valid message of that
 * length is refused too.
 */
async function mayLackMessage(ctx: RequirementContext, field: Field, template: string): Promise<boolean> {
  if (!isShortLine(template)) return true;
  const valid = validMessages[field].padEnd(template.length, ' a');
  if (valid === validMessages[field]) return false;
  return isRefusal(await ctx.call({ json: { ...validMessages, [field]: valid } }));
}

/** Throws NotJudged if the response to a single invalid template is already wrong, which other requirements report. */
async function assertSingleMessages(ctx: RequirementContext): Promise<void> {
  for (const field of fields) {
    const result = await ctx.probe({ json: { ...validMessages, [field]: inputs.unclosed_templates[0] } });
    if (status(result) !== 400 || templateMessage(responseOf(result))?.field !== field)
      throw new NotJudged(`the response to an invalid ${field} alone is wrong: see its own requirements`);
  }
}

/** An update with this enrollment message. */
const withEnrollment = (text: string): Call => ({ json: { ...validMessages, enrollment_message: text } });

/** Observes the statuses of updates with these enrollment messages. */
const statusesOfTexts = (id: string, texts: readonly string[]): Check =>
  statusesOf(id, updating, () => Object.fromEntries(texts.map((text) => [text, withEnrollment(text)])));

export const invalidTemplates: readonly Check[] = [
  invalidIn('4.1/invalid-enrollment-template', 'enrollment_message'),

  invalidIn('4.1/invalid-verification-template', 'verification_message'),

  requirement('4.1/invalid-template-form', updating, async (ctx) => {
    await eachInvalid(ctx, 2, async (template, variation) => {
      for (const field of fields) {
        const form = { ...validMessages, [field]: template };
        const because = `${field} is not a valid template`;
        // A service may limit the length of forms.
        const wanted = template.length > ordinaryFormCharacters ? [400, 413] : [400];
        expectRefused(await ctx.probe({ form, variation }), because, wanted);
      }
    });
    await ctx.twin({ form: validMessages });
  }),

  requirement('4.1/invalid-templates-both', updating, (ctx) =>
    eachInvalid(ctx, 3, async (template, variation) => {
      const sent = { enrollment_message: template, verification_message: template };
      const isForm =
        template.length <= ordinaryFormCharacters && (template.length + (variation ?? 0)) % 2 === 0;
      const content = isForm ? { form: sent } : { json: sent };
      const result = await ctx.probe({ ...content, variation });
      const found = status(result) === 400 ? templateMessage(responseOf(result)) : undefined;
      if (found !== undefined && Object.hasOwn(validMessages, found.field)) return;
      await assertSingleMessages(ctx);
      expectStatus(result, 400, 'neither message is a valid template');
      if (found === undefined && (await mayLackMessage(ctx, fields[0], template))) return;
      const expected = "a message 'Invalid <field> template: <error details>.' about one of them";
      throw new Violation(expected, show(responseOf(result).text), [result.exchange]);
    }),
  ),

  messageOf('4.1/enrollment-template-message', 4, 'enrollment_message'),

  messageOf('4.1/verification-template-message', 5, 'verification_message'),

  exchangeCheck(
    '4.1/template-message-details',
    updating.needs,
    inInvalidUpdates(({ details }, exchange) =>
      expectThat(/[\p{L}\p{N}]/u.test(details), 'details after the colon', show(details), exchange),
    ),
  ),

  exchangeCheck(
    '4.1/template-message-dot',
    updating.needs,
    inInvalidUpdates(({ dot }, exchange) => {
      const { text = '' } = exchange.response ?? {};
      expectThat(dot, 'a full stop at the end of the message', show(text), exchange);
    }),
  ),

  statusOf('4.1/unknown-variable', updating, () => withEnrollment('{{no_such_variable}}')),
  statusesOfTexts('4.1/conditional', ['{% if code %}{{code}}{% endif %}', '{{ code | upcase }}']),
  statusesOfTexts('4.1/lone-braces', ['{ code }', 'a } b', 'a { b', '{}', 'code}}']),
];
