import type { DataSet } from '../lib/contract/data-set.ts';
import { isObject } from '../lib/contract/json.ts';
import { type Answer, response, status } from '../lib/runner/answer.ts';
import type { Call } from '../lib/runner/call.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectEqual, expectRefused, expectStatus, isRefusal } from '../lib/runner/expect.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';

/** Sections 2.5 and 4.5: GET /self-service-profiles/{id}/custom-text/{language}/{page}. */

/** The values that a path parameter may have. */
const allowed = (ctx: RequirementContext, name: string): readonly string[] =>
  (ctx.operation.parameters.find((parameter) => parameter.name === name)?.schema.enum ?? []).map(String);

/** Values outside an enum: other words, other cases, parts, longer forms. */
const outside = (values: readonly string[], words: readonly string[]): readonly string[] =>
  [
    ...words,
    ...values.flatMap((value) => [
      value.toUpperCase(),
      `${value[0]?.toUpperCase()}${value.slice(1)}`,
      `${value}x`,
      value.slice(0, -1),
      `${value}-US`,
      `${value} `,
    ]),
  ].filter((each) => !values.includes(each));

const languages = (ctx: RequirementContext) =>
  outside(allowed(ctx, 'language'), ['fr', 'de', 'xx', '0', 'english']);
const pages = (ctx: RequirementContext) =>
  outside(allowed(ctx, 'page'), ['login', 'finish', '0', 'get_started']);

const refused = (
  id: string,
  name: 'language' | 'page',
  values: (ctx: RequirementContext) => readonly string[],
): Check =>
  requirement(id, { needs: ['token', 'self_service_profile'], lane: 'parallel' }, async (ctx) => {
    for (const value of values(ctx)) {
      expectRefused(
        await ctx.probe({ path: { [name]: value } }),
        `${JSON.stringify(value)} is no ${name} of the contract`,
      );
    }
    await ctx.twin(() => ctx.call());
  });

const refusedWith400 = (
  id: string,
  name: 'language' | 'page',
  values: (ctx: RequirementContext) => readonly string[],
): Check =>
  requirement(id, { needs: ['token', 'self_service_profile'], lane: 'parallel' }, async (ctx) => {
    let refusals = 0;
    for (const value of values(ctx)) {
      const answer = await ctx.probe({ path: { [name]: value } });
      if (isRefusal(answer)) {
        refusals += 1;
        expectStatus(answer, 400, `${JSON.stringify(value)} breaks the schema of ${name}`);
        // Anything but a refusal is what the requirement about the refusal itself is about.
      } else ctx.run.claim([answer.exchange]);
    }
    if (refusals === 0) throw new NotJudged(`no other ${name} was refused: see 4.5/${name}-enum`);
  });

/** For each profile and each language and page that has text: the call that reads it, and the text that the tenant holds. */
function heldTexts(
  dataSet: DataSet,
): readonly { readonly call: Call; readonly text: Readonly<Record<string, string>> }[] {
  return dataSet.self_service_profiles.flatMap(({ id, custom_text }) =>
    Object.entries(custom_text).flatMap(([language, flowPages]) =>
      Object.entries(flowPages).map(([page, text]) => ({ call: { path: { id, language, page } }, text })),
    ),
  );
}

/** True for an object of strings; anything else is blamed by 2.5/custom-text-strings. */
function holdsStrings(answer: Answer): boolean {
  const { json } = response(answer);
  return isObject(json) && Object.values(json).every((value) => typeof value === 'string');
}

export const customText: readonly Check[] = [
  requirement('4.5/reads', { needs: ['token', 'self_service_profile'], lane: 'parallel' }, async (ctx) => {
    expectStatus(await ctx.call(), 200, 'the profile exists');
    const { dataSet } = ctx.optional;
    for (const { call } of dataSet === undefined ? [] : heldTexts(dataSet))
      expectStatus(await ctx.call(call), 200, 'the profile exists, however much text it has');
  }),

  requirement('4.5/text-content', { needs: ['token', 'data'], lane: 'parallel' }, async (ctx) => {
    const [held] = heldTexts(ctx.dataSet);
    if (held === undefined) throw new NotJudged('no profile has custom text', ['--control']);
    const answer = await ctx.call(held.call);
    if (status(answer) === 200 && holdsStrings(answer))
      expectEqual('the text that the tenant holds', held.text, response(answer).json, answer.exchange);
  }),

  requirement('4.5/own-profile', { needs: ['token', 'data'], lane: 'parallel' }, async (ctx) => {
    const [first, ...others] = heldTexts(ctx.dataSet);
    if (first === undefined || others.length === 0)
      throw new NotJudged('fewer than two profiles have custom text', ['--control']);
    for (const { call, text } of others) {
      const answer = await ctx.call(call);
      if (status(answer) === 200 && holdsStrings(answer))
        expectEqual("this profile's own text", text, response(answer).json, answer.exchange);
    }
  }),

  refused('4.5/language-enum', 'language', languages),
  refusedWith400('4.5/language-enum-400', 'language', languages),
  refused('4.5/page-enum', 'page', pages),
  refusedWith400('4.5/page-enum-400', 'page', pages),

  observation('4.5/unknown-profile-status', { needs: ['token'], lane: 'parallel' }, async (ctx) => {
    const [language = '', page = ''] = [allowed(ctx, 'language')[0], allowed(ctx, 'page')[0]];
    const answer = await ctx.call({ path: { id: 'no-such-profile', language, page } });
    const { json } = response(answer);
    return status(answer) === 200 && isObject(json)
      ? `200 with ${Object.keys(json).length} texts`
      : status(answer);
  }),
];
