import { isDeepStrictEqual } from 'node:util';
import { filtersOf } from '../lib/arbitraries/dimensions.ts';
import { isSuccess } from '../lib/client/exchange.ts';
import { isObject } from '../lib/contract/json.ts';
import { items, members, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { listedItems } from '../lib/runner/exchange-checks.ts';
import {
  expectEqual,
  expectNone,
  expectNoServerError,
  expectSuccess,
  expectThat,
  isServed,
  show,
} from '../lib/runner/expect.ts';
import { type Check, type JudgeExchange, observation, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import {
  assertAtLeast,
  exchangesOf,
  keys,
  largest,
  nextOf,
  type Page,
  page,
  requireComplete,
  requirePagination,
  sizeUpTo,
  storedExperiments,
  type Walk,
  walk,
  walkListing,
  withStableListing,
} from '../lib/runner/walk.ts';
import { expectPage } from './checkpoint-life.ts';
import { expectedOf } from './experiments-content.ts';
import { sizesRefused } from './page-sizes.ts';

/** Section 8, convention 2: pagination by `from` and `take`, and its opaque checkpoints. Judged on every operation with these two. */

/** Maximum number of pages in a walk. */
const manyPages = 16;

/** Page sizes for walks of `count` items: none, a small one, and sizes around the default and the maximum. */
const sizes = (ctx: RequirementContext, count: number): readonly (number | undefined)[] => {
  const { default: usual, minimum } = requirePagination(ctx.operation).size;
  const most = largest(ctx);
  const small = Math.max(3, Math.ceil(count / manyPages));
  const wanted = new Set([small, usual - 1, usual, usual + 1, most - 1, most]);
  return [undefined, ...[...wanted].filter((size) => size >= minimum && size <= most)];
};

/** The largest page size that divides `count` items into full pages; the largest of all if there is none. */
function evenSize(ctx: RequirementContext, count: number): number {
  const most = Math.max(1, sizeUpTo(ctx, count));
  for (let size = most; size > 1; size -= 1) if (count % size === 0) return size;
  return most;
}

/** No page of the run has a `next` that is null or empty, or leads to an empty page of a listing without filters. */
const judgeNext: JudgeExchange = (exchange, { operation, dataSet, isValid, sentBy }) => {
  const { pagination, specified } = operation;
  const { status = 0, json } = exchange.response ?? {};
  // Other contracts may declare null or an empty string for the last page.
  if (!specified || pagination?.kind !== 'checkpoint' || !isSuccess(status) || !isObject(json)) return false;
  const next = json[pagination.next ?? ''];
  const names = [...new URL(exchange.request.url).searchParams.keys()];
  const ofPages = [pagination.from, pagination.size.parameter.name];
  const isLater = names.includes(pagination.from) && names.every((name) => ofPages.includes(name));
  // Skips data that other requirements may delete, and checkpoints from before a seed.
  const isStable = dataSet !== undefined || sentBy === '4.2/walk-edges';
  const isEmpty = listedItems(exchange, operation)?.length === 0;
  if (isValid && isStable && isLater)
    expectThat(!isEmpty, 'no next that leads to an empty page', 'an empty page', exchange);
  expectThat(next !== null && next !== '', 'no next on the last page', show(next), exchange);
  return true;
};

/** Walks pages of this size, which must contain each item of the listing once. */
async function expectCompleteWalk(ctx: RequirementContext, reference: Walk, size?: number) {
  const found = await walk(ctx, {}, size);
  const name = size === undefined ? 'without take' : `take=${size}`;
  const listed = keys(reference.items);
  if (found.broken !== undefined) throw found.broken;
  const got = keys(found.items).toSorted();
  const twice = got.filter((each, index) => each === got[index - 1]);
  const last = exchangesOf(found.pages);
  expectNone(`duplicate items (${name})`, twice, ...last);
  const { wanted, optional } = expectedOf(storedExperiments(ctx), {}, listed);
  const shown = got.filter((each) => !optional.has(each));
  expectEqual(`items of the walk (${name})`, wanted, shown, ...last);
  return found;
}

/** The checkpoint of a first page that was served before the walk, with pages of the same size, leads to the second one. */
async function expectContinued(ctx: RequirementContext, before: Page, walked: Walk, take?: number) {
  const [first, second, ...others] = walked.pages;
  if (before.next === undefined || first === undefined || second === undefined) return;
  const later = await page(ctx, { take, from: before.next });
  // A walk may have an order of its own, and shorter pages.
  if (isDeepStrictEqual(keys(before.items).toSorted(), keys(first.items).toSorted()))
    expectPage(later, second, [first, ...others], 'its checkpoint was issued before the other walks');
}

/** Longest percent-encoded checkpoint that keeps the request target under the limits of common servers. */
const longestEncoded = 1_900;

/** Altered checkpoints, by a description of the change. */
const alteredCheckpoints = (next: string): Readonly<Record<string, string>> => {
  const middle = Math.floor(next.length / 2);
  const flipped = next[middle] === 'A' ? 'B' : 'A';
  const others = ['', 'garbage', '-1', '99999999999999999999', "' OR '1'='1", '{}', 'ü😀', '%00'];
  return {
    'without its last character': next.slice(0, -1),
    'without its second half': next.slice(0, middle),
    'with one more character': `${next}A`,
    'with another character in the middle': next.slice(0, middle) + flipped + next.slice(middle + 1),
    'in upper case': next.toUpperCase(),
    reversed: [...next].reverse().join(''),
    ...Object.fromEntries(
      others.map((each) => [each === '' ? 'that is empty' : `replaced by ${each}`, each]),
    ),
    'replaced by 2,000 characters': 'A'.repeat(2000),
  };
};

/** The first page, with its checkpoint. Throws NotJudged if it has none. */
async function firstPage(ctx: RequirementContext): Promise<Page & { readonly next: string }> {
  const { next, ...first } = await page(ctx, { take: 1 });
  if (next === undefined) throw new NotJudged('the listing has one page only', ['--control']);
  return { ...first, next };
}

/** The responses to a checkpoint used out of order, and to `count` altered ones. */
const misuse = async (ctx: RequirementContext, count?: number) => {
  const { next } = await firstPage(ctx);
  const second = await page(ctx, { take: 1, from: next });
  const use = async (what: string, query: Record<string, string>) => ({
    what,
    result: (await page(ctx, { take: 1, ...query })).result,
  });
  const again = [await use('used twice', { from: next })];
  if (second.next !== undefined) {
    again.push(await use('of a later page', { from: second.next }));
    again.push(await use('of an earlier page after a later one', { from: next }));
  }
  const filtered = filtersOf(ctx.operation).map(({ name, schema }) => ({
    what: `used with another ${name}`,
    query: { from: next, [name]: String(schema.enum?.[0] ?? 'no-such-value') },
  }));
  const changed = Object.entries(alteredCheckpoints(next))
    .slice(0, count)
    .map(([what, from]) => ({ what, query: { from } }));
  const others = await settleAll([...filtered, ...changed], ({ what, query }) => use(what, query));
  const found = [...again, ...others];
  // 8/checkpoint-misuse reports a server error, so 7/no-server-error need not report it again.
  ctx.run.attribute(found.map(({ result }) => result.exchange));
  return found;
};

export const checkpoints: readonly Check[] = [
  requirement('8/checkpoint-walk-complete', { needs: ['token'] }, async (ctx) => {
    const { broken, isEndless, pages } = await walkListing(ctx);
    if (broken !== undefined && !isEndless && pages.length > 1) throw broken;
    await withStableListing(ctx, async (reference) => {
      const tried = ctx.share(sizes(ctx, reference.items.length));
      const [take] = tried;
      const before = await page(ctx, { take });
      const [walked] = await settleAll(tried, (size) => expectCompleteWalk(ctx, reference, size));
      if (walked !== undefined) await expectContinued(ctx, before, walked, take);
    });
  }),

  requirement('8/checkpoint-walk-ends', { needs: ['token'] }, async (ctx) => {
    await settleAll(new Set([sizeUpTo(ctx, 19), largest(ctx)]), async (size) => {
      const { broken, isEndless } = await walk(ctx, {}, size);
      if (broken === undefined) return;
      if (isEndless) throw broken;
      throw new NotJudged('a page was not served: see 8/checkpoint-walk-complete');
    });
  }),

  requirement('8/checkpoint-next-present', { needs: ['token'] }, (ctx) =>
    withStableListing(ctx, async (reference) => {
      // The second size leaves one item for the last page.
      const others = [undefined, evenSize(ctx, reference.items.length - 1)];
      const walks = [reference, ...(await settleAll(others, (size) => walk(ctx, {}, size)))];
      if (reference.items.length > 1) {
        const { result, next } = await page(ctx, { take: 1 });
        const expectation = { expected: 'next', because: `1 of ${reference.items.length} items was shown` };
        const received = show(members(result).next);
        expectThat(!isServed(result) || next !== undefined, expectation, received, result.exchange);
      }
      const [longest = reference] = walks.toSorted((one, other) => other.items.length - one.items.length);
      assertAtLeast(2, longest);
      const end = keys(longest.items).at(-1);
      // Judges only walks that stop early. A missing item, which shortens the last page, is another requirement's failure.
      for (const { items, pages } of walks) {
        const last = pages.at(-1);
        if (items.length >= longest.items.length || keys(items).at(-1) === end) continue;
        if (last === undefined || !isServed(last.result) || last.next !== undefined) continue;
        if (pages.some((page) => page.items.length > last.items.length)) continue;
        const expectation = {
          expected: 'next',
          because: `${items.length} of ${longest.items.length} items were shown`,
        };
        expectThat(false, expectation, show(nextOf(ctx, last.result)), last.result.exchange);
      }
    }),
  ),

  requirement('8/checkpoint-next-absent', { needs: ['token'], judgeExchange: judgeNext }, (ctx) =>
    withStableListing(ctx, async (reference) => {
      assertAtLeast(1, reference);
      const tried = new Set([largest(ctx), evenSize(ctx, reference.items.length)]);
      await settleAll(tried, async (size) => {
        const found = requireComplete(await walk(ctx, {}, size));
        const last = found.pages.at(-1);
        if (last === undefined) return;
        const next = nextOf(ctx, last.result);
        expectThat(next === undefined, 'no next on the last page', show(next), last.result.exchange);
        const isEmpty = found.pages.length > 1 && last.items.length === 0;
        const expected = 'no next that leads to an empty page';
        expectThat(!isEmpty, expected, 'an empty last page', ...exchangesOf(found.pages));
      });
    }),
  ),

  sizesRefused('8/checkpoint-size-bounds', 'take'),

  requirement('8/checkpoint-opaque', { needs: ['token'] }, async (ctx) => {
    const eachByte = (text: string): string =>
      Buffer.from(text)
        .toString('hex')
        .replace(/../g, (byte) => `%${byte.toUpperCase()}`);
    for (const encode of [encodeURIComponent, eachByte]) {
      const first = await firstPage(ctx);
      const encoded = encode(first.next);
      if (encode === eachByte && encoded.length > longestEncoded) continue;
      const { from, size } = { from: 'from', ...requirePagination(ctx.operation) };
      const query = `${size.parameter.name}=1&${from}=${encoded}`;
      const result = await ctx.call({ query });
      expectSuccess(result, 'next was sent back unchanged except for percent-encoding');
      const got = keys(items(result, requirePagination(ctx.operation).items));
      const isNext = got.length > 0 && got[0] !== keys(first.items)[0];
      const evidence = [first.result.exchange, result.exchange];
      expectThat(isNext, 'the items after the first page', show(got), ...evidence);
    }
  }),

  requirement('8/checkpoint-misuse', { needs: ['token'] }, async (ctx) => {
    for (const { what, result } of await misuse(ctx))
      expectNoServerError(result, `a checkpoint ${what} may be refused but must not break the server`);
  }),

  observation('8/checkpoint-used-twice', { needs: ['token'] }, async (ctx) => {
    const first = await firstPage(ctx);
    const once = await page(ctx, { take: 1, from: first.next });
    const twice = await page(ctx, { take: 1, from: first.next });
    if (!isServed(twice.result)) return `refused with ${status(twice.result)}`;
    return keys(once.items).join() === keys(twice.items).join() ? 'same items' : 'other items';
  }),

  observation('8/checkpoint-tampered-status', { needs: ['token'] }, async (ctx) => {
    const found = await misuse(ctx, 4);
    return Object.fromEntries(found.map(({ what, result }) => [what, status(result)]));
  }),
];
