import fc from 'fast-check';
import { invalidText } from '../lib/generate/input.ts';
import { type Answer, items, members, status } from '../lib/judge/answer.ts';
import { expectEqual, expectRefused, expectStatus, expectThat, show } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { judgeKept } from '../lib/judge/kept.ts';
import { drawCheckpoint, drawWalk } from '../lib/judge/pictures.ts';
import { type Entry, observation, requirement } from '../lib/judge/requirement.ts';
import { NotJudged, Violation } from '../lib/judge/verdict.ts';
import {
  exchangesOf,
  key,
  listing,
  type Page,
  page,
  steadily,
  type Walk,
  walk,
  whole,
} from '../lib/judge/walk.ts';

/** Section 8, convention 2: listings by `from` and `take`. Judged on every operation with these two parameters. */

const minute = 60;

/** Items on the pages of walks that are about checkpoints, not about sizes. */
const smallPage = 3;

const largest = (judging: Judging): number => listing(judging.operation).size.maximum[judging.target.cloud];

const isEndless = (broken: Violation): boolean => broken.expected === 'a walk that ends';

const keys = (found: { items: Walk['items'] }): readonly string[] => found.items.map(key);

/** Page sizes that a walk is tried with: the smallest, ones that divide nothing, the default, the largest. */
const sizes = (judging: Judging): readonly (number | undefined)[] => {
  const { size } = listing(judging.operation);
  const maximum = size.maximum[judging.target.cloud];
  return [
    undefined,
    ...new Set([2, 7, size.default - 1, size.default, size.default + 1, maximum - 1, maximum]),
  ];
};

/** Throws NotJudged where the listing is too short to show it. */
function atLeast(wanted: number, reference: Walk): void {
  if (reference.items.length < wanted) {
    throw new NotJudged(`the listing has ${reference.items.length} items, at least ${wanted} are needed`, [
      '--control',
    ]);
  }
}

/** The divisor of a listing's length that makes the fewest full pages, so that the last page is full too. */
function evenSize(judging: Judging, count: number): number {
  const maximum = listing(judging.operation).size.maximum[judging.target.cloud];
  for (let size = Math.min(maximum, count); size > 1; size -= 1) if (count % size === 0) return size;
  return 1;
}

