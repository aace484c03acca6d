import type { DataSet } from '../lib/contract/data-set.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectSameItems } from '../lib/runner/in-common.ts';
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

/** What the tenant contains of experiments, and what a listing of them must therefore give. */

export type DataSetExperiment = DataSet['experiments'][number];
export type Filter = 'authentication_flow' | 'feature_flag_id';

export const statuses = (ctx: RequirementContext): readonly string[] => {
  const parameter = ctx.operation.parameters.find(({ name }) => name === 'status');
  return (parameter?.schema.enum ?? []).map(String);
};

/**
 * What a listing of these experiments must give, and what it may leave out: archived experiments, where no status is
 * asked for (whether they are there is an observation).
 */
export function wantedOf(
  experiments: readonly DataSetExperiment[],
  query: Query,
): { readonly wanted: readonly string[]; readonly optional: ReadonlySet<string> } {
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

/** Each match once: those that the tenant contains, where that is known; otherwise those that another reading gave. */
export function expectMatches(
  experiments: readonly DataSetExperiment[] | undefined,
  query: Query,
  found: Walk,
  reference: readonly string[] = [],
): void {
  if (found.broken !== undefined) throw found.broken;
  const { wanted, optional } =
    experiments === undefined
      ? { wanted: reference, optional: new Set<string>() }
      : wantedOf(experiments, query);
  const got = keys(found.items)
    .filter((each) => !optional.has(each))
    .toSorted();
  expectSameItems(
    `the matches of ${JSON.stringify(query)}, each once`,
    wanted,
    got,
    experiments?.map(({ experiment }) => experiment) ?? [],
    exchangesOf(found.pages),
  );
}

/** What the tenant contains of a listed experiment, where the suite knows it. */
export const dataSetExperiment = (ctx: RequirementContext, item: Item): DataSetExperiment | undefined =>
  ctx.optional.dataSet?.experiments.find(({ experiment }) => key(experiment) === key(item));

/**
 * The field of a listed experiment: its own, or the tenant's where the answer leaves it out. The status is the tenant's
 * always: no field of an experiment is defined to carry it (section 2.2).
 */
export function fieldOf(ctx: RequirementContext, item: Item, field: string): unknown {
  if (field === 'status') return dataSetExperiment(ctx, item)?.status;
  return item[field] ?? dataSetExperiment(ctx, item)?.experiment[field];
}

/** Values that gateways let pass and frameworks leave as they are: no blanks at the ends, no quotes, wildcards or markup. */
export const isOrdinary = (value: string): boolean => /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(value);

export const isBeyondAscii = (value: string): boolean => /[^ -~]/.test(value);

/** Values of a field that experiments have, those of the most different experiments first. Throws NotJudged where none has any. */
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
        .filter((value) => isOrdinary(value) === (which === 'ordinary')),
    ),
  ];
  if (values.length === 0 && which === 'ordinary')
    throw new NotJudged(`no experiment has an ordinary ${field}`, ['--control']);
  return values;
}
