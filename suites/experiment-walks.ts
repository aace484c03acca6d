import fc, { type Arbitrary } from 'fast-check';
import type { DataSet, ExperimentEntry } from '../lib/contract/data-set.ts';
import type { Query } from '../lib/runner/call.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { type Check, type ContextFor, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { ignoreNotJudged } from '../lib/runner/verdict.ts';
import {
  defaultSize,
  type Item,
  keys,
  largest,
  type Walk,
  walk,
  withStableListing,
} from '../lib/runner/walk.ts';
import {
  expectedOf,
  expectMatches,
  isOrdinaryFilter,
  someOf,
  statuses,
  textFilters,
  valuesOf,
} from './experiments-content.ts';
import { inputs } from './inputs.ts';

/** Sections 4.2 and 8: walks through GET /experimentation/experiments with any data and filters. */

/** An experiment with a unique id. */
const makeExperiment = (index: number, fields: Item = {}, status = 'active'): ExperimentEntry => ({
  status,
  experiment: {
    id: `exp_${String(index).padStart(4, '0')}`,
    name: `Experiment ${index}`,
    authentication_flow: 'login',
    feature_flag_id: 'flag_a',
    is_valid: true,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...fields,
  },
});

/** The data set with these experiments. It has no actions, so that many experiments stay below 100 kB, which adapters often accept. */
const withExperiments = (ctx: ContextFor<'data'>, experiments: readonly ExperimentEntry[]): DataSet => ({
  ...ctx.dataSet,
  experiments,
  actions: [],
});

/** Data that is easy to list wrongly: equal times and names, few flows and flags, any status and number. */
const anyExperiments = (ctx: RequirementContext): Arbitrary<readonly ExperimentEntry[]> =>
  fc
    .array(
      fc.record({
        status: fc.constantFrom(...statuses(ctx)),
        fields: fc.record({
          name: fc.constantFrom('Same name', 'Ünïcödé 😀', 'z'),
          created_at: fc.constantFrom(...inputs.creation_times),
          feature_flag_id: fc.constantFrom('flag_a', 'flag_ab'),
          authentication_flow: fc.constantFrom('login', 'Login', 'signup', 'other'),
        }),
      }),
      // All lengths are equally likely; by default fast-check prefers short arrays.
      { maxLength: 60, size: 'max' },
    )
    .map((all) => all.map((each, index) => makeExperiment(index, each.fields, each.status)));

/** More experiments than the 100 or 200 at which servers often limit a query. */
const manyExperiments = 201;

/** Maximum number of listings of the same data that are walked concurrently. */
const listingsAtOnce = 8;

/** Experiments, and the listings of them to walk. */
interface WalkedData {
  readonly experiments: readonly ExperimentEntry[];
  readonly listings: readonly { readonly query: Query; readonly take: number }[];
}

/** Values that are similar, or differ only after 64 or 255 characters, which are common limits of columns and indexes. */
const similarValues = [
  ...[64, 255].flatMap((length) => ['a', 'b'].map((end) => `${'f'.repeat(length)}${end}`)),
  ...inputs.similar_filter_values,
];

/** Values that a checkpoint may contain with delimiters of its own, cut, or in an encoding of eight bits. */
const valuesInCheckpoints = ['a|b,c:d=e;f/g"h\\i', '日本'.repeat(35)];

/** Many similar experiments with equal times, listed with several filters at once over several pages. */
const exampleData: WalkedData = {
  experiments: Array.from({ length: 24 }, (_, index) =>
    makeExperiment(index, {
      ...(index % 4 === 0 && { feature_flag_id: 'flag_ab' }),
      ...(index % 4 === 1 && { authentication_flow: index % 8 === 1 ? 'Login' : 'login2' }),
    }),
  ),
  listings: [
    { feature_flag_id: 'flag_a' },
    { authentication_flow: 'login', feature_flag_id: 'flag_a' },
    { authentication_flow: 'login', status: 'active' },
    { authentication_flow: 'login', status: 'active', feature_flag_id: 'flag_a' },
  ].flatMap((query) => [3, 7].map((take) => ({ query, take }))),
};

const similarData: WalkedData = {
  // Four experiments with each of the last values, so that their listings have two pages.
  experiments: [
    ...similarValues,
    ...valuesInCheckpoints.flatMap((value) => Array<string>(4).fill(value)),
  ].map((value, index) => makeExperiment(index, { feature_flag_id: value, authentication_flow: value })),
  listings: [...similarValues, ...valuesInCheckpoints]
    .flatMap((value) => [{ feature_flag_id: value }, { authentication_flow: value }])
    .map((query) => ({ query, take: 3 })),
};

/** A page ends between ids that differ only in case. */
const idsInOtherCase: WalkedData = {
  experiments: ['case', 'Case', 'cAse', 'caSe'].map((id, index) => makeExperiment(index, { id })),
  listings: [{ query: {}, take: 3 }],
};