/** The first two pages by three items, and the checkpoint between them, issued now. */
async function firstPage(judging: Judging): Promise<{ first: Page; next: string; reference: Walk }> {
  const reference = whole(
    await walk(judging, {}, listing(judging.operation).size.maximum[judging.target.cloud]),
  );
  atLeast(smallPage * 3, reference);
  const first = await page(judging, { take: smallPage });
  if (first.next === undefined)
    throw new NotJudged('the first page carries no next: see 8/checkpoint-next-present');
  return { first, next: first.next, reference };
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

/** Checkpoints that were never issued like this. */
const tampered = (next: string): readonly string[] => {
  const middle = Math.floor(next.length / 2);
  const flipped = next[middle] === 'A' ? 'B' : 'A';
  return [
    next.slice(0, -1),
    next.slice(0, middle),
    `${next}A`,
    next.slice(0, middle) + flipped + next.slice(middle + 1),
    next.toUpperCase(),
    [...next].reverse().join(''),
    'garbage',
    '0',
    '-1',
    '99999999999999999999',
    "' OR '1'='1",
    '{}',
    'ü😀',
    '%00',
    'A'.repeat(2000),
  ];
};

const misuses = async (judging: Judging): Promise<readonly { what: string; answer: Answer }[]> => {
  const first = await page(judging, { take: smallPage });
  if (first.next === undefined) throw new NotJudged('the listing has one page only', ['--control']);
  const second = await page(judging, { take: smallPage, from: first.next });
  const found: { what: string; answer: Answer }[] = [];
  const use = async (what: string, query: Record<string, string | number>) => {
    found.push({ what, answer: (await page(judging, query)).answer });
  };
  await use('used twice', { take: smallPage, from: first.next });
  if (second.next !== undefined) {
    await use('the later one', { take: smallPage, from: second.next });
    await use('the earlier one after the later one', { take: smallPage, from: first.next });
  }
  for (const parameter of judging.operation.parameters) {
    const [value] = parameter.schema.enum ?? ['no-such-value'];
    if (parameter.in === 'query' && parameter.name !== 'from' && parameter.name !== 'take') {
      await use(`with another ${parameter.name}`, {
        take: smallPage,
        from: first.next,
        [parameter.name]: String(value),
      });
    }
  }
  for (const from of tampered(first.next))
    await use(`changed to ${show(from.slice(0, 40))}`, { take: smallPage, from });
  // A server that breaks on them is blamed by 8/checkpoint-misuse, not by 7/no-server-error once more.
  judging.run.claim(found.map(({ answer }) => answer.exchange));
  return found;
};

export const checkpoints: readonly Entry[] = [
  requirement('8/checkpoint-walk-complete', async (judging) => {
    const { broken, pages } = await walk(judging, {}, largest(judging));
    if (broken !== undefined && !isEndless(broken) && pages.length > 1) throw broken;
    await steadily(judging, {}, async (reference) => {
      for (const size of sizes(judging)) {
        const found = await walk(judging, {}, size);
        drawWalk(judging, size === undefined ? 'without take' : `take=${size}`, found, keys(reference));
        if (found.broken !== undefined) throw found.broken;
        const got = keys(found).toSorted();
        const twice = got.filter((each, index) => each === got[index - 1]);
        expectEqual(`items that come twice with take=${size}`, [], twice, ...exchangesOf(found.pages));
        expectEqual(
          `items of the walk with take=${size}`,
          expectedKeys(judging, keys(reference)),
          withoutArchived(judging, got),
          ...exchangesOf(found.pages),
        );
      }
    });
  }),

  requirement('8/checkpoint-walk-ends', async (judging) => {
    for (const size of [undefined, 1, largest(judging)]) {
      const { broken } = await walk(judging, {}, size);
      if (broken !== undefined && isEndless(broken)) throw broken;
    }
  }),

  requirement('8/checkpoint-next-present', (judging) =>
    steadily(judging, {}, async (reference) => {
      const walks = [reference, await walk(judging, {}, undefined)];
      for (const size of [1, 2, 7, largest(judging) - 1]) walks.push(await walk(judging, {}, size));
      const [longest = reference] = walks.toSorted((one, other) => other.items.length - one.items.length);
      atLeast(2, longest);
      const end = keys(longest).at(-1);
      // An item that is missing on the way is another requirement's; here the walk stops though its end was not reached.
      for (const { items, pages } of walks) {
        const last = pages.at(-1);
        if (items.length >= longest.items.length || keys({ items }).at(-1) === end) continue;
        if (last === undefined || status(last.answer) !== 200 || last.next !== undefined) continue;
        expectThat(
          false,
          `next, because ${items.length} of ${longest.items.length} items were shown`,
          show(members(last.answer).next),
          last.answer.exchange,
        );
      }
    }),
  ),

  requirement('8/checkpoint-next-absent', (judging) =>
    steadily(judging, {}, async (reference) => {
      atLeast(1, reference);
      const { maximum } = listing(judging.operation).size;
      for (const size of new Set([
        maximum[judging.target.cloud],
        evenSize(judging, reference.items.length),
      ])) {
        const found = whole(await walk(judging, {}, size));
        const last = found.pages.at(-1);
        if (last === undefined) continue;
        expectThat(
          !('next' in members(last.answer)),
          'no next on the last page',
          show(members(last.answer).next),
          last.answer.exchange,
        );
        const pages = found.pages.length;
        expectThat(
          pages === 1 || last.items.length > 0,
          'no next that leads to an empty page',
          `an empty page ${pages}`,
          ...exchangesOf(found.pages),
        );
      }
    }),
  ),

  requirement('8/checkpoint-order', (judging) =>
    steadily(judging, {}, async (reference) => {
      for (const size of sizes(judging)) {
        const found = whole(await walk(judging, {}, size));
        const wanted = keys(reference);
        if (found.items.length !== wanted.length) continue;
        expectEqual(`the order with take=${size}`, wanted, keys(found), ...exchangesOf(found.pages));
      }
    }),
  ),

  requirement('8/checkpoint-size-changes', (judging) =>
    steadily(judging, {}, async (reference) => {
      const maximum = listing(judging.operation).size.maximum[judging.target.cloud];
      const size = fc.integer({
        min: 1,
        max: Math.max(1, Math.min(maximum, Math.ceil(reference.items.length / 3))),
      });
      await judging.property(
        fc.array(size, { minLength: 2, maxLength: 6 }),
        async (takes) => {
          const found = await walk(judging, {}, ...takes);
          if (found.broken !== undefined) throw found.broken;
          expectEqual(
            `the items with take ${takes.join(', ')} in turn`,
            keys(reference),
            keys(found),
            ...exchangesOf(found.pages),
          );
        },
        {
          runs: Math.ceil(judging.run.runs / 10),
          examples: [
            [1, maximum, 2],
            [maximum, 1, maximum],
          ],
        },
      );
    }),
  ),

  requirement('8/checkpoint-opaque', async (judging) => {
    const each = (text: string): string =>
      [...new TextEncoder().encode(text)]
        .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
        .join('');
    for (const encode of [encodeURIComponent, each]) {
      const first = await page(judging, { take: smallPage });
      if (first.next === undefined) throw new NotJudged('the listing has one page only', ['--control']);
      const answer = await judging.call({ query: `take=${smallPage}&from=${encode(first.next)}` });
      expectStatus(
        answer,
        200,
        `next was sent back unchanged${encode === each ? ', each byte encoded' : ''}`,
      );
      const got = items(answer, listing(judging.operation).items).map(key);
      expectThat(
        got.length > 0 && got[0] !== keys(first)[0],
        'the items after the first page',
        show(got),
        first.answer.exchange,
        answer.exchange,
      );
    }
  }),

  requirement('8/checkpoint-valid-24h', async (judging) => {
    if (!judging.can('clock')) return judgeKept(judging, 'young');
    const control = judging.control('clock');
    const { first, next, reference } = await firstPage(judging);
    await control.moveClock(lifetime(judging) - minute);
    const second = await page(judging, { take: smallPage, from: next });
    draw(judging, 'sent back a minute before its end', reference, {
      age: lifetime(judging) - minute,
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
    const control = judging.control('clock');
    const { first, next, reference } = await firstPage(judging);
    await control.moveClock(lifetime(judging) + minute);
    const again = await page(judging, { take: smallPage, from: next });
    draw(judging, 'sent back a minute after its end', reference, {
      age: lifetime(judging) + minute,
      page: again,
      after: first.items.length,
    });
    expectPart('the first page', reference, 0, again, 'its checkpoint is a minute older than its lifetime');
  }),

  requirement('8/checkpoint-life-from-issue', async (judging) => {
    const control = judging.control('clock');
    const unused = await firstPage(judging);
    await control.moveClock(lifetime(judging) + minute);
    const over = await page(judging, { take: smallPage, from: unused.next });
    if (keys(over)[0] !== keys(unused.reference)[0])
      throw new NotJudged('no checkpoint starts over at its end: see 8/checkpoint-restart');
    await control.moveClock(0);
    const { first, next, reference } = await firstPage(judging);
    await control.moveClock(lifetime(judging) / 2);
    const second = await page(judging, { take: smallPage, from: next });
    if (status(second.answer) !== 200)
      throw new NotJudged('the checkpoint does not live for half its lifetime: see 8/checkpoint-valid-24h');
    await control.moveClock(lifetime(judging) + minute);
    const again = await page(judging, { take: smallPage, from: next });
    draw(
      judging,
      'sent back half-way, and again after its end',
      reference,
      { age: lifetime(judging) / 2, page: second, after: first.items.length },
      { age: lifetime(judging) + minute, page: again, after: first.items.length },
    );
    // A server may refuse a checkpoint that was used; what it must not do is go on with one that has expired.
    if (status(again.answer) !== 200) return;
    expectPart(
      'the first page',
      reference,
      0,
      again,
      'its checkpoint was issued longer ago than it lives, whenever it was used',
    );
  }),

  requirement('8/checkpoint-own-life', async (judging) => {
    const control = judging.control('clock');
    const { first, next, reference } = await firstPage(judging);
    await control.moveClock(lifetime(judging) / 2);
    const second = await page(judging, { take: smallPage, from: next });
    if (second.next === undefined || keys(second)[0] !== keys(reference)[first.items.length])
      throw new NotJudged('the checkpoint does not live for half its lifetime: see 8/checkpoint-valid-24h');
    await control.moveClock(lifetime(judging) + minute);
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

  requirement('8/checkpoint-misuse', async (judging) => {
    for (const { what, answer } of await misuses(judging)) {
      if (status(answer) >= 500)
        throw new Violation(`a status below 500 for a checkpoint ${what}`, String(status(answer)), [
          answer.exchange,
        ]);
    }
  }),

  requirement('8/checkpoint-size-bounds', async (judging) => {
    const { parameter } = listing(judging.operation).size;
    const outside = invalidText(judging.contract, parameter);
    if (outside === undefined) throw new NotJudged('its take has no bounds');
    await judging.property(
      outside,
      async ({ text, keyword }) => {
        expectRefused(await judging.probe({ query: { take: text } }), `take=${text} breaks its ${keyword}`);
      },
      { runs: Math.ceil(judging.run.runs / 4) },
    );
    await judging.twin(() => judging.call({ query: { take: listing(judging.operation).size.default } }));
  }),

  observation('8/checkpoint-used-twice', async (judging) => {
    const first = await page(judging, { take: smallPage });
    if (first.next === undefined) return undefined;
    const once = await page(judging, { take: smallPage, from: first.next });
    const twice = await page(judging, { take: smallPage, from: first.next });
    if (status(twice.answer) !== 200) return `refused with ${status(twice.answer)}`;
    return once.items.map(key).join() === twice.items.map(key).join() ? 'works' : 'gives other items';
  }),

  observation('8/checkpoint-tampered-status', async (judging) => {
    const found = await misuses(judging);
    return Object.fromEntries(found.map(({ what, answer }) => [what, status(answer)]));
  }),

  observation('8/checkpoint-form', async (judging) => {
    const { next } = await page(judging, { take: smallPage });
    if (next === undefined) return undefined;
    const characters = /^[\w-]+$/.test(next)
      ? 'base64url characters'
      : /^[\w+/=-]+$/.test(next)
        ? 'base64 characters'
        : 'other characters';
    return `${next.length} characters: ${characters}`;
  }),
];

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

/** Ids of the archived experiments, which the unfiltered listing may leave out (whether it does is an observation). */
function archived(judging: Judging): ReadonlySet<string> {
  const held = judging.run.dataSet?.experiments ?? [];
  return new Set(
    held.filter(({ status: state }) => state === 'archived').map(({ experiment }) => key(experiment)),
  );
}

function withoutArchived(judging: Judging, found: readonly string[]): readonly string[] {
  const left = archived(judging);
  return judging.operation.id === 'listExperiments' ? found.filter((each) => !left.has(each)) : found;
}

/** What a walk must give: what the tenant holds, where that is known; otherwise what the largest pages gave. */
function expectedKeys(judging: Judging, reference: readonly string[]): readonly string[] {
  const held = judging.operation.id === 'listExperiments' ? judging.run.dataSet?.experiments : undefined;
  return withoutArchived(
    judging,
    (held?.map(({ experiment }) => key(experiment)) ?? [...reference]).toSorted(),
  );
}
