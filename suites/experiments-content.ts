import type { DataSet } from '../lib/contract/data-set.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectEqual } from '../lib/runner/expect.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import {
  exchangesOf,
  type Item,
  key,
  keys,
  type Query,
  type Walk,
  wholeListing,
} from '../lib/runner/walk.ts';

/** The experiments of the data set, and what a listing of them must contain. */

export type DataSetExperiment = DataSet['experiments'][number];
export type Filter = 'authentication_flow' | 'feature_flag_id';

export const statuses = (ctx: RequirementContext): readonly string[] => {
  const parameter = ctx.operation.parameters.find(({ name }) => name === 'status');
  return (parameter?.schema.enum ?? []).map(String);
};

/**
 * The experiments that a listing must contain, and those that it may omit: archived ones if the query has no status (an
 * observation records whether they are listed).
 * @param experiments those of the data set; undefined if it is not known
 * @param reference keys of the matches, to use in that case
 */
export function expectedOf(
  experiments: readonly DataSetExperiment[] | undefined,
  query: Query,
  reference: readonly string[] = [],
): { readonly wanted: readonly string[]; readonly optional: ReadonlySet<string> } {
  if (experiments === undefined) return { wanted: reference.toSorted(), optional: new Set() };
  const found = experiments.filter((entry) =>
    Object.entries(query).every(
      ([name, value]) => (name === 'status' ? entry.status : entry.experiment[name]) === value,
    ),
  );
  const hidden = (entry: DataSetExperiment): boolean =>
    query.status === undefined && entry.status === 'archived';
  const ids = (each: readonly DataSetExperiment[]): string[] =>
    each.map(({ experiment }) => key(experiment)).toSorted();
  return {
    wanted: ids(found.filter((entry) => !hidden(entry))),
    optional: new Set(ids(found.filter(hidden))),
  };
}

/** The walk returns each match once. The parameters are those of `expectedOf`. */
export function expectMatches(
  experiments: readonly DataSetExperiment[] | undefined,
  query: Query,
  found: Walk,
  reference?: readonly string[],
): void {
  if (found.broken !== undefined) throw found.broken;
  const { wanted, optional } = expectedOf(experiments, query, reference);
  const got = keys(found.items)
    .filter((each) => !optional.has(each))
    .toSorted();
  expectEqual(`the matches of ${JSON.stringify(query)}, each once`, wanted, got, ...exchangesOf(found.pages));
}

/** The data set's entry for a listed experiment, if the suite knows it. */
export const dataSetExperiment = (ctx: RequirementContext, item: Item): DataSetExperiment | undefined =>
  ctx.optional.dataSet?.experiments.find(({ experiment }) => key(experiment) === key(item));

/**
 * A field of a listed experiment, from the data set if the response omits it. The status always comes from the data set,
 * because the specification defines no field for it (section 2.2).
 */
export function fieldOf(ctx: RequirementContext, item: Item, field: string): unknown {
  if (field === 'status') return dataSetExperiment(ctx, item)?.status;
  return item[field] ?? dataSetExperiment(ctx, item)?.experiment[field];
}

/** True for values that gateways pass and frameworks do not change: no surrounding blanks, quotes, wildcards or markup. */
export const isOrdinaryFilter = (value: string): boolean => /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(value);

export const isBeyondAscii = (value: string): boolean => /[^ -~]/.test(value);

/** The first `count` of these values, and one beyond ASCII if there is any. */
export const someOf = (values: readonly string[], count: number): ReadonlySet<string> =>
  new Set([...values.slice(0, count), ...values.filter(isBeyondAscii).slice(0, 1)]);

/** The different values that experiments have in a field. Throws NotJudged if there is no ordinary one. */
export async function valuesOf(
  ctx: RequirementContext,
  field: Filter,
  which: 'ordinary' | 'unusual' = 'ordinary',
): Promise<readonly string[]> {
  const known = ctx.optional.dataSet?.experiments.map(({ experiment }) => experiment);
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