const anyFilters = (ctx: RequirementContext): Arbitrary<Query> =>
  fc.record(
    {
      status: fc.constantFrom(...statuses(ctx)),
      authentication_flow: fc.constantFrom('login', 'Login', 'signup'),
      feature_flag_id: fc.constantFrom('flag_a', 'flag_ab'),
    },
    { requiredKeys: [], noNullPrototype: true },
  );

export const experimentWalks: readonly Check[] = [
  requirement('4.2/walk-filtered', { needs: ['token'] }, (ctx) =>
    withStableListing(ctx, async () => {
      const filters: Query[] = statuses(ctx).map((state) => ({ status: state }));
      for (const field of textFilters) {
        const values = (await valuesOf(ctx, field).catch(ignoreNotJudged)) ?? [];
        // A service may change the case of a filter that its checkpoint contains.
        const mixed = values.filter((value) => value !== value.toLowerCase());
        for (const value of someOf([...mixed.slice(0, 1), ...values], 2)) filters.push({ [field]: value });
      }
      await settleAll(ctx.share(filters), async (query) => {
        // Takes the matches from the largest pages, right or wrong, which other requirements judge.
        const reference = await walk(ctx, query, largest(ctx));
        // Several pages, also if few experiments match.
        const small = Math.max(1, Math.min(8, Math.ceil(reference.items.length / 3)));
        for (const found of [reference, await walk(ctx, query, small)]) {
          // 4.2/take-accepted and 4.2/status-accepted report a refused first page.
          if (found.broken === undefined || found.pages.length > 1)
            expectMatches(query, found, { wanted: keys(reference.items), optional: new Set() });
        }
      });
    }),
  ),

  requirement('4.2/walk-edges', { needs: ['token', 'seed'], lane: 'exclusive' }, async (ctx) => {
    const usual = defaultSize(ctx);
    // Page sizes for which a number of experiments is an edge case; undefined sends no take.
    const edges: readonly { readonly count: number; readonly takes: readonly (number | undefined)[] }[] = [
      ...[usual + 1, usual - 1, usual].map((count) => ({ count, takes: [undefined] })),
      { count: largest(ctx), takes: [largest(ctx)] },
      { count: 0, takes: [1, undefined] },
      { count: 1, takes: [largest(ctx), undefined] },
      { count: 3, takes: [1] },
      { count: 10, takes: [5, 9, 10, 11] },
      { count: manyExperiments, takes: [largest(ctx), largest(ctx) - 1] },
    ];
    const [flow, flag, state] = [
      { authentication_flow: 'login' },
      { feature_flag_id: 'flag_a' },
      { status: 'active' },
    ];
    // A listing with several filters may have another default size, which 4.2/take-limits judges.
    const filters: readonly Query[] = [
      { ...flow, ...flag },
      flag,
      state,
      { ...state, ...flow, ...flag },
      flow,
    ];
    for (const [index, { count, takes }] of ctx.share(edges).entries()) {
      const filter = filters[index % filters.length] ?? {};
      const experiments = Array.from({ length: count }, (_, number) => makeExperiment(number));
      await ctx.control.seed(withExperiments(ctx, experiments));
      await settleAll(
        takes.flatMap((take) => [
          { query: {}, take },
          { query: filter, take },
        ]),
        async ({ query, take }) =>
          expectMatches(query, await walk(ctx, query, take), expectedOf(experiments, query)),
      );
    }
  }),

  requirement('4.2/walk-any-data', { needs: ['token', 'seed'], lane: 'exclusive' }, async (ctx) => {
    const judge = async (
      { experiments, listings }: WalkedData,
      isJudged: (found: Walk, query: Query) => boolean = () => true,
    ) => {
      await ctx.control.seed(withExperiments(ctx, experiments));
      await settleAll(listings, async ({ query, take }) => {
        const found = await walk(ctx, query, take);
        if (isJudged(found, query)) expectMatches(query, found, expectedOf(experiments, query));
      });
    };
    const listings = fc.record({
      query: anyFilters(ctx),
      take: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(largest(ctx))),
    });
    const cases = fc.record({
      experiments: anyExperiments(ctx),
      listings: fc.array(listings, { minLength: 1, maxLength: listingsAtOnce, size: 'max' }),
    });
    await ctx.property(cases, (data) => judge(data), {
      fraction: 1 / 8,
      sequential: true,
      examples: [exampleData],
    });
    // A service that cannot store these ids, or store or filter by these texts, is judged by the other data.
    const isServed = ({ broken, pages }: Walk, query: Query) =>
      pages.length > 1 || (broken === undefined && Object.values(query).map(String).every(isOrdinaryFilter));
    for (const data of [idsInOtherCase, similarData]) await judge(data, isServed).catch(ignoreNotJudged);
  }),
];
