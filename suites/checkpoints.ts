import fc from 'fast-check';
import { invalidText } from '../lib/generate/input.ts';
import { members, status } from '../lib/judge/answer.ts';
import { expectEqual, expectRefused, expectThat, show } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { drawWalk } from '../lib/judge/pictures.ts';
import { type Entry, requirement } from '../lib/judge/requirement.ts';
import { together } from '../lib/judge/together.ts';
import { NotJudged, type Violation } from '../lib/judge/verdict.ts';
import { atLeast, exchangesOf, key, keys, listing, steadily, walk, whole } from '../lib/judge/walk.ts';

/** Section 8, convention 2: listings by `from` and `take`. Judged on every operation with these two parameters. */

const largest = (judging: Judging): number => listing(judging.operation).size.maximum[judging.target.cloud];

const isEndless = (broken: Violation): boolean => broken.expected === 'a walk that ends';

/** Page sizes that a walk is tried with: the smallest, ones that divide nothing, the default, the largest. */
const sizes = (judging: Judging): readonly (number | undefined)[] => {
  const { size } = listing(judging.operation);
  const maximum = size.maximum[judging.target.cloud];
  return [
    undefined,
    ...new Set([2, 7, size.default - 1, size.default, size.default + 1, maximum - 1, maximum]),
  ];
};

/** The divisor of a listing's length that makes the fewest full pages, so that the last page is full too. */
function evenSize(judging: Judging, count: number): number {
  const maximum = listing(judging.operation).size.maximum[judging.target.cloud];
  for (let size = Math.min(maximum, count); size > 1; size -= 1) if (count % size === 0) return size;
  return 1;
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

export const checkpoints: readonly Entry[] = [
  requirement('8/checkpoint-walk-complete', async (judging) => {
    const { broken, pages } = await walk(judging, {}, largest(judging));
    if (broken !== undefined && !isEndless(broken) && pages.length > 1) throw broken;
    await steadily(judging, {}, async (reference) => {
      await together(sizes(judging), async (size) => {
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
      });
    });
  }),

  requirement('8/checkpoint-walk-ends', async (judging) => {
    await together([undefined, 1, largest(judging)], async (size) => {
      const { broken } = await walk(judging, {}, size);
      if (broken !== undefined && isEndless(broken)) throw broken;
    });
  }),

  requirement('8/checkpoint-next-present', (judging) =>
    steadily(judging, {}, async (reference) => {
      const others = [undefined, 1, 2, 7, largest(judging) - 1];
      const walks = [reference, ...(await together(others, (size) => walk(judging, {}, size)))];
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
      const tried = new Set([maximum[judging.target.cloud], evenSize(judging, reference.items.length)]);
      await together(tried, async (size) => {
        const found = whole(await walk(judging, {}, size));
        const last = found.pages.at(-1);
        if (last === undefined) return;
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
      });
    }),
  ),

  requirement('8/checkpoint-order', (judging) =>
    steadily(judging, {}, async (reference) => {
      await together(sizes(judging), async (size) => {
        const found = whole(await walk(judging, {}, size));
        const wanted = keys(reference);
        if (found.items.length !== wanted.length) return;
        expectEqual(`the order with take=${size}`, wanted, keys(found), ...exchangesOf(found.pages));
      });
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
];
