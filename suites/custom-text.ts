import { type Exchange, isSuccess } from '../lib/client/exchange.ts';
import type { DataSet } from '../lib/contract/data-set.ts';
import { isObject } from '../lib/contract/json.ts';
import { enumOf, type Operation } from '../lib/contract/model.ts';
import type { Call } from '../lib/runner/call.ts';
import { type CallResult, members, responseOf, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import {
  expectEqual,
  expectNone,
  expectNotServed,
  expectSuccess,
  isServed,
  show,
} from '../lib/runner/expect.ts';
import {
  type Check,
  exchangeCheck,
  type JudgeExchange,
  observation,
  requirement,
} from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { inputs } from './inputs.ts';
import { statusesOf } from './observed-statuses.ts';
import { variationsAndAgain } from './requests.ts';

/** Sections 2.5 and 4.5: GET /self-service-profiles/{id}/custom-text/{language}/{page}. */

const reading = { needs: ['token', 'self_service_profile'] } as const;

type Name = 'language' | 'page';

type PathParameters = Readonly<Record<string, string>>;

/** Values outside the enum of a path parameter: shortened, extended at either end, and other words. */
function outside({ operation }: RequirementContext, name: Name): readonly string[] {
  const values = enumOf(operation, name);
  const altered = values.flatMap((value) => [value.slice(0, -1), `${value}x`, `x${value}`, `${value}-US`]);
  return [...altered, ...inputs.other_words[name]].filter((each) => !values.includes(each));
}

/** Paths with a value outside the enum. */
function pathsOutside(ctx: RequirementContext, name: Name): readonly PathParameters[] {
  const { dataSet } = ctx;
  const empty = dataSet === undefined ? [] : withoutText(dataSet, ctx.operation).slice(-1);
  return [
    ...outside(ctx, name).map((value) => ({ [name]: value })),
    // A service may look at the value only if the profile has texts, or exists.
    ...[...empty, 'no-such-profile'].map((id) => ({ id, [name]: inputs.other_words[name][0] ?? '' })),
    // Members that every object of JavaScript has.
    name === 'page' ? { page: 'constructor' } : { language: 'constructor', page: 'name' },
  ];
}

/** Paths with a value in another case, or followed by a line feed, a blank or a segment, as many routers accept. */
const pathsInOtherCase = ({ operation }: RequirementContext, name: Name): readonly PathParameters[] =>
  enumOf(operation, name)
    .flatMap((value) => [
      value.toUpperCase(),
      value.replace(/^./, (first) => first.toUpperCase()),
      // In some languages a pattern that ends with `$` matches before a trailing line feed.
      `${value}\n`,
      `${value} `,
      `${value}/x`,
    ])
    .map((value) => ({ [name]: value }));

/** A request with any of these paths is not served. */
const notServed = (id: string, name: Name, paths: typeof pathsOutside): Check =>
  requirement(id, reading, async (ctx) => {
    for (const path of ctx.share(paths(ctx, name))) {
      const result = await ctx.probe({ path });
      expectNotServed(result, `${show(path[name])} is not a ${name} of the contract`);
    }
    await ctx.twin();
  });

/** Values whose statuses are observed. */
const observedValues = 4;

/** Observes the statuses of some values outside the enum. A requirement sends all of them. */
const statusesOutside = (id: string, name: Name): Check =>
  statusesOf(id, reading, (ctx) =>
    Object.fromEntries(
      outside(ctx, name)
        .slice(0, observedValues)
        .map((value) => [value, { path: { [name]: value } }]),
    ),
  );

/** The customized text of a profile for a language and page, and the call that reads it. */
interface Customized {
  readonly id: string;
  readonly call: { readonly path: Readonly<Record<'id' | 'language' | 'page', string>> };
  readonly text: Readonly<Record<string, string>>;
}

/** Every profile with customized text for an allowed language and page. */
export function customized(data: DataSet, operation: Operation): readonly Customized[] {
  const isAllowed = (name: string, value: string) => enumOf(operation, name).includes(value);
  return data.self_service_profiles.flatMap(({ id, custom_text }) =>
    Object.entries(custom_text).flatMap(([language, flowPages]) =>
      Object.entries(flowPages).flatMap(([page, text]) =>
        Object.keys(text).length === 0 || !isAllowed('language', language) || !isAllowed('page', page)
          ? []
          : [{ id, call: { path: { id, language, page } }, text }],
      ),
    ),
  );
}

/** Ids of the profiles without customized text. */
function withoutText(data: DataSet, operation: Operation): readonly string[] {
  const ids = customized(data, operation).map(({ id }) => id);
  return data.self_service_profiles.flatMap(({ id }) => (ids.includes(id) ? [] : id));
}

type JudgeTexts = (exchange: Exchange, stored: Customized) => void;

/** The response has the same value as the tenant for each customized key that meets the condition. */
const expectValues =
  (isJudged: (wanted: string, got: unknown) => boolean): JudgeTexts =>
  (exchange, { id, text }) => {
    const { json } = exchange.response ?? {};
    const got = isObject(json) ? json : {};
    const wanted = Object.entries(text).filter(([key, value]) => isJudged(value, got[key]));
    const shown = wanted.map(([key]) => [key, got[key]] as const);
    const what = `the customized text of profile ${id}`;
    expectEqual(what, Object.fromEntries(wanted), Object.fromEntries(shown), exchange);
  };

/**
 * The response contains the customized keys with their values. 4.5/empty-text judges missing keys with an empty text,
 * 4.5/text-no-further-keys other keys.
 */
const expectTexts = expectValues((wanted, got) => wanted !== '' || typeof got === 'string');

/**
 * Judges every text of the run that the tenant is known to contain. Skips requests with a query, from which a server may read the
 * parameters of the path.
 */
const onEveryText =
  (judge: JudgeTexts): JudgeExchange =>
  (exchange, { dataSet, operation }) => {
    const { pathname, search } = new URL(exchange.request.url);
    const found = dataSet === undefined ? [] : customized(dataSet, operation);
    const pathOf = ({ path: { id, language, page } }: Customized['call']) =>
      `/self-service-profiles/${encodeURIComponent(id)}/custom-text/${language}/${page}`;
    const stored = found.find(({ call }) => pathname.endsWith(pathOf(call)));
    const { status = 0, json } = exchange.response ?? {};
    if (stored === undefined || search !== '' || !isSuccess(status) || !isMapOfStrings(json)) return false;
    judge(exchange, stored);
    return true;
  };

/** The response with a text that exists. @throws NotJudged if it is not served */
async function readText(ctx: RequirementContext, call: Call): Promise<CallResult> {
  const result = await ctx.call(call);
  if (!isServed(result)) throw new NotJudged(`${status(result)} for a profile with text: see 4.5/reads`);
  if (!isMapOfStrings(responseOf(result).json))
    throw new NotJudged('no map of strings: see 2.5/custom-text-strings');
  return result;
}

/** True for an object of strings, in which null means an absent text. Anything else fails 2.5/custom-text-strings. */
function isMapOfStrings(json: unknown): boolean {
  return isObject(json) && Object.values(json).every((value) => typeof value === 'string' || value === null);
}

/** The response has no texts of one other profile in place of, or beside, those of this one. A server may add texts of its own. */
function expectOwnTexts(dataSet: DataSet, result: CallResult, own: Pick<Customized, 'id' | 'text'>): void {
  const all = dataSet.self_service_profiles.flatMap(({ id, custom_text }) =>
    Object.values(custom_text).flatMap((flowPages) => Object.values(flowPages).map((text) => ({ id, text }))),
  );
  const foreign = Object.entries(members(result)).flatMap(([key, value]) => {
    if (own.text[key] === value) return [];
    // Texts of the profile's other pages and languages may be further ones, but not in place of those of this page.
    const owners = all.filter(
      ({ id, text }) => text[key] === value && (id !== own.id || Object.hasOwn(own.text, key)),
    );
    return owners.length === 1 ? [`${key} of ${owners[0]?.id}`] : [];
  });
  const what = { expected: 'texts of another profile or page', because: `profile ${show(own.id)} is read` };
  expectNone(what, foreign, result.exchange);
}

/** Profiles that are read if the tenant's data is not known. */
const mostProfiles = 5;

export const customText: readonly Check[] = [
  requirement('4.5/reads', reading, async (ctx) => {
    const { dataSet } = ctx;
    if (dataSet === undefined) {
      for (const id of ctx.run.resources.all('self_service_profile').slice(0, mostProfiles)) {
        const result = await ctx.call({ path: { id } });
        // An observation records whether a profile without customized text is found.
        if (status(result) === 404)
          throw new NotJudged(`the profile ${id} is not found, or has no custom text`, [
            '--self-service-profile-id',
          ]);
        expectSuccess(result, 'the profile exists');
      }
      return;
    }
    const texts = customized(dataSet, ctx.operation);
    // The first one again: a service may remember its response.
    for (const { call } of [...texts, ...texts.slice(0, 1)])
      expectSuccess(await ctx.call(call), 'the profile exists and has custom text');
  }),

  requirement(
    '4.5/text-content',
    { needs: ['token', 'data'], judgeExchange: onEveryText(expectTexts) },
    async (ctx) => {
      const [first] = customized(ctx.dataSet, ctx.operation);
      if (first === undefined) throw new NotJudged('no profile has custom text', ['--control']);
      for (const variation of variationsAndAgain(ctx))
        expectTexts((await readText(ctx, { ...first.call, variation })).exchange, first);
    },
  ),

  exchangeCheck('4.5/empty-text', ['token', 'data'], onEveryText(expectValues((wanted) => wanted === ''))),

  requirement('4.5/text-no-further-keys', { needs: ['token', 'data'] }, async (ctx) => {
    const expectOnly = (text: Customized['text'], result: CallResult) => {
      const further = Object.entries(members(result)).flatMap(([key, value]) =>
        value === null || Object.hasOwn(text, key) ? [] : key,
      );
      expectNone('additional keys', further, result.exchange);
    };
    const texts = customized(ctx.dataSet, ctx.operation);
    for (const { call, text } of texts) expectOnly(text, await readText(ctx, call));
    // One without any text, and one with texts in another language.
    for (const id of withoutText(ctx.dataSet, ctx.operation).slice(0, 2)) {
      const result = await ctx.call({ path: { ...texts[0]?.call.path, id } });
      if (isServed(result) && isMapOfStrings(responseOf(result).json)) expectOnly({}, result);
    }
  }),

  requirement('4.5/own-profile', { needs: ['token', 'data'] }, async (ctx) => {
    const [first, ...others] = customized(ctx.dataSet, ctx.operation);
    if (first === undefined || others.length === 0)
      throw new NotJudged('fewer than two profiles have custom text', ['--control']);
    // All at once: a service may mix up concurrent requests.
    await settleAll(others, async (each) =>
      expectOwnTexts(ctx.dataSet, await readText(ctx, each.call), each),
    );
    // A server may read the parameters of the path from the query too, or refuse them there. The shipped data set has texts for these.
    const query = { id: others[0]?.id, language: 'tr', page: 'login' };
    const result = await ctx.probe({ ...first.call, query });
    if (isServed(result)) expectOwnTexts(ctx.dataSet, result, first);
    const { path } = first.call;
    // One id begins like that of a profile with texts, another one is the beginning of it. A service that trims ' ' may look for any.
    const unknown = [`${first.id}x`, first.id.slice(0, -1), ' '];
    const empty = [...unknown, ...withoutText(ctx.dataSet, ctx.operation)].filter(
      (id) => id !== '' && others.every((each) => each.id !== id),
    );
    for (const [variation, id] of ctx.share(empty.slice(0, 4)).entries()) {
      const result = await ctx.call({ path: { ...path, id }, variation });
      if (isMapOfStrings(responseOf(result).json)) expectOwnTexts(ctx.dataSet, result, { id, text: {} });
    }
  }),

  notServed('4.5/language-enum', 'language', pathsOutside),
  notServed('4.5/language-case', 'language', pathsInOtherCase),
  statusesOutside('4.5/language-status', 'language'),
  notServed('4.5/page-enum', 'page', pathsOutside),
  notServed('4.5/page-case', 'page', pathsInOtherCase),
  statusesOutside('4.5/page-status', 'page'),

  observation('4.5/without-text', { needs: ['token', 'data'] }, async (ctx) => {
    const [id] = withoutText(ctx.dataSet, ctx.operation);
    return id === undefined ? undefined : status(await ctx.call({ path: { id } }));
  }),

  observation('4.5/unknown-profile-status', { needs: ['token'] }, async (ctx) => {
    const [language = '', page = ''] = ['language', 'page'].map((name) => enumOf(ctx.operation, name)[0]);
    // A member of every object in JavaScript.
    const result = await ctx.call({ path: { id: 'constructor', language, page } });
    const { json } = responseOf(result);
    return status(result) === 200 && isObject(json)
      ? `200 with ${Object.keys(json).length} texts`
      : status(result);
  }),
];
