import fc, { type Arbitrary } from 'fast-check';
import { filtersOf } from '../lib/arbitraries/dimensions.ts';
import { notIntegers } from '../lib/arbitraries/text.ts';
import type { Scope } from '../lib/contract/model.ts';
import type { Query } from '../lib/runner/call.ts';
import { status } from '../lib/runner/call-result.ts';
import { expectContent, expectScalars, onEveryPage } from '../lib/runner/content.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { judgeRequestedSize, listedItems } from '../lib/runner/exchange-checks.ts';
import { expect400, expectNone, expectSuccess, expectThat, isServed, plural } from '../lib/runner/expect.ts';
import { assertTwinServed } from '../lib/runner/permission.ts';
import { tokenWithOnly } from '../lib/runner/requested-token.ts';
import { type Check, type JudgeExchange, observation, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged, Violation } from '../lib/runner/verdict.ts';
import {
  defaultSize,
  key,
  keys,
  largest,
  type Page,
  page,
  queryText,
  requireComplete,
  requirePagination,
  walk,
  wholeListing,
  withStableListing,
} from '../lib/runner/walk.ts';
import { expectedOf, isOrdinaryFilter, statuses, textFilters } from './experiments-content.ts';
import { statusesOf, statusOf } from './observed-statuses.ts';
import { expectSamePage, sizesServed, spellings } from './page-sizes.ts';
import { raw, variationsAndAgain, variationsOf } from './requests.ts';

/** Sections 2.2 and 4.2: GET /experimentation/experiments. */

/** The smallest take that is too large in every reading: section 8 allows more on a private cloud than section 4.2. */
const refusedFrom = (ctx: RequirementContext): number =>
  Math.max(largest(ctx), requirePagination(ctx.operation).size.cloudMaximum[ctx.target.cloud]) + 1;

/** Values of `take`, generated and given, are refused; the first two examples also in combination with every other parameter. */
const takesRefused = (
  id: string,
  because: string,
  cases: (ctx: RequirementContext) => { takes: Arbitrary<string>; examples: readonly string[] },
): Check =>
  requirement(id, { needs: ['token'] }, async (ctx) => {
    const { takes, examples } = cases(ctx);
    const judge = (query: Query, variation?: number) =>
      expect400(ctx, { query, variation }, `take=${encodeURIComponent(String(query.take))} ${because}`);
    await ctx.property(takes, (take) => judge({ take }), {
      fraction: 1 / 20,
      examples: examples.toSpliced(1, 1),
    });
    // With every other parameter that may be combined with it.
    for (const variation of variationsAndAgain(ctx))
      for (const take of examples.slice(0, 2)) await judge({ take }, variation);
    const { next } = await page(ctx, { take: 2 });
    for (const take of next === undefined ? [] : examples.slice(0, 2)) await judge({ from: next, take });
    await ctx.twin({ query: { take: 1 } });
  });

/**
 * An experiment is the same in the whole listing and on a smaller page, with a filter and on a later page. A service may reuse a
 * record, and show what the previous one has. One that was updated meanwhile is not judged.
 */
const expectEqualOnPages = (expectSame: typeof expectContent) => (ctx: RequirementContext) =>
  withStableListing(ctx, async (all) => {
    const { next } = await page(ctx, { take: 2 });
    const queries = [
      { take: 1 },
      { status: statuses(ctx)[0] },
      { authentication_flow: 'login' },
      ...(next === undefined ? [] : [{ from: next }]),
    ];
    const pages = await settleAll(queries, (query) => page(ctx, query));
    const shownOn = ({ items, result: { exchange } }: Page) => items.map((item) => ({ item, exchange }));
    const known = new Map(all.pages.flatMap(shownOn).map((each) => [key(each.item), each]));
    const pairs = pages.flatMap(shownOn).flatMap((each) => {
      const other = known.get(key(each.item));
      if (other === undefined || other.item.updated_at !== each.item.updated_at) return [];
      return [[other, each] as const, [each, other] as const];
    });
    for (const [one, other] of pairs) {
      try {
        expectSame(ctx, 'Experiment', one.item, other.item, other.exchange);
      } catch (error) {
        if (!(error instanceof Violation)) throw error;
        const { expected, received } = error.difference;
        const wanted = { expected, because: 'another page shows it' };
        throw new Violation(wanted, received, [one.exchange, other.exchange]);
      }
    }
  });

/** Judges the content of each experiment on every page of the run. */
const content = (
  id: string,
  expectSame: typeof expectContent,
  read: (ctx: RequirementContext) => Promise<unknown>,
): Check =>
  requirement(
    id,
    {
      needs: ['token', 'data'],
      judgeExchange: onEveryPage(
        (data) => data.experiments.map(({ experiment }) => experiment),
        (wanted, item, exchange, ctx) => expectSame(ctx, 'Experiment', wanted, item, exchange),
      ),
    },
    async (ctx) => {
      await read(ctx);
    },
  );

