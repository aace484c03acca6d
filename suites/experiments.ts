import fc, { type Arbitrary } from 'fast-check';
import { invalidText } from '../lib/generate/input.ts';
import { status } from '../lib/judge/answer.ts';
import { expectContent } from '../lib/judge/content.ts';
import { expectEqual, expectServed, expectStatus, expectThat } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { type Entry, observation, requirement } from '../lib/judge/requirement.ts';
import { NotJudged } from '../lib/judge/verdict.ts';
import {
  exchangesOf,
  type Item,
  key,
  listing,
  type Page,
  page,
  type Query,
  steadily,
  type Walk,
  walk,
  whole,
} from '../lib/judge/walk.ts';
import type { DataSet } from '../lib/target/target.ts';

/** Sections 2.2 and 4.2: GET /experimentation/experiments. */

type Held = DataSet['experiments'][number];
type Filter = 'authentication_flow' | 'feature_flag_id';

const statuses = (judging: Judging): readonly string[] => {
  const parameter = judging.operation.parameters.find(({ name }) => name === 'status');
  return (parameter?.schema.enum ?? []).map(String);
};

const largest = (judging: Judging): number => listing(judging.operation).size.maximum[judging.target.cloud];

/** The 4.2 maximum of take, on whatever cloud; section 8 allows more on a private one, where both answers are accepted. */
const refusedFrom = (judging: Judging): number =>
  judging.target.cloud === 'private' ? 101 : largest(judging) + 1;

/** The whole listing under a filter. */
const all = async (judging: Judging, query: Query = {}): Promise<Walk> =>
  whole(await walk(judging, query, largest(judging)));

/** True for an experiment that the filters match. */
const matches = (held: Held, query: Query): boolean =>
  Object.entries(query).every(
    ([name, value]) => (name === 'status' ? held.status : held.experiment[name]) === value,
  );

/**
 * What a listing of these experiments must give, and what it may leave out: archived experiments, where no status is
 * asked for (whether they are there is an observation).
 */
function wantedOf(
  experiments: readonly Held[],
  query: Query,
): { readonly wanted: readonly string[]; readonly optional: ReadonlySet<string> } {
  const found = experiments.filter((held) => matches(held, query));
  const hidden = (held: Held): boolean => query.status === undefined && held.status === 'archived';
  const ids = (each: readonly Held[]): string[] => each.map(({ experiment }) => key(experiment)).toSorted();
  return { wanted: ids(found.filter((held) => !hidden(held))), optional: new Set(ids(found.filter(hidden))) };
}

/** Each match once: those that the tenant holds, where that is known; otherwise those that another reading gave. */
function expectMatches(
  experiments: readonly Held[] | undefined,
  query: Query,
  found: Walk,
  reference: readonly string[] = [],
): void {
  if (found.broken !== undefined) throw found.broken;
  const { wanted, optional } =
    experiments === undefined
      ? { wanted: reference, optional: new Set<string>() }
      : wantedOf(experiments, query);
  const got = keys(found)
    .filter((each) => !optional.has(each))
    .toSorted();
  expectEqual(`the matches of ${JSON.stringify(query)}, each once`, wanted, got, ...exchangesOf(found.pages));
}

/**
 * The field of a listed experiment: its own, or the tenant's where the answer leaves it out. The status is the tenant's
 * always: no field of an experiment is defined to carry it (section 2.2).
 */
function fieldOf(judging: Judging, item: Item, field: string): unknown {
  if (field !== 'status' && item[field] !== undefined) return item[field];
  const held = judging.run.dataSet?.experiments.find(({ experiment }) => key(experiment) === key(item));
  return field === 'status' ? held?.status : held?.experiment[field];
}

/** True where the suite knows all of the experiment. */
function isHeld(judging: Judging, item: Item): boolean {
  return judging.run.dataSet?.experiments.some(({ experiment }) => key(experiment) === key(item)) ?? false;
}

