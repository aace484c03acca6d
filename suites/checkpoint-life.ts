import { status } from '../lib/runner/call-result.ts';
import type { FullContext, RequirementContext } from '../lib/runner/context.ts';
import { expectEqual, expectStatus, expectThat } from '../lib/runner/expect.ts';
import { type Check, requirement } from '../lib/runner/requirement.ts';
import { judgeSaved } from '../lib/runner/saved-checkpoints.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { recordCheckpoint } from '../lib/runner/visualizations.ts';
import { checkpointLifetime, keys, largest, type Page, page } from '../lib/runner/walk.ts';

/** Section 8, convention 2: how long a checkpoint lives, and what comes after its end. */

const minute = 60;

/**
 * Items on the pages of each requirement. They differ, with no multiple in common within three pages: a server whose checkpoints are a
 * function of the position may remember when it issued one for another requirement, at another time of its clock.
 */
const pageSizes = { valid: 3, restart: 4, fromIssue: 5, own: 7 } as const;

/** A checkpoint, and what the listing showed before it was issued, on pages of the same size. */
interface Issue {
  readonly next: string;
  /** The first pages of the listing: the checkpoint stands for the second. */
  readonly pages: readonly [first: Page, second: Page, third: Page];
  /** Seconds since the epoch, by the target's clock: the checkpoint was not issued before. */
  readonly began: number;
  /** And not after. */
  readonly ended: number;
}

/**
 * Issues a checkpoint. The pages that it is compared with are read before: a server that issues the same text again would
 * make it young again.
 */
async function issue(ctx: RequirementContext, clock: FullContext['clock'], take: number): Promise<Issue> {
  if (take > largest(ctx))
    throw new NotJudged(`its pages have at most ${largest(ctx)} items, ${take} are needed`);
  const first = await page(ctx, { take });
  const second = await following(ctx, first, take);
  const third = await following(ctx, second, take);
  const began = clock.now();
  const { next } = await page(ctx, { take });
  if (next === undefined)
    throw new NotJudged('the first page carries no next: see 8/checkpoint-next-present');
  return { next, pages: [first, second, third], began, ended: clock.now() };
}

async function following(ctx: RequirementContext, { next, answer }: Page, take: number): Promise<Page> {
  if (status(answer) !== 200)
    throw new NotJudged('the listing cannot be walked: see 8/checkpoint-walk-complete');
  if (next === undefined) throw new NotJudged('the listing is too short', ['--control']);
  return page(ctx, { take, from: next });
}

/** The page is this one of the listing's pages, by its items in any order. A page may come short: full pages are inferred. */
function expectPage(got: Page, wanted: Page, others: readonly Page[], because: string): void {
  expectStatus(got.answer, 200, because);
  const [shown, expected] = [keys(got.items), keys(wanted.items)];
  if (shown.length === expected.length) {
    const what = `the items of the page, because ${because}`;
    expectEqual(what, expected.toSorted(), shown.toSorted(), got.answer.exchange);
    const continues = got.next !== undefined || wanted.next === undefined;
    expectThat(continues, `a next, because ${because} and more items follow`, 'none', got.answer.exchange);
    return;
  }
  const foreignKeys = new Set(others.flatMap(({ items }) => keys(items)));
  expectThat(
    shown.some((each) => expected.includes(each)) && !shown.some((each) => foreignKeys.has(each)),
    `items of the page with ${expected.join(', ')}, because ${because}`,
    shown.length === 0 ? 'none' : shown.join(', '),
    got.answer.exchange,
  );
}

const expectContinued = (got: Page, [first, second]: Issue['pages'], because: string): void =>
  expectPage(got, second, [first], because);

const expectRestarted = (got: Page, [first, second]: Issue['pages'], because: string): void =>
  expectPage(got, first, [second], because);

/** Keeps what came of a checkpoint for the report. */
function recordUses(
  ctx: RequirementContext,
  title: string,
  [first, second]: readonly Page[],
  ...uses: readonly { readonly age: number; readonly page: Page }[]
): void {
  const start = first && keys(first.items)[0];
  const next = second && keys(second.items)[0];
  recordCheckpoint(ctx, title, ...uses.map((use) => ({ ...use, start, following: next })));
}

const lifetime = (ctx: RequirementContext): number => checkpointLifetime(ctx.operation);

