import { status } from '../lib/judge/answer.ts';
import { expectEqual, expectStatus } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { judgeKept } from '../lib/judge/kept.ts';
import { drawCheckpoint } from '../lib/judge/pictures.ts';
import { type Entry, requirement } from '../lib/judge/requirement.ts';
import { NotJudged } from '../lib/judge/verdict.ts';
import { atLeast, key, keys, listing, type Page, page, type Walk, walk, whole } from '../lib/judge/walk.ts';

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

async function issue(judging: Judging): Promise<Issue> {
  const { clock } = judging;
  const began = clock.now();
  const [walked, first] = await Promise.all([
    walk(judging, {}, listing(judging.operation).size.maximum[judging.target.cloud]),
    page(judging, { take: smallPage }),
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
  judging: Judging,
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
  drawCheckpoint(judging, title, ...all);
}

function lifetime(judging: Judging): number {
  const pagination = listing(judging.operation);
  if (pagination.kind !== 'checkpoint') throw new Error(`${judging.operation.id} has no checkpoints`);
  return pagination.lifetime;
}

export const checkpointLife: readonly Entry[] = [
  requirement('8/checkpoint-valid-24h', async (judging) => {
    if (!judging.can('clock')) return judgeKept(judging, 'young');
    const { first, next, reference, began } = await issue(judging);
    const age = lifetime(judging) - minute;
    await judging.clock.until(began + age);
    const second = await page(judging, { take: smallPage, from: next });
    draw(judging, 'sent back a minute before its end', reference, {
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
  }),

  requirement('8/checkpoint-restart', async (judging) => {
    if (!judging.can('clock')) return judgeKept(judging, 'old');
    const { first, next, reference, ended } = await issue(judging);
    const age = lifetime(judging) + minute;
    await judging.clock.until(ended + age);
    const again = await page(judging, { take: smallPage, from: next });
    draw(judging, 'sent back a minute after its end', reference, {
      age,
      page: again,
      after: first.items.length,
    });
    expectPart('the first page', reference, 0, again, 'its checkpoint is a minute older than its lifetime');
  }),

  requirement('8/checkpoint-life-from-issue', async (judging) => {
    const { clock } = judging;
    const { first, next, reference, began, ended } = await issue(judging);
    const [half, over] = [lifetime(judging) / 2, lifetime(judging) + minute];
    await clock.until(began + half);
    const second = await page(judging, { take: smallPage, from: next });
    if (status(second.answer) !== 200)
      throw new NotJudged('the checkpoint does not live for half its lifetime: see 8/checkpoint-valid-24h');
    await clock.until(ended + over);
    const again = await page(judging, { take: smallPage, from: next });
    draw(
      judging,
      'sent back half-way, and again after its end',
      reference,
      { age: half, page: second, after: first.items.length },
      { age: over, page: again, after: first.items.length },
    );
    // A server may refuse a checkpoint that was used; what it must not do is go on with one that has expired.
    if (status(again.answer) !== 200 || keys(again)[0] === keys(reference)[0]) return;
    const unused = await issue(judging);
    await clock.until(unused.ended + over);
    const late = await page(judging, { take: smallPage, from: unused.next });
    if (keys(late)[0] !== keys(unused.reference)[0])
      throw new NotJudged('no checkpoint starts over at its end: see 8/checkpoint-restart');
    expectPart(
      'the first page',
      reference,
      0,
      again,
      'its checkpoint was issued longer ago than it lives, whenever it was used',
    );
  }),

  requirement('8/checkpoint-own-life', async (judging) => {
    const { clock } = judging;
    const { first, next, reference, began, ended } = await issue(judging);
    await clock.until(began + lifetime(judging) / 2);
    const second = await page(judging, { take: smallPage, from: next });
    if (second.next === undefined || keys(second)[0] !== keys(reference)[first.items.length])
      throw new NotJudged('the checkpoint does not live for half its lifetime: see 8/checkpoint-valid-24h');
    await clock.until(ended + lifetime(judging) + minute);
    const third = await page(judging, { take: smallPage, from: second.next });
    const start = first.items.length + second.items.length;
    draw(judging, "the second page's own, issued half-way through the first one's life", reference, {
      age: lifetime(judging) / 2 + minute,
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
