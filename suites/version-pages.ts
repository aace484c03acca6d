import fc from 'fast-check';
import { type Exchange, isSuccess } from '../lib/client/exchange.ts';
import { isObject, type JsonObject } from '../lib/contract/json.ts';
import { members } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { judgeRequestedSize, listedItems } from '../lib/runner/exchange-checks.ts';
import {
  assertExists,
  expect400,
  expectAtMost,
  expectEqual,
  expectNone,
  expectStatus,
  expectThat,
  isServed,
} from '../lib/runner/expect.ts';
import {
  type Check,
  type ExchangeContext,
  exchangeCheck,
  type JudgeExchange,
  observation,
  requirement,
} from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { ignoreNotJudged, NotJudged } from '../lib/runner/verdict.ts';
import { defaultSize, exchangesOf, keys, largest, page, queryText, sizeUpTo } from '../lib/runner/walk.ts';
import { inputs } from './inputs.ts';
import { expectSamePage, sizesRefused, sizesServed, spellings } from './page-sizes.ts';
import { twoVariations, variationsOf } from './requests.ts';
import {
  expectNoVersions,
  ofAction,
  readAtLeast,
  readVersions,
  storedAction,
  versionsRequirement,
} from './versions-read.ts';

/** Section 4.4, and section 8, convention 1: the pages of GET /actions/actions/{actionId}/versions. */

const refusedPages = (id: string, name: 'page' | 'per_page', because: string, texts: readonly string[]) =>
  requirement(id, reading, async (ctx) => {
    const judge = (text: string, variation?: number) =>
      expect400(
        ctx,
        { query: { [name]: text }, variation },
        `${name}=${encodeURIComponent(text)} ${because}`,
      );
    const [first = '', ...others] = ctx.share(texts);
    for (const variation of variationsOf(ctx)) await judge(first, variation);
    for (const text of others) await judge(text);
    await ctx.twin({ query: { [name]: name === 'page' ? 0 : 1 } });
  });

const nonIntegerTexts = ['10abc', 'abc\n10', '1.5', 'null', '1,2'];

/** Maximum number of pages read of the same listing. */
const manyPages = 16;

/** Page sizes whose pages end before, at and after the last version. */
function pageSizes(ctx: RequirementContext, count: number): readonly number[] {
  const usual = defaultSize(ctx);
  const small = Math.max(3, Math.ceil(count / manyPages));
  const sizes = [usual - 1, usual, usual + 1, count - 1, count, count + 1, largest(ctx), small];
  return [...new Set(sizes)].filter((size) => size >= 1 && size <= largest(ctx));
}

const reading = { needs: ['token', 'action'] } as const;

/** Maximum number of pages of a generated listing. */
const mostPages = 8;

/** Maximum number of generated actions in a tenant. */
const actionsAtOnce = 4;

/** A UUID, like the ids of the shipped data set. */
const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** This many versions of an action, which differ in their ids and numbers. @param start number of the first id */
const manyVersions = (sample: JsonObject, count: number, actionId: string, start: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...sample,
    ...('action_id' in sample && { action_id: actionId }),
    id: uuid(start + index),
    number: index + 1,
  }));

/** The query of a page of the run, and the number of versions of its action; undefined for a query that is not plain. */
function plainPage(exchange: Exchange, { operation: { pagination }, dataSet }: ExchangeContext) {
  const most = pagination?.size.maximum.public ?? 0;
  const sent = [...new URL(exchange.request.url).searchParams].filter(
    ([each]) => each === 'page' || each === 'per_page',
  );
  const query: Readonly<Record<string, number>> = Object.fromEntries(
    sent.map(([each, text]) => [each, Number(text)]),
  );
  const isRepeated = sent.length > Object.keys(query).length;
  if (isRepeated || !sent.every(([, text]) => /^(0|[1-9]\d{0,8})$/.test(text))) return undefined;
  const { per_page: size = 1 } = query;
  if (size < 1 || size > most || !isSuccess(exchange.response?.status ?? 0)) return undefined;
  return { query, total: storedAction(exchange, dataSet)?.versions.length };
}

/** Judges a paging member of the body on every page of the run whose query is plain, if the member is an integer. */
const judgePagingMember =
  (
    name: string,
    wanted: (query: Readonly<Record<string, number>>, total: number | undefined) => number | undefined,
  ): JudgeExchange =>
  (exchange, ctx) => {
    const plain = plainPage(exchange, ctx);
    const expected = plain && wanted({ page: 0, ...plain.query }, plain.total);
    const { json } = exchange.response ?? {};
    const got = isObject(json) ? json[name] : undefined;
    if (expected === undefined || !Number.isInteger(got)) return false;
    expectEqual(`${name} of the page`, expected, got, exchange);
    return true;
  };