/** Values of a field that experiments have, those of the most different experiments first. */
async function valuesOf(judging: Judging, field: Filter): Promise<readonly string[]> {
  const held =
    judging.run.dataSet?.experiments.map(({ experiment }) => experiment) ?? (await all(judging)).items;
  const values = [
    ...new Set(
      held
        .map((item) => item[field])
        .filter((value): value is string => typeof value === 'string' && value !== ''),
    ),
  ];
  if (values.length === 0) throw new NotJudged(`no experiment has a ${field}`, ['--control']);
  return values;
}

/** Walks under these filters, one for each page size. */
async function walks(judging: Judging, query: Query, ...takes: readonly number[]): Promise<readonly Walk[]> {
  const found: Walk[] = [];
  for (const take of takes) found.push(await walk(judging, query, take));
  return found;
}

const keys = (found: { readonly items: readonly Item[] }): readonly string[] => found.items.map(key);

const filterOnly = (id: string, field: Filter): Entry =>
  requirement(id, async (judging) => {
    for (const value of (await valuesOf(judging, field)).slice(0, 12)) {
      const found = await all(judging, { [field]: value });
      for (const item of found.items) {
        const own = fieldOf(judging, item, field);
        const unknown = own === undefined && !isHeld(judging, item);
        expectThat(
          unknown || own === value,
          `only experiments with ${field} ${JSON.stringify(value)}`,
          `one with ${JSON.stringify(own)}`,
          ...exchangesOf(found.pages),
        );
      }
    }
  });

const filterAll = (id: string, field: Filter): Entry =>
  requirement(id, (judging) =>
    steadily(judging, {}, async (reference) => {
      for (const value of (await valuesOf(judging, field)).slice(0, 12)) {
        const found = await all(judging, { [field]: value });
        const held = judging.run.dataSet?.experiments;
        const shown = keys({ items: reference.items.filter((item) => item[field] === value) });
        const wanted = held === undefined ? shown : wantedOf(held, { [field]: value }).wanted;
        const missing = wanted.filter((each) => !keys(found).includes(each));
        expectEqual(
          `experiments with ${field} ${JSON.stringify(value)} that are not listed`,
          [],
          missing,
          ...exchangesOf(found.pages),
        );
      }
    }),
  );

/** Values that only an inexact comparison takes for this one: case, parts, blanks, patterns, equivalent Unicode. */
const inexact = (value: string): ReadonlySet<string> =>
  new Set(
    [
      value.toUpperCase(),
      value.toLowerCase(),
      `${value} `,
      ` ${value}`,
      value.trim(),
      value.slice(0, -1),
      value.slice(1),
      `${value}x`,
      `${value},x`,
      `${value.slice(0, 1)}*`,
      '%',
      '*',
      '.*',
      value.replace(/./, '_'),
      value.replace(/./, '.'),
      `"${value}"`,
      value.normalize('NFD'),
      value.normalize('NFC'),
      value.normalize('NFD').replace(/\p{M}/gu, ''),
      value.replace(/[a-z]/, (letter) => String.fromCodePoint(0xff21 - 0x41 + letter.charCodeAt(0))),
    ].filter((each) => each !== value && each.trim() !== ''),
  );

const filterExact = (id: string, field: Filter): Entry =>
  requirement(id, async (judging) => {
    for (const value of (await valuesOf(judging, field)).slice(0, 12)) {
      const others = [...inexact(value)];
      const pages = await Promise.all(others.map((other) => page(judging, { [field]: other })));
      for (const [index, other] of others.entries()) {
        for (const item of pages[index]?.items ?? []) {
          const own = fieldOf(judging, item, field);
          expectThat(
            own === undefined || own === other,
            `no experiment whose ${field} is not exactly ${JSON.stringify(other)}`,
            `one with ${JSON.stringify(own)}`,
            ...(pages[index] ? [pages[index].answer.exchange] : []),
          );
        }
      }
    }
  });

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