/** With the clock of the control protocol, or with a checkpoint that an earlier run has saved. */
const aged = { needs: ['token', 'checkpoint_age'], lane: 'exclusive' } as const;
const timed = { needs: ['token', 'clock'], lane: 'exclusive' } as const;

export const checkpointLife: readonly Check[] = [
  requirement('8/checkpoint-valid-24h', aged, async (ctx) => {
    const { clock } = ctx.optional;
    if (clock === undefined) return judgeSaved(ctx, 'young');
    const { next, pages, began } = await issue(ctx, clock, pageSizes.valid);
    const age = lifetime(ctx) - minute;
    await clock.moveTo(began + age);
    const got = await page(ctx, { take: pageSizes.valid, from: next });
    recordUses(ctx, 'sent back a minute before its end', pages, { age, page: got });
    expectContinued(got, pages, 'its checkpoint is a minute short of its lifetime');
  }),

  requirement('8/checkpoint-restart', aged, async (ctx) => {
    const { clock } = ctx.optional;
    if (clock === undefined) return judgeSaved(ctx, 'old');
    const { pages } = await issue(ctx, clock, pageSizes.restart);
    // A checkpoint may serve only once, so each age has its own. The page that starts over may issue the same text again, so each
    // age is more than a lifetime after the one before.
    const over = lifetime(ctx) + minute;
    // Beyond 49.7 days milliseconds overflow 32 bits: the oldest would look as if it had been issued hours ago.
    const ages = [over, 7 * over, 50 * over];
    const issued: (string | undefined)[] = [];
    for (const [index] of ages.entries()) {
      const first = await page(ctx, { take: pageSizes.restart });
      // One of a later page, too.
      const later = index === 1 ? await page(ctx, { take: pageSizes.restart, from: first.next }) : first;
      issued.push(later.next);
    }
    const ended = clock.now();
    for (const [index, age] of ages.entries()) {
      await clock.moveTo(ended + age);
      const got = await page(ctx, { take: pageSizes.restart, from: issued[index] });
      if (index === 0) recordUses(ctx, 'sent back a minute after its end', pages, { age, page: got });
      expectRestarted(got, pages, `its checkpoint is ${Math.round(age / minute)} minutes old`);
    }
  }),

  requirement('8/checkpoint-life-from-issue', timed, async (ctx) => {
    const { clock } = ctx;
    const { next, pages, began, ended } = await issue(ctx, clock, pageSizes.fromIssue);
    const [half, over] = [lifetime(ctx) / 2, lifetime(ctx) + minute];
    await clock.moveTo(began + half);
    const second = await page(ctx, { take: pageSizes.fromIssue, from: next });
    if (status(second.answer) !== 200)
      throw new NotJudged('the checkpoint does not live for half its lifetime: see 8/checkpoint-valid-24h');
    await clock.moveTo(ended + over);
    const again = await page(ctx, { take: pageSizes.fromIssue, from: next });
    const uses = [
      { age: half, page: second },
      { age: over, page: again },
    ];
    recordUses(ctx, 'sent back half-way, and again after its end', pages, ...uses);
    // A server may refuse a checkpoint that was used; what it must not do is go on with one that has expired.
    if (status(again.answer) !== 200) return;
    expectRestarted(again, pages, 'its checkpoint was issued longer ago than it lives, whenever it was used');
  }),

  requirement('8/checkpoint-own-life', timed, async (ctx) => {
    const { clock } = ctx;
    const { next, pages, began, ended } = await issue(ctx, clock, pageSizes.own);
    const [first, second, third] = pages;
    await clock.moveTo(began + lifetime(ctx) / 2);
    const used = await page(ctx, { take: pageSizes.own, from: next });
    if (used.next === undefined || keys(used.items)[0] !== keys(second.items)[0])
      throw new NotJudged('the checkpoint does not live for half its lifetime: see 8/checkpoint-valid-24h');
    await clock.moveTo(ended + lifetime(ctx) + minute);
    const got = await page(ctx, { take: pageSizes.own, from: used.next });
    const title = "the second page's own, issued half-way through the first one's life";
    recordUses(ctx, title, [first, third], { age: lifetime(ctx) / 2 + minute, page: got });
    const because = 'its own checkpoint is half as old as it may be, though the walk began longer ago';
    expectPage(got, third, [first, second], because);
  }),
];
