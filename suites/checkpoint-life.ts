import type { Query } from '../lib/runner/call.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { duration, expectEqual, expectSuccess, expectThat, isServed, plural } from '../lib/runner/expect.ts';
import type { Check, ContextFor } from '../lib/runner/requirement.ts';
import { judgeSaved } from '../lib/runner/saved-checkpoints.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { ignoreNotJudged, NotJudged } from '../lib/runner/verdict.ts';
import {
  checkpointLifetime,
  keys,
  largest,
  type Page,
  page,
  queryText,
  walkRequirement,
  wholeListing,
} from '../lib/runner/walk.ts';
import { type Filter, statuses, valuesOf } from './experiments-content.ts';

/** Section 8, convention 2: the lifetime of a checkpoint, and what an expired one returns. */

const minute = 60;
const day = 24 * 60 * minute;

/**
 * The page size of each requirement. No two sizes share a multiple within three pages: a server that derives checkpoints from the
 * position may remember that it issued one for another requirement, at another time of its clock.
 */
const pageSizes = { valid: 3, restart: 4, fromIssue: 5, own: 7 } as const;

/** A checkpoint, and the pages of the same size that were read before it was issued. */
interface IssuedCheckpoint {
  /** The page size and the filters of the listing. */
  readonly query: Query & { readonly take: number };
  readonly next: string;
  /** The first pages of the listing. The checkpoint leads to the second one. */
  readonly pages: readonly [first: Page, second: Page];
}

/**
 * Requests a checkpoint. The pages to compare with are read first: if the server issues the same text again, its lifetime starts
 * again.
 */
async function requestCheckpoint(ctx: RequirementContext, query: IssuedCheckpoint['query']) {
  if (query.take > largest(ctx))
    throw new NotJudged(
      `the pages of the listing have at most ${largest(ctx)} items, but ${query.take} are needed`,
    );
  const first = await page(ctx, query);
  const second = await pageAfter(ctx, first, query);
  const { next } = await page(ctx, query);
  if (next === undefined) throw new NotJudged('the first page has no next: see 8/checkpoint-next-present');
  return { query, next, pages: [first, second] as const };
}

/** Requests a checkpoint of a filtered listing, or of the whole one if the filtered listing is too short. */
async function requestFiltered(ctx: RequirementContext, take: number, filter: Filter = 'status') {
  const values = (await valuesOf(ctx, filter).catch(ignoreNotJudged)) ?? [];
  const ofFilter = requestCheckpoint(ctx, { take, [filter]: values[1] ?? values[0] });
  return (await ofFilter.catch(ignoreNotJudged)) ?? requestCheckpoint(ctx, { take });
}

/** Requests a checkpoint of the whole listing and one of a filtered listing. */
async function requestBoth(ctx: RequirementContext, take: number, filter?: Filter) {
  const plain = await requestCheckpoint(ctx, { take });
  return [plain, await requestFiltered(ctx, take, filter)] as const;
}

/** Requests a checkpoint that leads to a last page of one item; undefined if no status has two experiments that fit on two pages. */
async function requestLast(ctx: RequirementContext) {
  for (const state of statuses(ctx)) {
    const take = (await wholeListing(ctx, { status: state })).items.length - 1;
    if (take >= 1 && take <= largest(ctx)) return requestCheckpoint(ctx, { take, status: state });
  }
  return undefined;
}

async function pageAfter(ctx: RequirementContext, { next, result }: Page, query: Query): Promise<Page> {
  if (!isServed(result)) throw new NotJudged('the listing cannot be walked: see 8/checkpoint-walk-complete');
  if (next === undefined) throw new NotJudged('the listing is too short', ['--control']);
  return page(ctx, { ...query, from: next });
}

/** The page has the items of the wanted page, in any order. It may have fewer, because full pages are only inferred. */
export function expectPage(got: Page, wanted: Page, others: readonly Page[], because: string): void {
  expectSuccess(got.result, because);
  const [shown, expected] = [keys(got.items), keys(wanted.items)];
  if (shown.length === expected.length) {
    const what = { expected: 'the items of the page', because };
    expectEqual(what, expected.toSorted(), shown.toSorted(), got.result.exchange);
    const continues = got.next !== undefined || wanted.next === undefined;
    expectThat(
      continues,
      { expected: 'next', because: `${because} and more items follow` },
      'none',
      got.result.exchange,
    );
    return;
  }
  const foreignKeys = new Set(others.flatMap(({ items }) => keys(items)));
  expectThat(
    shown.some((each) => expected.includes(each)) && !shown.some((each) => foreignKeys.has(each)),
    { expected: `items of the page with ${expected.join(', ')}`, because },
    shown.length === 0 ? 'none' : shown.join(', '),
    got.result.exchange,
  );
}

const expectContinued = (got: Page, [first, second]: IssuedCheckpoint['pages'], because: string): void =>
  expectPage(got, second, [first], because);

const expectRestarted = (got: Page, [first, second]: IssuedCheckpoint['pages'], because: string): void =>
  expectPage(got, first, [second], because);

const expiresEarly = (): NotJudged =>
  new NotJudged('the checkpoint expires before half its lifetime: see 8/checkpoint-valid-24h');

/**
 * Uses two checkpoints at half their lifetime, and waits until they have expired.
 * @returns each with the page that it led to, whose `next` has not expired, and the third page as it was before
 */