/** An experiment with an id of its own, as the tenant may hold it. */
const heldExperiment = (index: number, changes: Partial<Held> & { readonly fields?: Item } = {}): Held => ({
  status: changes.status ?? 'active',
  experiment: {
    id: `exp_${String(index).padStart(4, '0')}`,
    name: `Experiment ${index}`,
    authentication_flow: 'login',
    feature_flag_id: 'flag_a',
    is_valid: true,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...changes.fields,
  },
});

const withExperiments = (judging: Judging, experiments: readonly Held[]): DataSet => ({
  ...judging.dataSet,
  experiments,
});

/** Data in which listings go wrong: equal times and names, few flows and flags, any states, any number. */
const anyExperiments = (judging: Judging): Arbitrary<readonly Held[]> =>
  fc
    .array(
      fc.record({
        status: fc.constantFrom(...statuses(judging)),
        flow: fc.constantFrom('login', 'Login', 'signup', undefined),
        flag: fc.constantFrom('flag_a', 'flag_ab'),
        name: fc.constantFrom('Same name', 'Ünïcödé 😀', 'z'),
        day: fc.constantFrom('01', '02'),
      }),
      { maxLength: 60 },
    )
    .map((all) =>
      all.map(({ status: state, flow, flag, name, day }, index) =>
        heldExperiment(index, {
          status: state,
          fields: {
            name,
            created_at: `2026-01-${day}T00:00:00.000Z`,
            feature_flag_id: flag,
            ...(flow === undefined ? { authentication_flow: 'other' } : { authentication_flow: flow }),
          },
        }),
      ),
    );

/** Many of one time and alike, listed under several filters at once over several pages. */
const directedData = [{}, { authentication_flow: 'login' }, { status: 'active' }].flatMap((fewer) =>
  [3, 7].map((take) => ({
    experiments: Array.from({ length: 24 }, (_, index) =>
      heldExperiment(index, { fields: index % 4 === 0 ? { feature_flag_id: 'flag_ab' } : {} }),
    ),
    query: {
      ...fewer,
      feature_flag_id: 'flag_a',
      ...('status' in fewer && { authentication_flow: 'login' }),
    },
    take,
  })),
);