/** Judges the number of versions on every page of the run with a size and nothing unusual in its query: only the last ones are shorter. */
const judgeCount: JudgeExchange = (exchange, ctx) => {
  const { query = {}, total } = plainPage(exchange, ctx) ?? {};
  const { page: number = 0, per_page: size } = query;
  const listed = listedItems(exchange, ctx.operation);
  // Another parameter may select versions.
  const isWhole = new URL(exchange.request.url).searchParams.size === Object.keys(query).length;
  if (size === undefined || total === undefined || listed === undefined || !isWhole) return false;
  const expected = Math.max(0, Math.min(size, total - number * size));
  const what = `number of versions on page ${number} with per_page=${size}, of ${total} in all`;
  expectEqual(what, expected, new Set(keys(listed)).size, exchange);
  return true;
};

/** A member repeats the query. Judged on all pages of the run; the two read here are for runs without others. */
const echoed = (id: string, name: 'page' | 'per_page'): Check =>
  requirement(
    id,
    { ...reading, judgeExchange: judgePagingMember(name, (query) => query[name]) },
    async (ctx) => {
      const queries = [
        { page: 1, per_page: 1 },
        { page: 5, per_page: defaultSize(ctx) },
      ];
      const pages = await settleAll(queries, (query) => page(ctx, query));
      if (!pages.some(({ result }) => Number.isInteger(members(result)[name])))
        throw new NotJudged(`no response has ${name} as an integer: see 4.4/answer-members`);
    },
  );

/** Number of versions of the action: those that the tenant is known to contain, or else those that are listed. */
async function countVersions(ctx: RequirementContext): Promise<number> {
  const listed = await readVersions(ctx);
  const [last] = ctx.exchanges.slice(-1);
  const stored = last && storedAction(last, ctx.dataSet);
  return (stored?.versions ?? listed).length;
}

