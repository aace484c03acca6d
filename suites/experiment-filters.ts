import fc from 'fast-check';
import type { Query } from '../lib/runner/call.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import {
  expectEqual,
  expectNone,
  expectRefused,
  expectSuccess,
  expectThat,
  isServed,
  show,
} from '../lib/runner/expect.ts';
import { assertTwinServed } from '../lib/runner/permission.ts';
import { type Check, type Execution, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { ignoreNotJudged } from '../lib/runner/verdict.ts';
import {
  exchangesOf,
  key,
  keys,
  largest,
  type Page,
  page,
  sizeUpTo,
  type Walk,
  walk,
  wholeListing,
  withStableListing,
} from '../lib/runner/walk.ts';
import {
  expectedOf,
  expectMatches,
  type Filter,
  onFirstPages,
  onSinglePages,
  someOf,
  statuses,
  textFilters,
  valuesOf,
} from './experiments-content.ts';
import { inputs } from './inputs.ts';
import { twoVariations, variationsOf } from './requests.ts';
import { acceptsAnyText, acceptsParameter } from './valid-exchanges.ts';

/** Section 4.2: the filters of GET /experimentation/experiments. */

/** The field of each of these experiments has exactly this value, if its value is known. */
function expectOnly(ctx: RequirementContext, field: Filter, value: string, pages: readonly Page[]): void {
  const shown = pages.flatMap(({ items }) => items);
  const others = shown.filter((item) => {
    const stored = ctx.dataSet?.experiments.find(({ experiment }) => key(experiment) === key(item));
    // The response may omit the field, and section 2.2 defines none for the status.
    const found = field === 'status' ? stored?.status : (item[field] ?? stored?.experiment[field]);
    return found !== value && (found !== undefined || stored !== undefined);
  });
  const what = `experiments whose ${field} is not exactly ${show(value)}`;
  expectNone(what, keys(others), ...exchangesOf(pages));
}

/** The listing contains each of these. */
function expectListed(what: string, wanted: readonly string[], found: Walk): void {
  const listed = new Set(keys(found.items));
  const got = wanted.filter((each) => listed.has(each));
  expectEqual(what, wanted, got, ...exchangesOf(found.pages));
}

/** The values of a filter to try: all statuses, and at most this many values of another one. */
async function valuesToTry(ctx: RequirementContext, field: Filter, most: number): Promise<readonly string[]> {
  const values = await valuesOf(ctx, field);
  return field === 'status' ? values : ctx.share(values.slice(0, most));
}

const filterOnly = (id: string, field: Filter, execution: Execution<'token' | 'data'>): Check =>
  requirement(id, execution, async (ctx) => {
    for (const value of await valuesToTry(ctx, field, 4)) {
      const found = await wholeListing(ctx, { [field]: value });
      expectOnly(ctx, field, value, found.pages);
    }
  });

const filterAll = (id: string, field: Filter, needs: readonly ('token' | 'data')[]): Check =>
  requirement(id, { needs, judgeExchange: onSinglePages(field) }, (ctx) =>
    withStableListing(ctx, async (reference) => {
      for (const value of await valuesToTry(ctx, field, 12)) {
        const found = await wholeListing(ctx, { [field]: value });
        const shown = keys(reference.items.filter((item) => item[field] === value));
        const { wanted } = expectedOf(ctx.dataSet?.experiments, { [field]: value }, shown);
        // Archived experiments may be hidden, but not from this listing alone.
        const all = [...new Set([...wanted, ...shown])];
        expectListed(`experiments with ${field} ${show(value)}`, all, found);
      }
    }),
  );

/** Ways to misspell a status. */
const misspellings: readonly ((status: string) => string)[] = [
  (status) => status.toUpperCase(),
  (status) => `${status}s`,
  (status) => status.slice(0, 1).toUpperCase() + status.slice(1),
  (status) => status.slice(0, -1),
  (status) => `-${status}`,
  (status) => `${status};`,
  // A pattern for whole lines matches it.
  (status) => `${status}\nx`,
  (status) => `!${status}`,
  (status) => `"${status}"`,
  (status) => `in${status}`,
  // Its last letter is percent-encoded twice.
  (status) => `${status.slice(0, -1)}%${Buffer.from(status.slice(-1)).toString('hex')}`,
  (status) => `${status}${' and more'.repeat(30)}`,
  fullWidth,
];

/** The text with its first letter in full width, which compatibility normalization undoes. */
function fullWidth(text: string): string {
  return text.replace(/[a-z]/, (letter) => String.fromCodePoint(0xff21 - 0x41 + letter.charCodeAt(0)));
}

/** Values that match this one only in an inexact comparison: in another case, parts of it, patterns. */
const inexact = (value: string): ReadonlySet<string> =>
  new Set(
    [
      value.toUpperCase(),
      value.slice(0, -1),
      `${value},x`,
      `x,${value}`,
      value.replace(/./, '_'),
      value.toLowerCase(),
      value.slice(1),
      `${value}x`,
      `${value.slice(0, 1)}*`,
      '*',
      '.*',
      value.replace(/./, '.'),
      '__proto__',
      `${value}${'x'.repeat(200)}`,
      `${value};x`,
      `${value}/`,
      `x|${value}`,
      `!${value}`,
      value.replace(/[-_]/, (sign) => (sign === '-' ? '_' : '-')),
      '%',
      `${value.slice(0, 1)}%`,
    ].filter((each) => each !== value && each !== ''),
  );

/** Changes of a value beyond ASCII that only an inexact comparison ignores: without accents, and the two normal forms. */
const equivalents: readonly ((value: string) => string)[] = [
  (value) => value.normalize('NFD').replace(/\p{M}/gu, ''),
  (value) => value.normalize('NFD'),
  (value) => value.normalize('NFC'),
];

/** More of them, which gateways may refuse or frameworks trim: blanks, quotes, invisible characters. */
const unusualInexact = (value: string): readonly string[] => [
  `${value} `,
  ` ${value}`,
  `"${value}"`,
  fullWidth(value),
  `${value}\n`,
  `${value}\u200b`,
];

/** Texts that gateways and frameworks refuse or change. */
const unusualTexts = [...inputs.unusual_filter_values, 'n'.repeat(300)];

/**
 * The listing filtered by each of these values contains only experiments with exactly this value.
 * @param isOrdinary true if the values are those of experiments. Throws NotJudged if one of them is refused
 */
async function expectExact(
  ctx: RequirementContext,
  field: Filter,
  values: Iterable<string>,
  { isOrdinary = false, variations = twoVariations(ctx) } = {},
): Promise<void> {
  const calls = [...values].flatMap((value) => variations.map((variation) => ({ value, variation })));
  await settleAll(calls, async ({ value, variation }) => {
    const found = await page(ctx, { [field]: value }, { variation });
    if (isOrdinary) assertTwinServed(ctx, found.result);
    expectOnly(ctx, field, value, [found]);
  });
}

const filterExact = (id: string, field: Filter): Check =>
  requirement(id, { needs: ['token'], judgeExchange: onFirstPages(field) }, async (ctx) => {
    const known = await valuesOf(ctx, field);
    const unknown = equivalents.flatMap(
      (change) => known.map(change).find((each) => !known.includes(each)) ?? [],
    );
    await expectExact(ctx, field, new Set(unknown));
    const values = ctx.share(known.slice(0, 2));
    for (const [index, value] of values.entries()) {
      // With two values, each gets half of the inexact ones.
      const own = [...inexact(value)].filter((_each, position) => position % values.length === index);
      await expectExact(ctx, field, ctx.share(own, 4));
      // A cache key may contain the value without the name of the filter.
      for (const each of textFilters) await expectExact(ctx, each, [value], { isOrdinary: true });
    }
  });

export const experimentFilters: readonly Check[] = [
  requirement('4.2/status-enum', { needs: ['token'] }, async (ctx) => {
    const known = statuses(ctx);
    const others = fc.stringMatching(/^[a-z_]{3,12}$/).filter((each) => !known.includes(each));
    // Each misspelling of another status, so that a few requests cover many.
    const spellings = misspellings.map((spell, index) => spell(known[index % known.length] ?? ''));
    const judge = async (query: Query, variation?: number) => {
      const result = await ctx.probe({ query, variation });
      // A firewall may refuse other characters with a status of its own.
      const allowed = /^[\w,-]*$/.test(String(query.status)) ? [400] : [];
      expectRefused(result, `${query.status} is not a status`, allowed);
    };
    await ctx.property(others, (status) => judge({ status }), {
      fraction: 1 / 8,
      examples: [...spellings, 'running', 'all', '*', 'null', 'constructor', 'built'],
    });
    // With every other parameter that may be combined with it.
    for (const variation of variationsOf(ctx))
      for (const status of [known.slice(0, 2).join(), known[0]?.toUpperCase(), variation % 2])
        await judge({ status }, variation);
    const { next } = await page(ctx, { status: known[0], take: 1 });
    if (next !== undefined) await judge({ status: 'running', from: next });
    await ctx.twin({ query: { status: known[0] } });
  }),

  requirement(
    '4.2/status-accepted',
    { needs: ['token'], judgeExchange: acceptsParameter('status', 'take') },
    async (ctx) => {
      for (const state of statuses(ctx))
        for (const variation of variationsOf(ctx)) {
          // An added filter may match nothing.
          const mayAddQuery = variation > 0;
          const result = await ctx.call({ query: { status: state }, mayAddQuery, variation });
          expectSuccess(result, `${state} is a status`);
        }
    },
  ),

  filterOnly('4.2/status-filter-only', 'status', {
    needs: ['token', 'data'],
    judgeExchange: onFirstPages('status'),
  }),
  filterAll('4.2/status-filter-all', 'status', ['token', 'data']),

  requirement('4.2/status-disjoint', { needs: ['token'] }, (ctx) =>
    withStableListing(ctx, async () => {
      const owner = new Map<string, string>();
      for (const state of statuses(ctx)) {
        const found = await wholeListing(ctx, { status: state });
        for (const each of keys(found.items)) {
          const first = owner.get(each) ?? state;
          const both = `${first} and ${state}`;
          expectThat(first === state, `${each} under one status only`, both, ...exchangesOf(found.pages));
          owner.set(each, state);
        }
      }
    }),
  ),

  requirement('4.2/status-within-unfiltered', { needs: ['token'] }, (ctx) =>
    withStableListing(ctx, async (reference) => {
      const listed = new Set<string>();
      for (const state of statuses(ctx)) {
        const found = await wholeListing(ctx, { status: state });
        for (const each of keys(found.items)) listed.add(each);
        if (state !== 'archived')
          expectListed(`experiments with status ${state}`, keys(found.items), reference);
      }
      const stateless = keys(reference.items).filter((each) => !listed.has(each));
      const what = 'experiments of the unfiltered listing that are listed under no status';
      expectNone(what, stateless, ...exchangesOf(reference.pages));
    }),
  ),

  filterOnly('4.2/flow-filter-only', 'authentication_flow', { needs: ['token'] }),
  filterAll('4.2/flow-filter-all', 'authentication_flow', ['token']),
  filterOnly('4.2/flag-filter-only', 'feature_flag_id', { needs: ['token'] }),
  filterAll('4.2/flag-filter-all', 'feature_flag_id', ['token']),
  filterExact('4.2/flow-filter-exact', 'authentication_flow'),
  filterExact('4.2/flag-filter-exact', 'feature_flag_id'),

  requirement('4.2/filter-nothing', { needs: ['token'] }, async (ctx) => {
    for (const field of textFilters) {
      const known = ctx.dataSet?.experiments.map(({ experiment }) => experiment[field]) ?? [];
      // 'None' and 'nil' are the missing values of Python and Ruby; PHP compares '1e3' and '1000' as numbers.
      const none = field === 'authentication_flow' ? 'None' : 'nil';
      const unknown = [none, 'null', '0', '1e3', 'undefined', 'all'].filter((each) => !known.includes(each));
      const judge = async (value = none, beside: Query = {}) => {
        const { result, items } = await page(ctx, { ...beside, [field]: value });
        expectSuccess(result, `${field} may be any text and match nothing`);
        const others = items.filter((item) => item[field] !== value);
        expectNone(`experiments with a ${field} other than ${show(value)}`, keys(others), result.exchange);
      };
      for (const value of ctx.share(unknown)) await judge(value);
      // Beside filters that match some.
      await judge(unknown[0], { status: statuses(ctx)[0] });
      const [other = field] = textFilters.filter((each) => each !== field);
      const values = await valuesOf(ctx, other).catch(ignoreNotJudged);
      await judge(unknown[1], { [other]: values?.[0] });
    }
  }),

  requirement('4.2/filter-any-text', { needs: ['token'], judgeExchange: acceptsAnyText }, async (ctx) => {
    for (const field of textFilters) {
      for (const variation of ctx.share(variationsOf(ctx))) {
        const all = await ctx.call({ query: { [field]: unusualTexts.join('') }, variation });
        // Finds the one that is refused.
        for (const value of isServed(all) ? [] : unusualTexts) {
          const result = await ctx.call({ query: { [field]: value } });
          expectSuccess(result, `${field} may be ${show(value)}`);
        }
        expectSuccess(all, `${field} may be any text`);
      }
      const ordinary = await valuesOf(ctx, field).catch(ignoreNotJudged);
      for (const value of someOf(ordinary ?? [], 1))
        await expectExact(ctx, field, ctx.share(unusualInexact(value)), { variations: [0] });
      for (const value of ctx.share((await valuesOf(ctx, field, 'unusual')).slice(0, 3))) {
        const { wanted } = expectedOf(ctx.dataSet?.experiments, { [field]: value });
        const found = await walk(ctx, { [field]: value }, sizeUpTo(ctx, 5));
        if (found.broken !== undefined) throw found.broken;
        expectOnly(ctx, field, value, found.pages);
        expectListed(`experiments with ${field} ${show(value)}`, wanted, found);
      }
    }
  }),

  requirement('4.2/filters-together', { needs: ['token'] }, (ctx) =>
    withStableListing(ctx, async () => {
      const flows = someOf(await valuesOf(ctx, 'authentication_flow'), 2);
      const flags = [...someOf(await valuesOf(ctx, 'feature_flag_id'), 2)];
      const known = new Map<string, ReadonlySet<string>>();
      const matchesOf = async (name: string, value: string) => {
        const filter = `${name}=${value}`;
        const found = known.get(filter) ?? new Set(keys((await wholeListing(ctx, { [name]: value })).items));
        known.set(filter, found);
        return found;
      };
      const archived = expectedOf(ctx.dataSet?.experiments, {}).optional;
      // Compares with the matches of each single filter, right or wrong, which other requirements judge.
      const judge = async (query: Readonly<Record<string, string>>): Promise<void> => {
        const single = await settleAll(Object.entries(query), ([name, value]) => matchesOf(name, value));
        const common = [...(single[0] ?? [])].filter((id) => single.every((set) => set.has(id)));
        // A listing without a status may omit archived experiments.
        const optional = query.status === undefined ? archived : new Set<string>();
        const wanted = common.filter((id) => !optional.has(id));
        // Of all filters at once, one may be forgotten on later pages.
        const take = Object.keys(query).length > 2 && wanted.length > 1 ? 1 : largest(ctx);
        expectMatches(query, await walk(ctx, query, take), { wanted, optional });
      };
      const pairs = [...flows].map((flow, index) => ({
        authentication_flow: flow,
        feature_flag_id: flags[index % flags.length] ?? '',
      }));
      for (const pair of pairs) await judge(pair);
      // The matches of single filters, which have no status, may omit archived experiments.
      const others = statuses(ctx).filter((each) => each !== 'archived');
      for (const [index, state] of others.entries()) {
        for (const pair of pairs) await judge({ status: state, ...pair });
        for (const [name, value] of Object.entries(pairs[index % pairs.length] ?? {}))
          await judge({ status: state, [name]: value });
      }
    }),
  ),
];