const anyFilters = (judging: Judging): Arbitrary<Query> =>
  fc.record(
    {
      status: fc.constantFrom(...statuses(judging)),
      authentication_flow: fc.constantFrom('login', 'Login', 'signup'),
      feature_flag_id: fc.constantFrom('flag_a', 'flag_ab'),
    },
    { requiredKeys: [], noNullPrototype: true },
  );

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
    for (const take of [1, 2, 24, 25, 26, 49, 50]) expectWithin(take, await page(judging, { take }));
    for (const take of [2, 24, 50])
      for (const found of (await walk(judging, {}, take)).pages) expectWithin(take, found);
    for (const company of await companions(judging))
      expectWithin(2, await page(judging, { ...company, take: 2 }));
    const [, second] = (await walk(judging, {}, 50, 2)).pages;
    if (second !== undefined) expectWithin(2, second);
  }),

  requirement('4.2/take-full-pages', (judging) =>
    steadily(judging, {}, async () => {
      for (const take of [2, 24, 25, 26, 49, 50]) {
        const { pages } = whole(await walk(judging, {}, take));
        for (const { items, answer } of pages.slice(0, -1)) {
          expectThat(
            items.length >= take,
            `${take} experiments on a page that is not the last`,
            String(items.length),
            answer.exchange,
          );
        }
      }
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

  requirement('4.2/status-enum', async (judging) => {
    const known = statuses(judging);
    const others = fc.stringMatching(/^[a-z_]{3,12}$/).filter((each) => !known.includes(each));
    const spellings = known.flatMap((each) => [
      each.toUpperCase(),
      `${each}s`,
      each[0]?.toUpperCase() + each.slice(1),
      each.slice(0, -1),
      ` ${each}`,
      `${each} `,
    ]);
    await judging.property(
      others,
      async (state) =>
        expectStatus(await judging.probe({ query: { status: state } }), 400, `${state} is no status`),
      {
        runs: Math.ceil(judging.run.runs / 4),
        examples: [...spellings, 'running', 'built', 'draft,active', 'all', '*', '0', '1'],
      },
    );
    const beside = { status: 'running', authentication_flow: 'login', feature_flag_id: 'flag' };
    expectStatus(
      await judging.probe({ query: beside }),
      400,
      'running is no status, beside other filters too',
    );
    await judging.twin(() => judging.call({ query: { status: known[0] } }));
  }),

  requirement('4.2/status-accepted', async (judging) => {
    for (const state of statuses(judging))
      expectStatus(await judging.call({ query: { status: state } }), 200, `${state} is a status`);
  }),

  requirement('4.2/status-filter-only', async (judging) => {
    for (const state of statuses(judging)) {
      const found = await all(judging, { status: state });
      const others = found.items.filter((item) => fieldOf(judging, item, 'status') !== state);
      expectEqual(
        `experiments listed under ${state} that are in another state`,
        [],
        keys({ items: others }),
        ...exchangesOf(found.pages),
      );
    }
  }),

  requirement('4.2/status-filter-all', async (judging) => {
    for (const state of statuses(judging)) {
      const found = await all(judging, { status: state });
      const { wanted } = wantedOf(judging.dataSet.experiments, { status: state });
      const missing = wanted.filter((each) => !keys(found).includes(each));
      expectEqual(
        `experiments in state ${state} that are not listed`,
        [],
        missing,
        ...exchangesOf(found.pages),
      );
    }
  }),

  requirement('4.2/status-disjoint', (judging) =>
    steadily(judging, {}, async () => {
      const owner = new Map<string, string>();
      for (const state of statuses(judging)) {
        const found = await all(judging, { status: state });
        for (const each of keys(found)) {
          const other = owner.get(each) ?? state;
          expectThat(
            other === state,
            `${each} in one state only`,
            `${other} and ${state}`,
            ...exchangesOf(found.pages),
          );
          owner.set(each, state);
        }
      }
    }),
  ),

  requirement('4.2/status-within-unfiltered', (judging) =>
    steadily(judging, {}, async (reference) => {
      const unfiltered = new Set(keys(reference));
      const listed = new Set<string>();
      for (const state of statuses(judging)) {
        const found = await all(judging, { status: state });
        for (const each of keys(found)) listed.add(each);
        const missing = state === 'archived' ? [] : keys(found).filter((each) => !unfiltered.has(each));
        expectEqual(
          `experiments in state ${state} that the unfiltered listing leaves out`,
          [],
          missing,
          ...exchangesOf(found.pages),
        );
      }
      const stateless = [...unfiltered].filter((each) => !listed.has(each));
      expectEqual(
        'experiments of the unfiltered listing that stand under no state',
        [],
        stateless,
        ...exchangesOf(reference.pages),
      );
    }),
  ),

  filterOnly('4.2/flow-filter-only', 'authentication_flow'),
  filterAll('4.2/flow-filter-all', 'authentication_flow'),
  filterOnly('4.2/flag-filter-only', 'feature_flag_id'),
  filterAll('4.2/flag-filter-all', 'feature_flag_id'),
  filterExact('4.2/flow-filter-exact', 'authentication_flow'),
  filterExact('4.2/flag-filter-exact', 'feature_flag_id'),

  requirement('4.2/filter-nothing', async (judging) => {
    for (const field of ['authentication_flow', 'feature_flag_id']) {
      for (const value of ['matches nothing at all', "it's", '%', '*', '"', 'Ünïcödé 😀', '\\', '<x>', '(']) {
        const { items, answer } = await page(judging, { [field]: value });
        expectStatus(answer, 200, `${field} may be any text, and may match nothing`);
        if (value.length > 10) expectEqual('experiments', 0, items.length, answer.exchange);
      }
    }
  }),

  requirement('4.2/filters-together', (judging) =>
    steadily(judging, {}, async () => {
      const flows = (await valuesOf(judging, 'authentication_flow')).slice(0, 3);
      const flags = (await valuesOf(judging, 'feature_flag_id')).slice(0, 3);
      const alone = new Map<string, ReadonlySet<string>>();
      const singly = async (name: string, value: string) => {
        const known = alone.get(`${name}=${value}`) ?? new Set(keys(await all(judging, { [name]: value })));
        alone.set(`${name}=${value}`, known);
        return known;
      };
      const held = judging.run.dataSet?.experiments;
      const archived = new Set(
        held?.filter((each) => each.status === 'archived').map(({ experiment }) => key(experiment)),
      );
      // What each filter lists alone, right or wrong, decides: other requirements judge that.
      const judge = async (query: Record<string, string>): Promise<void> => {
        const each = await Promise.all(Object.entries(query).map(([name, value]) => singly(name, value)));
        const left = (id: string): boolean => query.status === undefined && archived.has(id);
        const common = [...(each[0] ?? [])].filter((id) => each.every((set) => set.has(id)) && !left(id));
        const found = await walk(judging, query, largest(judging));
        if (found.broken !== undefined) throw found.broken;
        const got = keys(found).filter((id) => !left(id));
        const what = `what matches ${JSON.stringify(query)}, each once`;
        expectEqual(what, common.toSorted(), got.toSorted(), ...exchangesOf(found.pages));
      };
      for (const state of statuses(judging)) {
        // A listing without a status may leave archived ones out, so that it says nothing of what they have in common.
        if (state === 'archived') continue;
        for (const [index, flow] of flows.entries()) {
          const flag = flags[index % flags.length] ?? '';
          await judge({ status: state, authentication_flow: flow, feature_flag_id: flag });
          await judge({ status: state, authentication_flow: flow });
          await judge({ status: state, feature_flag_id: flag });
          await judge({ authentication_flow: flow, feature_flag_id: flag });
        }
      }
    }),
  ),

  requirement('4.2/walk-filtered', (judging) =>
    steadily(judging, {}, async () => {
      const [flow] = await valuesOf(judging, 'authentication_flow');
      const [flag] = await valuesOf(judging, 'feature_flag_id');
      const filters: readonly Query[] = [
        { authentication_flow: flow },
        { feature_flag_id: flag },
        ...statuses(judging).map((state) => ({ status: state })),
      ];
      for (const query of filters) {
        // The largest pages, right or wrong, decide what matches: other requirements judge that.
        const reference = await walk(judging, query, largest(judging));
        for (const found of [reference, ...(await walks(judging, query, 1, 3, 5, 10))]) {
          // Where its first page is refused, 4.2/take-accepted and 4.2/status-accepted say so.
          if (found.broken === undefined || found.pages.length > 1)
            expectMatches(undefined, query, found, keys(reference).toSorted());
        }
      }
    }),
  ),

  requirement('4.2/walk-edges', async (judging) => {
    const control = judging.control('seed');
    const usual = listing(judging.operation).size.default;
    for (const take of [2, 5, usual]) {
      for (const count of new Set([0, 1, take - 1, take, take + 1, 2 * take])) {
        const held = Array.from({ length: count }, (_, index) => heldExperiment(index));
        await control.seed(withExperiments(judging, held));
        expectMatches(held, {}, await walk(judging, {}, take === usual ? undefined : take));
        expectMatches(held, { status: 'active' }, await walk(judging, { status: 'active' }, take));
      }
    }
  }),

  requirement('4.2/walk-any-data', async (judging) => {
    const control = judging.control('seed');
    const cases = fc.record({
      experiments: anyExperiments(judging),
      query: anyFilters(judging),
      take: fc.integer({ min: 1, max: 20 }),
    });
    await judging.property(
      cases,
      async ({ experiments: held, query, take }) => {
        await control.seed(withExperiments(judging, held));
        expectMatches(held, query, await walk(judging, query, take));
      },
      { runs: Math.ceil(judging.run.runs / 2), sequential: true, examples: directedData },
    );
  }),

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
