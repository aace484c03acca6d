import { status } from '../lib/runner/answer.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectEqual, expectStatus } from '../lib/runner/expect.ts';
import { type Check, requirement } from '../lib/runner/requirement.ts';
import { judgeSaved } from '../lib/runner/saved-checkpoints.ts';
import type { VirtualTime } from '../lib/runner/shared-clock.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { recordCheckpoint } from '../lib/runner/visualizations.ts';
import { atLeast, key, keys, listing, type Page, page, type Walk, walk, whole } from '../lib/runner/walk.ts';

/** Section 8, convention 2: how long a checkpoint lives, and what comes after its end. */

const minute = 60;

/** Items on the pages of walks that are about checkpoints, not about sizes. */
const smallPage = 3;

/** The first page by three items, with the checkpoint of the second one. */
interface Issue {
  readonly first: Page;
  readonly next: string;
  /** The whole listing. */
  readonly reference: Walk;
  /** Seconds since the epoch, by the target's clock: the checkpoint was not issued before. */
  readonly began: number;
  /** And not after. */
  readonly ended: number;
}

async function issue(ctx: RequirementContext, clock: VirtualTime): Promise<Issue> {
  const began = clock.now();
  const [walked, first] = await Promise.all([
    walk(ctx, {}, listing(ctx.operation).size.maximum[ctx.target.cloud]),
    page(ctx, { take: smallPage }),
  ]);
  const reference = whole(walked);
  atLeast(smallPage * 3, reference);
  if (first.next === undefined)
    throw new NotJudged('the first page carries no next: see 8/checkpoint-next-present');
  return { first, next: first.next, reference, began, ended: clock.now() };
}

/** Which part of the listing a page shows. */
function expectPart(what: string, reference: Walk, start: number, got: Page, because: string): void {
  const wanted = keys(reference).slice(start, start + smallPage);
  expectStatus(got.answer, 200, because);
  // A page may come short (full pages are inferred), but it begins where it must.
  const part = got.items.slice(0, smallPage).map(key);
  expectEqual(
    `${what}, because ${because}`,
    wanted.slice(0, Math.max(1, part.length)),
    part,
    got.answer.exchange,
  );
}

/** Keeps what came of a checkpoint for the report; `after` is how many items come before the page that it stands for. */
function draw(
  ctx: RequirementContext,
  title: string,
  reference: Walk,
  ...uses: readonly { readonly age: number; readonly page: Page; readonly after: number }[]
): void {
  const [start] = keys(reference);
  const all = uses.map(({ age, page: got, after }) => ({
    age,
    page: got,
    start,
    following: keys(reference)[after],
  }));
  recordCheckpoint(ctx, title, ...all);
}

function lifetime(ctx: RequirementContext): number {
  const pagination = listing(ctx.operation);
  if (pagination.kind !== 'checkpoint') throw new Error(`${ctx.operation.id} has no checkpoints`);
  return pagination.lifetime;
}

export const checkpointLife: readonly Check[] = [
  requirement(
    '8/checkpoint-valid-24h',
    { needs: ['token', 'checkpoint_age'], lane: 'exclusive' },
    async (ctx) => {
      const { clock } = ctx.optional;
      if (clock === undefined) return judgeSaved(ctx, 'young');
      const { first, next, reference, began } = await issue(ctx, clock);
      const age = lifetime(ctx) - minute;
      await clock.until(began + age);
      const second = await page(ctx, { take: smallPage, from: next });
      draw(ctx, 'sent back a minute before its end', reference, {
        age,
        page: second,
        after: first.items.length,
      });
      expectPart(
        'the second page',
        reference,
        first.items.length,
        second,
        'its checkpoint is a minute short of its lifetime',
      );
    },
  ),

  requirement(
    '8/checkpoint-restart',
    { needs: ['token', 'checkpoint_age'], lane: 'exclusive' },
    async (ctx) => {
      const { clock } = ctx.optional;
      if (clock === undefined) return judgeSaved(ctx, 'old');
      const { first, next, reference, ended } = await issue(ctx, clock);
      const age = lifetime(ctx) + minute;
      await clock.until(ended + age);
      const again = await page(ctx, { take: smallPage, from: next });
      draw(ctx, 'sent back a minute after its end', reference, {
        age,
        page: again,
        after: first.items.length,
      });
      expectPart('the first page', reference, 0, again, 'its checkpoint is a minute older than its lifetime');
    },
  ),

  requirement(
    '8/checkpoint-life-from-issue',
    { needs: ['token', 'clock'], lane: 'exclusive' },
    async (ctx) => {
      const { clock } = ctx;
      const { first, next, reference, began, ended } = await issue(ctx, clock);
      const [half, over] = [lifetime(ctx) / 2, lifetime(ctx) + minute];
      await clock.until(began + half);
      const second = await page(ctx, { take: smallPage, from: next });
      if (status(second.answer) !== 200)
        throw new NotJudged('the checkpoint does not live for half its lifetime: see 8/checkpoint-valid-24h');
      await clock.until(ended + over);
      const again = await page(ctx, { take: smallPage, from: next });
      draw(
        ctx,
        'sent back half-way, and again after its end',
        reference,
        { age: half, page: second, after: first.items.length },
        { age: over, page: again, after: first.items.length },
      );
      // A server may refuse a checkpoint that was used; what it must not do is go on with one that has expired.
      if (status(again.answer) !== 200 || keys(again)[0] === keys(reference)[0]) return;
      const unused = await issue(ctx, clock);
      await clock.until(unused.ended + over);
      const late = await page(ctx, { take: smallPage, from: unused.next });
      if (keys(late)[0] !== keys(unused.reference)[0])
        throw new NotJudged('no checkpoint starts over at its end: see 8/checkpoint-restart');
      expectPart(
        'the first page',
        reference,
        0,
        again,
        'its checkpoint was issued longer ago than it lives, whenever it was used',
      );
    },
  ),

  requirement('8/checkpoint-own-life', { needs: ['token', 'clock'], lane: 'exclusive' }, async (ctx) => {
    const { clock } = ctx;
    const { first, next, reference, began, ended } = await issue(ctx, clock);
    await clock.until(began + lifetime(ctx) / 2);
    const second = await page(ctx, { take: smallPage, from: next });
    if (second.next === undefined || keys(second)[0] !== keys(reference)[first.items.length])
      throw new NotJudged('the checkpoint does not live for half its lifetime: see 8/checkpoint-valid-24h');
    await clock.until(ended + lifetime(ctx) + minute);
    const third = await page(ctx, { take: smallPage, from: second.next });
    const start = first.items.length + second.items.length;
    draw(ctx, "the second page's own, issued half-way through the first one's life", reference, {
      age: lifetime(ctx) / 2 + minute,
      page: third,
      after: start,
    });
    expectPart(
      'the third page',
      reference,
      start,
      third,
      'its own checkpoint is half as old as it may be, though the walk began longer ago',
    );
  }),
];
