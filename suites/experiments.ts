import fc, { type Arbitrary } from 'fast-check';
import { invalidText } from '../lib/generate/input.ts';
import { status } from '../lib/judge/answer.ts';
import { expectContent } from '../lib/judge/content.ts';
import { expectEqual, expectServed, expectStatus, expectThat } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { type Entry, observation, requirement } from '../lib/judge/requirement.ts';
import { together } from '../lib/judge/together.ts';
import { NotJudged } from '../lib/judge/verdict.ts';
import { key, keys, listing, type Page, page, type Query, steadily, walk, whole } from '../lib/judge/walk.ts';
import { all, largest, statuses } from './experiments-held.ts';

/** Sections 2.2 and 4.2: GET /experimentation/experiments. */

/** The first take that every reading refuses: section 8 allows more on a private cloud than section 4.2 does. */
const refusedFrom = (judging: Judging): number =>
  Math.max(largest(judging), listing(judging.operation).size.cloudMaximum[judging.target.cloud]) + 1;

/** Requests beside which a bad take must be refused too: of a later page, and under a filter. */
async function companions(judging: Judging): Promise<readonly Query[]> {
  const { next } = await page(judging, { take: 2 });
  return [
    { status: statuses(judging)[0] },
    { authentication_flow: 'login' },
    ...(next === undefined ? [] : [{ from: next }]),
  ];
}

const takesRefused = (
  id: string,
  takes: (judging: Judging) => Arbitrary<string>,
  because: string,
  examples: (judging: Judging) => readonly string[],
): Entry =>
  requirement(id, async (judging) => {
    await judging.property(
      takes(judging),
      async (take) => expectStatus(await judging.probe({ query: { take } }), 400, `take=${take} ${because}`),
      { runs: Math.ceil(judging.run.runs / 4), examples: examples(judging) },
    );
    const [take] = examples(judging);
    for (const company of await companions(judging)) {
      const answer = await judging.probe({ query: { ...company, take } });
      expectStatus(answer, 400, `take=${take} ${because}, beside ${Object.keys(company).join()} too`);
    }
    await judging.twin(() => judging.call({ query: { take: 1 } }));
  });

