import { type Answer, isObject, response, status } from '../lib/judge/answer.ts';
import type { Call } from '../lib/judge/call.ts';
import { expectEqual, expectRefused, expectStatus, isRefusal } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { type Entry, observation, requirement } from '../lib/judge/requirement.ts';
import { NotJudged } from '../lib/judge/verdict.ts';

/** Sections 2.5 and 4.5: GET /self-service-profiles/{id}/custom-text/{language}/{page}. */

/** The values that a path parameter may have. */
const allowed = (judging: Judging, name: string): readonly string[] =>
  (judging.operation.parameters.find((parameter) => parameter.name === name)?.schema.enum ?? []).map(String);

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

const languages = (judging: Judging) =>
  outside(allowed(judging, 'language'), ['fr', 'de', 'xx', '0', 'english']);
const pages = (judging: Judging) =>
  outside(allowed(judging, 'page'), ['login', 'finish', '0', 'get_started']);

const refused = (
  id: string,
  name: 'language' | 'page',
  values: (judging: Judging) => readonly string[],
): Entry =>
  requirement(id, async (judging) => {
    for (const value of values(judging)) {
      expectRefused(
        await judging.probe({ path: { [name]: value } }),
        `${JSON.stringify(value)} is no ${name} of the contract`,
      );
    }
    await judging.twin(() => judging.call());
  });

const refusedWith400 = (
  id: string,
  name: 'language' | 'page',
  values: (judging: Judging) => readonly string[],
): Entry =>
  requirement(id, async (judging) => {
    let refusals = 0;
    for (const value of values(judging)) {
      const answer = await judging.probe({ path: { [name]: value } });
      if (isRefusal(answer)) {
        refusals += 1;
        expectStatus(answer, 400, `${JSON.stringify(value)} breaks the schema of ${name}`);
        // Anything but a refusal is what the requirement about the refusal itself is about.
      } else judging.run.claim([answer.exchange]);
    }
    if (refusals === 0) throw new NotJudged(`no other ${name} was refused: see 4.5/${name}-enum`);
  });

/** For each profile and each language and page that has text: the call that reads it, and the text that the tenant holds. */
function heldTexts(
  judging: Judging,
): readonly { readonly call: Call; readonly text: Readonly<Record<string, string>> }[] {
  return judging.dataSet.self_service_profiles.flatMap(({ id, custom_text }) =>
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

export const customText: readonly Entry[] = [
  requirement('4.5/reads', async (judging) => {
    expectStatus(await judging.call(), 200, 'the profile exists');
    for (const { call } of judging.run.dataSet === undefined ? [] : heldTexts(judging))
      expectStatus(await judging.call(call), 200, 'the profile exists, however much text it has');
  }),

  requirement('4.5/text-content', async (judging) => {
    const [held] = heldTexts(judging);
    if (held === undefined) throw new NotJudged('no profile has custom text', ['--control']);
    const answer = await judging.call(held.call);
    if (status(answer) === 200 && holdsStrings(answer))
      expectEqual('the text that the tenant holds', held.text, response(answer).json, answer.exchange);
  }),

  requirement('4.5/own-profile', async (judging) => {
    const [first, ...others] = heldTexts(judging);
    if (first === undefined || others.length === 0)
      throw new NotJudged('fewer than two profiles have custom text', ['--control']);
    for (const { call, text } of others) {
      const answer = await judging.call(call);
      if (status(answer) === 200 && holdsStrings(answer))
        expectEqual("this profile's own text", text, response(answer).json, answer.exchange);
    }
  }),

  refused('4.5/language-enum', 'language', languages),
  refusedWith400('4.5/language-enum-400', 'language', languages),
  refused('4.5/page-enum', 'page', pages),
  refusedWith400('4.5/page-enum-400', 'page', pages),

  observation('4.5/unknown-profile-status', async (judging) => {
    const [language = '', page = ''] = [allowed(judging, 'language')[0], allowed(judging, 'page')[0]];
    const answer = await judging.call({ path: { id: 'no-such-profile', language, page } });
    const { json } = response(answer);
    return status(answer) === 200 && isObject(json)
      ? `200 with ${Object.keys(json).length} texts`
      : status(answer);
  }),
];