async function useAtHalfLife(ctx: ContextFor<'clock'>, take: number, filter: Filter) {
  const { clock } = ctx;
  const began = clock.now();
  const [plain, filtered] = await requestBoth(ctx, take, filter);
  // The same checkpoint twice, as of a listing that is not filtered after all, is as young as its last issue.
  const different = plain.next === filtered.next ? [plain] : [plain, filtered];
  const issued = await settleAll(different, async (checkpoint) => ({
    ...checkpoint,
    third: await pageAfter(ctx, checkpoint.pages[1], checkpoint.query),
  }));
  const ended = clock.now();
  await clock.moveTo(began + checkpointLifetime(ctx) / 2);
  const used = await settleAll(issued, async (checkpoint) => {
    const second = await page(ctx, { ...checkpoint.query, from: checkpoint.next });
    if (!isServed(second.result)) throw expiresEarly();
    return { ...checkpoint, second };
  });
  await clock.moveTo(ended + checkpointLifetime(ctx) + minute);
  return used;
}

/** Uses the clock of the control protocol, or a checkpoint that an earlier run saved. */
const aged = { needs: ['token', 'checkpoint_age'], lane: 'exclusive' } as const;
const timed = { needs: ['token', 'clock'], lane: 'exclusive' } as const;

export const checkpointLife: readonly Check[] = [
  walkRequirement('8/checkpoint-valid-24h', aged, async (ctx) => {
    const { clock } = ctx;
    if (clock === undefined) return judgeSaved(ctx, 'young');
    const began = clock.now();
    const [plain, filtered] = await requestBoth(ctx, pageSizes.valid);
    // A checkpoint may be valid for one use only, so each age has its own.
    const { next: another } = await page(ctx, plain.query);
    const lifetime = checkpointLifetime(ctx);
    const uses = [
      { ...plain, from: another ?? plain.next, age: Math.round(lifetime * 0.7) },
      { ...plain, from: plain.next, age: lifetime - minute },
      { ...filtered, from: filtered.next, age: lifetime - minute },
    ];
    for (const { query, pages, from, age } of uses) {
      await clock.moveTo(began + age);
      const got = await page(ctx, { ...query, from });
      if (clock.now() >= began + lifetime)
        throw new NotJudged('the checkpoint expired while its request was repeated after 429');
      expectContinued(got, pages, `its checkpoint is valid for another ${duration(1000 * (lifetime - age))}`);
    }
  }),

  walkRequirement('8/checkpoint-restart', aged, async (ctx) => {
    const { clock } = ctx;
    if (clock === undefined) return judgeSaved(ctx, 'old');
    const take = pageSizes.restart;
    const [plain, byStatus] = await requestBoth(ctx, take);
    const byFlow = await requestFiltered(ctx, take, 'authentication_flow');
    const byFlag = await requestFiltered(ctx, take, 'feature_flag_id');
    const ofLastPage = await requestLast(ctx);
    const { next: ofLaterPage } = await page(ctx, { ...plain.query, from: plain.next });
    const again = await page(ctx, plain.query);
    const ended = clock.now();
    // A checkpoint may be valid for one use only, so each age has its own. The first page may issue the same text again, so each
    // age is more than a lifetime after the previous one.
    const over = checkpointLifetime(ctx) + minute;
    const uses = [
      { ...plain, from: again.next, age: over },
      // A checkpoint would seem to be younger after whole weeks, and where milliseconds overflow: 31 bits after 24.9 days, 32 bits
      // after 49.7 days, or where dates are compared without the year.
      { ...byFlow, from: byFlow.next, age: 7 * over },
      { ...plain, from: ofLaterPage, age: 30 * over },
      { ...byStatus, from: byStatus.next, age: 50 * over },
      { ...byFlag, from: byFlag.next, age: 365 * over },
      ...(ofLastPage === undefined ? [] : [{ ...ofLastPage, from: ofLastPage.next, age: 367 * over }]),
    ];
    for (const { query, pages, from, age } of uses) {
      await clock.moveTo(ended + age);
      const got = await page(ctx, { ...query, from });
      const old = age < 2 * day ? duration(1000 * age) : plural(Math.round(age / day), 'day');
      expectRestarted(got, pages, `its checkpoint of ${queryText(query)} is ${old} old`);
      if (query !== plain.query) continue;
      // One of them led to the third page: a listing that only seems to start over continues after it.
      const second = await page(ctx, { ...query, from: got.next });
      expectContinued(second, pages, 'its checkpoint was just issued, in place of an expired one');
    }
  }),

  walkRequirement('8/checkpoint-life-from-issue', timed, async (ctx) => {
    const used = await useAtHalfLife(ctx, pageSizes.fromIssue, 'feature_flag_id');
    await settleAll(used, async ({ query, next, pages, second }) => {
      if (second.next === next) throw new NotJudged('the next page issues the same checkpoint again');
      const again = await page(ctx, { ...query, from: next });
      // A server may refuse a used checkpoint, but it must not continue from an expired one.
      if (isServed(again.result))
        expectRestarted(again, pages, 'its checkpoint has expired, no matter when it was used');
    });
  }),

  walkRequirement('8/checkpoint-own-life', timed, async (ctx) => {
    const used = await useAtHalfLife(ctx, pageSizes.own, 'authentication_flow');
    await settleAll(used, async ({ query, pages: [first, expected], second, third }) => {
      if (second.next === undefined || keys(second.items)[0] !== keys(expected.items)[0])
        throw new NotJudged(
          'the checkpoint leads to another page at half its lifetime: see 8/checkpoint-valid-24h',
        );
      const got = await page(ctx, { ...query, from: second.next });
      const because = 'its checkpoint is at half its lifetime, although the walk began earlier';
      expectPage(got, third, [first, expected], because);
    });
  }),
];