export const experiments: readonly Entry[] = [
  requirement('4.2/reads', async (judging) =>
    expectStatus(await judging.call(), 200, 'no parameter is required'),
  ),

  requirement('4.2/take-accepted', async (judging) => {
    const takes = Array.from({ length: largest(judging) }, (_, index) => index + 1);
    await Promise.all(
      takes.map(async (take) =>
        expectServed(await judging.call({ query: { take } }), `take=${take} lies within its bounds`),
      ),
    );
  }),

  requirement('4.2/take-limits', async (judging) => {
    const expectWithin = (take: number, { items, answer }: Page): void =>
      expectThat(items.length <= take, `at most ${take} experiments`, String(items.length), answer.exchange);
    await together([1, 2, 24, 25, 26, 49, 50], async (take) =>
      expectWithin(take, await page(judging, { take })),
    );
    await together([2, 24, 50], async (take) => {
      for (const found of (await walk(judging, {}, take)).pages) expectWithin(take, found);
    });
    await together(await companions(judging), async (company) =>
      expectWithin(2, await page(judging, { ...company, take: 2 })),
    );
    const [, second] = (await walk(judging, {}, 50, 2)).pages;
    if (second !== undefined) expectWithin(2, second);
  }),

  requirement('4.2/take-full-pages', (judging) =>
    steadily(judging, {}, async () => {
      await together([2, 24, 25, 26, 49, 50], async (take) => {
        const { pages } = whole(await walk(judging, {}, take));
        for (const { items, answer } of pages.slice(0, -1)) {
          expectThat(
            items.length >= take,
            `${take} experiments on a page that is not the last`,
            String(items.length),
            answer.exchange,
          );
        }
      });
    }),
  ),

  requirement('4.2/take-default', (judging) =>
    steadily(judging, {}, async (reference) => {
      const usual = listing(judging.operation).size.default;
      if (reference.items.length <= usual)
        throw new NotJudged(`the listing has only ${reference.items.length} experiments`, ['--control']);
      const queries = async (take?: number): Promise<readonly Query[]> => [
        { take },
        { take, status: statuses(judging)[0] },
        // A checkpoint may serve only once, and only beside the take of its walk: each page gets its own.
        { take, from: (await page(judging, { take })).next },
      ];
      const named = await queries(usual);
      for (const [index, query] of (await queries()).entries()) {
        const without = await page(judging, query);
        const found = await page(judging, named[index] ?? {});
        expectEqual(
          `the page of take=${usual}`,
          keys(found),
          keys(without),
          found.answer.exchange,
          without.answer.exchange,
        );
      }
    }),
  ),

  takesRefused(
    '4.2/take-maximum',
    (judging) => fc.integer({ min: refusedFrom(judging), max: 10_000 }).map(String),
    'is above its maximum',
    // Of those behind a power of two an integer of so many bits would make 1.
    (judging) => [
      ...[refusedFrom(judging), 101, 1000, 2 ** 31 - 1, 2 ** 31, 2 ** 53].map(String),
      ...[8n, 16n, 32n, 64n].map((bits) => String(2n ** bits + 1n)),
    ],
  ),
  takesRefused(
    '4.2/take-minimum',
    () => fc.integer({ min: -10_000, max: 0 }).map(String),
    'is below 1',
    () => ['0', '-1', '-50'],
  ),
  takesRefused(
    '4.2/take-integer',
    (judging) => {
      const { parameter } = listing(judging.operation).size;
      const texts = invalidText(judging.contract, { ...parameter, schema: { type: 'integer' } });
      return (texts ?? fc.constant({ text: 'many' })).map(({ text }) => text);
    },
    'is no integer',
    () => ['ten', '1.5', '5abc', '1,5', 'null', 'true', '0x10', 'NaN', '١٠', '1_0'],
  ),

  requirement('2.2/experiment-content', async (judging) => {
    const held = new Map(judging.dataSet.experiments.map(({ experiment }) => [key(experiment), experiment]));
    const { pages } = await all(judging);
    for (const { items, answer } of pages) {
      for (const item of items) {
        const wanted = held.get(key(item));
        if (wanted !== undefined) expectContent(judging, 'Experiment', wanted, item, answer.exchange);
      }
    }
  }),

  observation('4.2/always-present', async (judging) => {
    const { items } = await all(judging);
    const [first] = items;
    if (first === undefined) return undefined;
    return Object.keys(first)
      .filter((name) => items.every((item) => Object.hasOwn(item, name)))
      .toSorted();
  }),

  observation('4.2/take-spellings', async (judging) => {
    const spellings = ['+5', '05', '5.0', '1e1', '%205', ''];
    const answers = await Promise.all(
      spellings.map((text) => judging.call({ query: `take=${text.replace('+', '%2B')}` })),
    );
    return Object.fromEntries(
      spellings.map((text, index) => [`take=${text}`, answers[index] && status(answers[index])]),
    );
  }),

  observation('4.2/take-between-maxima', async (judging) => {
    if (judging.target.cloud !== 'private') return undefined;
    const { answer, items } = await page(judging, { take: 100 });
    return status(answer) === 200 ? `${status(answer)} with ${items.length} experiments` : status(answer);
  }),

  observation('4.2/default-take', async (judging) => (await page(judging, {})).items.length),

  observation('4.2/archived-unfiltered', async (judging) => {
    const unfiltered = new Set(keys(await all(judging)));
    const archived = keys(await all(judging, { status: 'archived' }));
    if (archived.length === 0) return undefined;
    return archived.every((each) => unfiltered.has(each))
      ? 'there'
      : archived.some((each) => unfiltered.has(each))
        ? 'some'
        : 'not there';
  }),

  observation('4.2/order', async (judging) => {
    const { items } = await all(judging);
    const sorted = (values: readonly unknown[], sign: number) =>
      values.every((value, index) => index === 0 || sign * compare(values[index - 1], value) <= 0);
    const fields = ['id', 'name', 'created_at', 'updated_at'].flatMap((field) => {
      const values = items.map((item) => item[field]);
      if (new Set(values).size < 2) return [];
      return sorted(values, 1) ? [`${field} ascending`] : sorted(values, -1) ? [`${field} descending`] : [];
    });
    return fields.length === 0 ? 'none that is seen' : fields.join(', ');
  }),

  observation('7/repeated-parameter', async (judging) =>
    status(await judging.call({ query: 'take=1&take=2' })),
  ),
  observation('7/empty-parameter', async (judging) => status(await judging.call({ query: 'status=' }))),
  observation('7/body-on-get', async (judging) => {
    return status(
      await judging.call({ body: { mediaType: 'application/json', bytes: new TextEncoder().encode('{}') } }),
    );
  }),

  observation('7/order-of-checks', async (judging) => {
    const { forge } = judging.target.tokens;
    const other = await judging.token([{ name: 'read:stats', verb: 'read', resource: 'stats' }]);
    const code = async (authorization: typeof other, take: string) =>
      status(await judging.probe({ authorization, query: { take } }));
    const found: Record<string, number> = {
      'without the scope, with an invalid take': await code(other, 'ten'),
    };
    if (forge !== undefined) {
      const claims = forge.claims(judging.operation.scopes);
      const expired = await forge.sign({ ...claims, exp: forge.now() - 86_400 });
      found['expired, with an invalid take'] = await code(expired, 'ten');
      const both = await forge.sign({ ...forge.claims([]), exp: forge.now() - 86_400 });
      found['expired, without the scope'] = await code(both, '1');
    }
    return found;
  }),
];

function compare(left: unknown, right: unknown): number {
  const [one, other] = [String(left), String(right)];
  return one < other ? -1 : one > other ? 1 : 0;
}