export const versionPages: readonly Check[] = [
  versionsRequirement(
    '4.4/total-right',
    { ...reading, judgeExchange: judgePagingMember('total', (_query, total) => total) },
    async (ctx) => {
      const count = await countVersions(ctx);
      for (const per_page of [1, defaultSize(ctx), largest(ctx)]) {
        for (const number of new Set([0, 11, Math.max(0, Math.ceil(count / per_page) - 1), count + 5])) {
          const { result } = await page(ctx, { page: number, per_page });
          const { total } = members(result);
          if (!isServed(result) || !Number.isInteger(total)) continue;
          expectEqual(`total of page=${number}&per_page=${per_page}`, count, total, result.exchange);
        }
      }
    },
  ),

  echoed('4.4/page-echoed', 'page'),
  echoed('4.4/per-page-echoed', 'per_page'),

  exchangeCheck('4.4/per-page-limits', ['token', 'action'], judgeRequestedSize),

  sizesServed('4.4/per-page-accepted', reading.needs, 'per_page'),

  versionsRequirement('4.4/per-page-default', { ...reading, cloud: 'public' }, async (ctx) => {
    const usual = defaultSize(ctx);
    await readAtLeast(ctx, usual + 1);
    for (const number of ctx.share([undefined, 0, 1, 2])) {
      const named = { page: number, per_page: usual };
      const what = `the versions of ${queryText({ page: number })}, as with per_page=${usual}`;
      await expectSamePage(ctx, what, named, { page: number });
    }
  }),

  versionsRequirement('4.4/page-default', reading, async (ctx) => {
    await readAtLeast(ctx, 2);
    for (const per_page of ctx.share([largest(ctx), undefined])) {
      const what = `the versions of ${queryText({ per_page })}, as with page=0`;
      await expectSamePage(ctx, what, { per_page, page: 0 }, { per_page });
    }
  }),

  versionsRequirement('4.4/page-zero-indexed', reading, async (ctx) => {
    // A cache may join page=1 and per_page=11 as it joins page=11 and per_page=1.
    for (const per_page of ctx.share([1, 11])) {
      const first = await page(ctx, { page: 0, per_page });
      const second = await page(ctx, { page: 1, per_page });
      const evidence = exchangesOf([first, second]);
      const shown = keys(first.items);
      const repeated = keys(second.items).filter((each) => shown.includes(each));
      // Two empty pages show nothing: the action may have no versions.
      const isFound = shown.length > 0 || second.items.length === 0;
      expectThat(isFound, `versions on page 0 with per_page=${per_page}`, 'none', ...evidence);
      expectNone(`versions of page 0 on page 1 with per_page=${per_page}`, repeated, ...evidence);
    }
    // Fewer versions are inconclusive. Comes last, because page 0 may be empty on a server that counts pages from 1.
    await readAtLeast(ctx, 2);
  }),

  versionsRequirement('4.4/pages-tile', { ...reading, judgeExchange: judgeCount }, async (ctx) => {
    const reference = keys(await readAtLeast(ctx, 1)).toSorted();
    for (const size of ctx.share(pageSizes(ctx, reference.length))) {
      const numbers = Array.from({ length: Math.ceil(reference.length / size) }, (_, number) => number);
      const found = await settleAll(numbers, (number) => page(ctx, { page: number, per_page: size }));
      const got = keys(found.flatMap(({ items }) => items)).toSorted();
      const what = `the versions on all pages with per_page=${size}, each once`;
      expectEqual(what, reference, got, ...exchangesOf(found));
    }
  }),

  requirement('4.4/any-count', { needs: ['token', 'seed'], lane: 'exclusive' }, async (ctx) => {
    const [sample] = ctx.dataSet.actions.filter(({ versions }) => versions.length > 0);
    const [version] = sample?.versions ?? [];
    if (sample === undefined || version === undefined)
      throw new NotJudged('no action has versions', ['--control']);
    const usual = defaultSize(ctx);
    const cases = fc
      .record({ count: fc.nat({ max: 3 * usual }), perPage: fc.integer({ min: 1, max: largest(ctx) }) })
      .filter(({ count, perPage }) => count <= mostPages * perPage);
    // More than two of the largest pages, and of pages that are one larger.
    const many = { count: 2 * (largest(ctx) + 1) + 1, perPage: largest(ctx) };
    // Two of them have the same number of versions.
    const counts = [usual - 1, usual, usual, usual + 1, 1].map((count) => ({ count, perPage: usual }));
    const edges = [...counts, { count: largest(ctx) - 1, perPage: largest(ctx) }];
    interface Case {
      readonly count: number;
      readonly perPage: number;
      readonly id?: string;
      readonly variations?: readonly number[];
    }
    const judge = async (each: readonly Case[]) => {
      const counted = each.map(({ count, id, ...others }, index) => {
        const action = { ...sample.action, id: id ?? uuid(index), name: `Action ${index}` };
        return { ...others, action, versions: manyVersions(version, count, action.id, 1000 * (index + 1)) };
      });
      const entries = counted.map(({ action, versions }) => ({ action, versions }));
      await ctx.control.seed({ ...ctx.dataSet, actions: [...entries, ...ctx.dataSet.actions] });
      await settleAll(counted, async ({ action, perPage, versions, variations = [undefined] }) => {
        for (const variation of variations) {
          const call = { ...ofAction(action.id), variation };
          const got = keys(await readVersions(ctx, call, { perPage, stored: versions.length })).toSorted();
          const what = `the versions with per_page=${perPage}, each once`;
          const evidence = ctx.exchanges.filter(({ request }) => request.url.includes(action.id)).slice(-3);
          expectEqual(what, keys(versions).toSorted(), got, ...evidence);
        }
        if (versions.length < many.count) return;
        const tooLarge = { page: 1, per_page: largest(ctx) + 1 };
        const found = await page(ctx, tooLarge, ofAction(action.id));
        if (isServed(found.result)) expectAtMost(largest(ctx), found.items, found.result);
      });
    };
    await ctx.property(fc.array(cases, { minLength: 1, maxLength: actionsAtOnce, size: 'max' }), judge, {
      sequential: true,
      fraction: 1 / 20,
      examples: [[...edges, many]],
    });
    // The form of an id is not specified: a service that stores UUIDs only is judged by the other data.
    // Not the first one, which has no versions: for it, 404 would not be wrong.
    const [, unknown = ''] = inputs.similar_action_ids;
    const similar = inputs.similar_action_ids.map((id, index) => ({
      id,
      count: index,
      perPage: usual,
      ...(id === unknown && { variations: variationsOf(ctx) }),
    }));
    // It does not exist yet, which a service may remember.
    for (const variation of twoVariations(ctx))
      await ctx.call({ ...ofAction(unknown), variation, mayBeForbidden: true }).catch(ignoreNotJudged);
    await judge(similar).catch(ignoreNotJudged);
  }),

  versionsRequirement('4.4/beyond-the-end', reading, async (ctx) => {
    const total = await countVersions(ctx);
    for (const per_page of ctx.share([1, undefined, largest(ctx)])) {
      const end = Math.floor(total / (per_page ?? defaultSize(ctx))) + 1;
      for (const number of ctx.share([end, end + 1, end + 50])) {
        const query = { page: number, per_page };
        await expectNoVersions(ctx, query, `${queryText(query)} is beyond the ${total} versions`);
      }
    }
  }),

  versionsRequirement('4.4/at-the-end', reading, async (ctx) => {
    const total = await countVersions(ctx);
    if (total === 0) throw new NotJudged('the action has no versions', ['--action-id', '--control']);
    const usual = defaultSize(ctx);
    const dividing = [2, 3, 5, usual - 1, usual].filter((each) => total % each === 0);
    for (const per_page of ctx.share([1, ...dividing])) {
      const because = `page=${total / per_page}&per_page=${per_page} begins at the end of the ${total} versions`;
      await expectNoVersions(ctx, { page: total / per_page, per_page }, because);
    }
  }),

  requirement('4.4/far-beyond-the-end', reading, async (ctx) => {
    const per_page = largest(ctx);
    await ctx.twin({ query: { page: 0, per_page } });
    // Their products with the page size overflow 32 bits; another example overflows 16 bits itself.
    const wrapping = [0xffffffff, 0x7fffffff].map((most) => Math.floor(most / per_page) + 1);
    // Search engines refuse to skip more than 10,000 results.
    const windowed = Math.floor(10_000 / per_page) + 1;
    await ctx.property(
      fc.integer({ min: 10_000, max: 0x7fffffff }),
      (number) => expectNoVersions(ctx, { page: number, per_page }, `page=${number} is beyond the end`),
      {
        fraction: 1 / 8,
        examples: [...wrapping, 0x7fffffff, windowed, 0x10000, 100_000_000],
      },
    );
    // Larger numbers may be refused, but cut to 32 or 64 bits they would name the first page.
    for (const variation of variationsOf(ctx))
      for (const number of [2 ** 32, '9223372036854775807', '18446744073709551616']) {
        const found = await page(ctx, { page: number, per_page }, { variation });
        if (!isServed(found.result)) continue;
        expectNone(
          { expected: 'versions', because: `page=${number} is beyond the end` },
          keys(found.items),
          found.result.exchange,
        );
      }
  }),

  refusedPages('4.4/page-integer', 'page', 'is not an integer', [...nonIntegerTexts, 'last']),

  refusedPages('4.4/per-page-integer', 'per_page', 'is not an integer', [...nonIntegerTexts, 'all']),

  refusedPages('4.4/page-negative', 'page', 'is negative', ['-1', '-2', '-100']),

  refusedPages('4.4/per-page-negative', 'per_page', 'is negative', ['-1', '-20']),

  requirement('4.4/per-page-zero', reading, async (ctx) => {
    const found = await page(ctx, { per_page: 0 });
    const { result } = found;
    if (isServed(result)) expectNone('versions with per_page=0', keys(found.items), result.exchange);
    else expectStatus(result, 400, 'per_page=0 requests no items');
  }),

  requirement('4.4/per-page-above-maximum', reading, async (ctx) => {
    const maximum = largest(ctx);
    // The maximum of a private cloud is twice that of a public one.
    const sizes = [maximum + 1, Math.ceil(maximum * 1.5), maximum * 2, 0x7fffffff, 99_999_999_999];
    const numbered = [0, 1].map((number) => ({ page: number, per_page: maximum + 1 }));
    for (const query of ctx.share([...sizes.map((per_page) => ({ per_page })), ...numbered])) {
      const found = await page(ctx, query);
      const { result } = found;
      assertExists(ctx, result);
      if (!isServed(result)) expectStatus(result, 400, `per_page=${query.per_page} is above ${maximum}`);
      else expectAtMost(maximum, found.items, result);
    }
  }),

  requirement('4.4/page-empty', reading, async (ctx) => {
    for (const name of ['page', 'per_page'])
      await expect400(ctx, { query: { [name]: '' } }, 'an empty string is not an integer');
    await ctx.twin({ query: { page: 0, per_page: 1 } });
  }),

  spellings('4.4/page-spellings', reading.needs, 'page'),

  sizesRefused('8/offset-size-bounds', 'per_page'),

  versionsRequirement('8/offset-pages-tile', { needs: ['token'] }, async (ctx) => {
    const reference = keys(await readAtLeast(ctx, 2)).toSorted();
    const size = sizeUpTo(ctx, Math.max(1, Math.ceil(reference.length / 3)));
    const got = keys(await readVersions(ctx, {}, { perPage: size })).toSorted();
    expectEqual('the items on smaller pages, each once', reference, got, ...ctx.exchanges.slice(-3));
  }),

  observation('4.4/default-per-page', reading, async (ctx) => {
    const { result } = await page(ctx, {});
    return members(result).per_page;
  }),
];
