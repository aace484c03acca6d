import type { ExperimentEntry } from '../lib/contract/data-set.ts';
import { isObject } from '../lib/contract/json.ts';
import { enumOf } from '../lib/contract/model.ts';
import type { Query } from '../lib/runner/call.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { listedItems } from '../lib/runner/exchange-checks.ts';
import { expectEqual, expectNone, show } from '../lib/runner/expect.ts';
import type { JudgeExchange } from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { exchangesOf, key, keys, requirePagination, type Walk, wholeListing } from '../lib/runner/walk.ts';

/** The experiments of the data set, and what every listing of them must contain. */

/** The filters whose values may be any text. */
export const textFilters = ['authentication_flow', 'feature_flag_id'] as const;

export type Filter = (typeof textFilters)[number] | 'status';

export const statuses = ({ operation }: RequirementContext): readonly string[] => enumOf(operation, 'status');

/** The keys of the experiments that a listing must contain, and of those that it may omit. */
interface Expected {
  readonly wanted: readonly string[];
  readonly optional: ReadonlySet<string>;
}

/**
 * What a listing must contain. It may omit archived experiments if the query has no status (an observation records whether they
 * are listed).
 * @param experiments those of the data set; undefined if it is not known
 * @param reference keys of the matches, to use in that case
 */
export function expectedOf(
  experiments: readonly ExperimentEntry[] | undefined,
  query: Query,
  reference: readonly string[] = [],
): Expected {
  if (experiments === undefined) return { wanted: reference.toSorted(), optional: new Set() };
  const found = experiments.filter((entry) =>
    Object.entries(query).every(
      ([name, value]) => (name === 'status' ? entry.status : entry.experiment[name]) === value,
    ),
  );
  const hidden = (entry: ExperimentEntry): boolean =>
    query.status === undefined && entry.status === 'archived';
  const ids = (each: readonly ExperimentEntry[]): string[] =>
    each.map(({ experiment }) => key(experiment)).toSorted();
  return {
    wanted: ids(found.filter((entry) => !hidden(entry))),
    optional: new Set(ids(found.filter(hidden))),
  };
}

/** The walk returns each of the wanted experiments once, and besides them only optional ones. */
export function expectMatches(query: Query, found: Walk, { wanted, optional }: Expected): void {
  if (found.broken !== undefined) throw found.broken;
  const got = keys(found.items)
    .filter((each) => !optional.has(each))
    .toSorted();
  const isUnfiltered = Object.keys(query).length === 0;
  const which = isUnfiltered ? 'of the unfiltered listing' : `that match ${show(query)}`;
  const what = `the experiments ${which}, each once`;
  expectEqual(what, wanted.toSorted(), got, ...exchangesOf(found.pages));
}

/** True for values that gateways pass and frameworks do not change: no surrounding blanks, quotes, wildcards or markup. */
export const isOrdinaryFilter = (value: string): boolean => /^[\p{L}\p{N}][\p{L}\p{N}._:/-]*$/u.test(value);

const isBeyondAscii = (value: string): boolean => /[^ -~]/.test(value);

/** The first `count` of these values, and one beyond ASCII if there is any. */
export const someOf = (values: readonly string[], count: number): ReadonlySet<string> =>
  new Set([...values.slice(0, count), ...values.filter(isBeyondAscii).slice(0, 1)]);

/** All statuses, or the different values that experiments have in another field. Throws NotJudged if there is no ordinary one. */
export async function valuesOf(
  ctx: RequirementContext,
  field: Filter,
  which: 'ordinary' | 'unusual' = 'ordinary',
): Promise<readonly string[]> {
  if (field === 'status') return statuses(ctx);
  const known = ctx.dataSet?.experiments.map(({ experiment }) => experiment);
  const values = [
    ...new Set(
      (known ?? (await wholeListing(ctx)).items)
        .map((item) => item[field])
        .filter((value): value is string => typeof value === 'string' && value !== '')
        .filter((value) => isOrdinaryFilter(value) === (which === 'ordinary')),
    ),
  ];
  if (values.length === 0 && which === 'ordinary')
    throw new NotJudged(`no experiment has an ordinary ${field}`, ['--control']);
  return values;
}

/** Judges every first page of the run with this filter, if the data set is known. */
export const onFirstPages =
  (field: Filter): JudgeExchange =>
  (exchange, { operation, dataSet }) => {
    const { search, searchParams } = new URL(exchange.request.url);
    const [text = '', another] = searchParams.getAll(field);
    // A checkpoint may contain the filters of its walk.
    if (another !== undefined || searchParams.has('from')) return false;
    if (search.includes('+') || !isOrdinaryFilter(text)) return false;
    const listed = listedItems(exchange, operation);
    if (listed === undefined || dataSet === undefined) return false;
    const { wanted, optional } = expectedOf(dataSet.experiments, { [field]: text });
    const matches = new Set([...wanted, ...optional]);
    // A server may trim or normalize other values: see 4.2/filter-any-text.
    if (isBeyondAscii(text) && matches.size === 0) return false;
    const known = new Set(dataSet.experiments.map(({ experiment }) => key(experiment)));
    const others = keys(listed).filter((each) => known.has(each) && !matches.has(each));
    expectNone(`experiments whose ${field} is not exactly ${show(text)}`, others, exchange);
    return true;
  };

/** Judges every listing of the run with this filter that is one page long, if the data set is known: it contains all matches. */
export const onSinglePages =
  (field: Filter): JudgeExchange =>
  (exchange, { operation, dataSet }) => {
    const { search, searchParams } = new URL(exchange.request.url);
    const sent = Object.fromEntries(searchParams);
    const { from, take, ...filters } = sent;
    const { json } = exchange.response ?? {};
    const listed = listedItems(exchange, operation);
    const hasNext = isObject(json) && Boolean(json.next);
    if (dataSet === undefined || listed === undefined || from !== undefined || hasNext) return false;
    // A repeated filter may have another meaning.
    if (filters[field] === undefined || searchParams.size !== Object.keys(sent).length) return false;
    if (search.includes('+') || !Object.values(filters).every(isOrdinaryFilter)) return false;
    const { wanted } = expectedOf(dataSet.experiments, filters);
    // 8/checkpoint-next-present reports a next that is missing.
    if (wanted.length > Number(take ?? requirePagination(operation).size.default)) return false;
    const shown = keys(listed);
    const found = wanted.filter((each) => shown.includes(each));
    expectEqual(`experiments with ${field} ${show(filters[field])}`, wanted, found, exchange);
    return true;
  };
