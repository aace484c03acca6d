import { expectEqual } from '../lib/judge/expect.ts';
import type { Judging } from '../lib/judge/judging.ts';
import { together } from '../lib/judge/together.ts';
import { NotJudged } from '../lib/judge/verdict.ts';
import {
  exchangesOf,
  type Item,
  key,
  keys,
  listing,
  type Query,
  type Walk,
  walk,
  wholeListing,
} from '../lib/judge/walk.ts';
import type { DataSet } from '../lib/target/target.ts';

/** What the tenant holds of experiments, and what a listing of them must therefore give. */

export type Held = DataSet['experiments'][number];
export type Filter = 'authentication_flow' | 'feature_flag_id';

export const statuses = (judging: Judging): readonly string[] => {
  const parameter = judging.operation.parameters.find(({ name }) => name === 'status');
  return (parameter?.schema.enum ?? []).map(String);
};

export const largest = (judging: Judging): number =>
  listing(judging.operation).size.maximum[judging.target.cloud];

/** The whole listing under a filter. */
export const all = (judging: Judging, query: Query = {}): Promise<Walk> => wholeListing(judging, query);

/** True for an experiment that the filters match. */
export const matches = (held: Held, query: Query): boolean =>
  Object.entries(query).every(
    ([name, value]) => (name === 'status' ? held.status : held.experiment[name]) === value,
  );

/**
 * What a listing of these experiments must give, and what it may leave out: archived experiments, where no status is
 * asked for (whether they are there is an observation).
 */
export function wantedOf(
  experiments: readonly Held[],
  query: Query,
): { readonly wanted: readonly string[]; readonly optional: ReadonlySet<string> } {
  const found = experiments.filter((held) => matches(held, query));
  const hidden = (held: Held): boolean => query.status === undefined && held.status === 'archived';
  const ids = (each: readonly Held[]): string[] => each.map(({ experiment }) => key(experiment)).toSorted();
  return { wanted: ids(found.filter((held) => !hidden(held))), optional: new Set(ids(found.filter(hidden))) };
}

/** Each match once: those that the tenant holds, where that is known; otherwise those that another reading gave. */
export function expectMatches(
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
export function fieldOf(judging: Judging, item: Item, field: string): unknown {
  if (field !== 'status' && item[field] !== undefined) return item[field];
  const held = judging.run.dataSet?.experiments.find(({ experiment }) => key(experiment) === key(item));
  return field === 'status' ? held?.status : held?.experiment[field];
}

/** True where the suite knows all of the experiment. */
export function isHeld(judging: Judging, item: Item): boolean {
  return judging.run.dataSet?.experiments.some(({ experiment }) => key(experiment) === key(item)) ?? false;
}

/** Values of a field that experiments have, those of the most different experiments first. */
export async function valuesOf(judging: Judging, field: Filter): Promise<readonly string[]> {
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

/** Walks under these filters, one for each page size, at the same time. */
export function walks(judging: Judging, query: Query, ...takes: readonly number[]): Promise<readonly Walk[]> {
  return together(takes, (take) => walk(judging, query, take));
}