/** The first page of every listing of the run with a take is full, if the tenant is known to contain as many matches. */
const judgeFirstPage: JudgeExchange = (exchange, { operation, dataSet }) => {
  const { searchParams } = new URL(exchange.request.url);
  const { take = '', ...filters } = Object.fromEntries(searchParams);
  const isRepeated = searchParams.size > Object.keys(filters).length + 1;
  const names = filtersOf(operation).map(({ name }) => name);
  const isOrdinary = Object.entries(filters).every(
    ([name, value]) => names.includes(name) && isOrdinaryFilter(value),
  );
  const listed = listedItems(exchange, operation);
  if (isRepeated || !isOrdinary || listed === undefined || dataSet === undefined) return false;
  const { wanted } = expectedOf(dataSet.experiments, filters);
  if (!/^[1-9]\d?$/.test(take) || Number(take) > wanted.length) return false;
  const got = plural(listed.length, 'experiment');
  expectThat(listed.length >= Number(take), `${take} experiments`, got, exchange);
  return true;
};

export const experiments: readonly Check[] = [
  requirement('4.2/reads', { needs: ['token'] }, async (ctx) => {
    // The first one, which is also the last, has no parameters.
    for (const variation of variationsAndAgain(ctx))
      expectSuccess(await ctx.call({ variation, mayAddQuery: variation > 0 }), 'no parameter is required');
  }),

  sizesServed('4.2/take-accepted', ['token'], 'take'),
  requirement('4.2/take-limits', { needs: ['token'], judgeExchange: judgeRequestedSize }, async (ctx) => {
    // A server may refuse another page size in the middle of a walk.
    const { result, next } = await page(ctx, { take: 3 });
    assertTwinServed(ctx, result);
    if (next !== undefined) await ctx.probe({ query: { take: 1, from: next } });
  }),

  requirement('4.2/take-full-pages', { needs: ['token'], judgeExchange: judgeFirstPage }, (ctx) =>
    withStableListing(ctx, async () => {
      await settleAll([17, largest(ctx)], async (take) => {
        const { pages } = requireComplete(await walk(ctx, {}, take));
        const expected = `${take} experiments on a page that is not the last`;
        // A walk may end with an empty page.
        const last = pages.findLastIndex(({ items }) => items.length > 0);
        for (const { items, result } of pages.slice(0, Math.max(0, last)))
          expectThat(items.length >= take, expected, plural(items.length, 'experiment'), result.exchange);
      });
    }),
  ),

  requirement('4.2/take-default', { needs: ['token'], cloud: 'public' }, (ctx) =>
    withStableListing(ctx, async (reference) => {
      const usual = defaultSize(ctx);
      if (reference.items.length <= usual)
        throw new NotJudged(`the listing has only ${plural(reference.items.length, 'experiment')}`, [
          '--control',
        ]);
      const judge = (query: Query, named = query) => {
        const what = `the experiments of ${queryText(query)}, as with take=${usual}`;
        return expectSamePage(ctx, what, { ...named, take: usual }, query);
      };
      await judge({});
      await judge({ status: statuses(ctx)[0] });
      // Filtered listings may come from another store.
      for (const field of textFilters) {
        const values = reference.items.map((experiment) => experiment[field]);
        const frequent = values.find((value) => values.filter((each) => each === value).length > usual);
        if (typeof frequent === 'string') await judge({ [field]: frequent });
      }
      // A checkpoint may be valid once only, and only with the take of its walk: each query has its own.
      const { next: from } = await page(ctx, { take: usual });
      await judge({ from: (await page(ctx, {})).next }, { from });
    }),
  ),

  requirement('4.2/take-changed', { needs: ['token'], cloud: 'public' }, (ctx) =>
    withStableListing(ctx, async (reference) => {
      const usual = defaultSize(ctx);
      if (reference.items.length <= usual + 5) throw new NotJudged('the listing is too short', ['--control']);
      const before: string[] = [];
      let from: string | undefined;
      for (const take of [3, undefined, 1]) {
        const { result, items, next } = await page(ctx, { take, from });
        if (!isServed(result)) throw new NotJudged('another take is refused in the middle of a walk');
        const wanted = take ?? usual;
        const got = plural(items.length, 'experiment');
        expectThat(items.length === wanted, plural(wanted, 'experiment'), got, result.exchange);
        const again = keys(items).filter((each) => before.includes(each));
        expectNone('experiments of an earlier page', again, result.exchange);
        if (next === undefined) throw new NotJudged('a page has no next: see 8/checkpoint-next-present');
        before.push(...keys(items));
        from = next;
      }
    }),
  ),

  takesRefused('4.2/take-maximum', 'is above its maximum', (ctx) => ({
    takes: fc.integer({ min: refusedFrom(ctx), max: 10_000 }).map(String),
    // An integer of n bits turns 2^n + 1 into 1.
    examples: [
      ...new Set([refusedFrom(ctx), Math.max(refusedFrom(ctx), 100), 101].map(String)),
      ...[2n ** 31n - 1n, 2n ** 31n, 2n ** 53n].map(String),
      ...[8n, 16n, 32n, 64n].map((bits) => String(2n ** bits + 1n)),
    ],
  })),
  takesRefused('4.2/take-minimum', 'is below 1', () => ({
    takes: fc.integer({ min: -10_000, max: 0 }).map(String),
    examples: ['-1', '0', '-50', '-51', '-100'],
  })),
  takesRefused('4.2/take-integer', 'is not an integer', () => ({
    takes: notIntegers,
    examples: ['10abc', '1.5', 'abc\n10', 'null', 'all', '10,20', 'true', '[5]', '50.25', 'Infinity'],
  })),

  requirement('4.2/take-empty', { needs: ['token'] }, async (ctx) => {
    for (const variation of variationsOf(ctx))
      await expect400(ctx, { query: { take: '' }, variation }, 'an empty string is not an integer');
    await ctx.twin({ query: { take: 1 } });
  }),

  content('2.2/experiment-content', expectScalars, wholeListing),

  content('2.2/experiment-content-complete', expectContent, expectEqualOnPages(expectContent)),

  // Needs no data of the tenant.
  requirement('2.2/experiment-same-on-pages', { needs: ['token'] }, expectEqualOnPages(expectScalars)),

  observation('4.2/always-present', { needs: ['token'] }, async (ctx) => {
    const { items } = await wholeListing(ctx);
    const [first] = items;
    if (first === undefined) return undefined;
    return Object.keys(first)
      .filter((name) => items.every(({ [name]: value }) => value !== undefined && value !== null))
      .toSorted();
  }),

  spellings('4.2/take-spellings', ['token'], 'take'),

  observation('4.2/from-id', { needs: ['token'] }, async (ctx) => {
    const { items: found } = await page(ctx, { take: 3 });
    const second = found[1]?.id;
    if (typeof second !== 'string') return undefined;
    const { result, items } = await page(ctx, { take: 3, from: second });
    if (status(result) !== 200) return status(result);
    const [first] = keys(items);
    if (first === second) return 'the listing from this experiment on';
    return first === found[0]?.id ? 'the listing from its beginning' : 'another part of the listing';
  }),

  observation('4.2/take-between-maxima', { needs: ['token'] }, async (ctx) => {
    if (ctx.target.cloud !== 'private') return undefined;
    const { result, items } = await page(ctx, { take: 100 });
    return status(result) === 200 ? `${status(result)} with ${items.length} experiments` : status(result);
  }),

  observation('4.2/default-take', { needs: ['token'] }, async (ctx) => {
    const { items } = await page(ctx, {});
    return items.length;
  }),

  observation('4.2/archived-unfiltered', { needs: ['token'] }, async (ctx) => {
    const unfiltered = new Set(keys((await wholeListing(ctx)).items));
    const archived = keys((await wholeListing(ctx, { status: 'archived' })).items);
    if (archived.length === 0) return undefined;
    const shown = archived.filter((each) => unfiltered.has(each));
    if (shown.length === 0) return 'not listed';
    return shown.length === archived.length ? 'listed' : 'partly listed';
  }),

  observation('7/repeated-parameter', { needs: ['token'] }, async (ctx) => {
    const take = status(await ctx.call({ query: 'take=1&take=2' }));
    const filters = [
      'status=draft&status=active',
      'authentication_flow=a&authentication_flow=b&from=a&from=b',
    ];
    // 7/no-server-error judges the responses.
    for (const query of filters) await ctx.call({ query });
    return take;
  }),
  statusOf('7/empty-parameter', { needs: ['token'] }, () => ({ query: 'status=' })),
  statusOf('7/body-on-get', { needs: ['token'] }, () => raw('{}')),

  statusesOf('7/order-of-checks', { needs: ['scopes'] }, async (ctx) => {
    const { minter } = ctx;
    const other = await tokenWithOnly(ctx, [{ name: 'read:stats', verb: 'read', resource: 'stats' }]);
    const invalid = { query: { take: 'ten' }, mayBeForbidden: true };
    const calls = { 'without the scope, with an invalid take': { ...invalid, authorization: other } };
    if (minter === undefined) return calls;
    const expired = (scopes: readonly Scope[]) =>
      minter.sign({ ...minter.claims(scopes), exp: minter.now() - 86_400 });
    return {
      ...calls,
      'expired, with an invalid take': { ...invalid, authorization: await expired(ctx.operation.scopes) },
      'expired, without the scope': { authorization: await expired([]), mayBeForbidden: true },
    };
  }),
];
