import { isDeepStrictEqual } from 'node:util';
import type { DataSet } from './data-set.ts';
import { isObject } from './json.ts';

/** Saved data that is missing from the tenant or differs, and data that was added; empty if nothing changed. */
export function differences(saved: DataSet, found: DataSet): string[] {
  const [before, after] = [entriesOf(saved), entriesOf(found)];
  const lost = [...before].flatMap(([name, entry]) => {
    if (!after.has(name)) return [`${name} is missing`];
    if (isDeepStrictEqual(entry, after.get(name))) return [];
    const [first] = altered(entry, after.get(name), '');
    return [`${name} differs${first === undefined ? '' : `: ${first}`}`];
  });
  const extra = [...after.keys()].filter((name) => !before.has(name));
  return [...lost, ...extra.map((name) => `${name} was not there before`)];
}

/** The tenant's values that differ from the seeded ones. Ignores additional fields, missing fields and order. */
export function alteredValues(seeded: DataSet, found: DataSet): string[] {
  const after = entriesOf(found);
  return [...entriesOf(seeded)].flatMap(([name, entry]) =>
    [...altered(entry, after.get(name), '')].map((change) => `${name}: ${change}`),
  );
}

/** Yields `/created_at: "2026-01-05" became "2026-01-06"` for each value that both have and that differs. */
function* altered(before: unknown, after: unknown, path: string): Generator<string> {
  if (Array.isArray(before) && Array.isArray(after)) {
    const named = new Map(after.map((value) => [nameOf(value), value]));
    for (const value of before) {
      const name = nameOf(value);
      const isUnique = before.filter((each) => nameOf(each) === name).length === 1;
      if (name !== undefined && isUnique) yield* altered(value, named.get(name), `${path}/${name}`);
    }
  } else if (isObject(before) && isObject(after)) {
    for (const [name, value] of Object.entries(before)) yield* altered(value, after[name], `${path}/${name}`);
  } else if (after !== undefined && !isSameValue(before, after))
    yield `${path}: ${JSON.stringify(before)} became ${JSON.stringify(after)}`;
}

/** The id or name by which an item of a list is found, in any order. */
function nameOf(value: unknown): unknown {
  return isObject(value) ? (value.id ?? value.name) : undefined;
}

/** Equal, or the same instant to the second. */
function isSameValue(one: unknown, other: unknown): boolean {
  const second = (value: unknown) => Math.floor(Date.parse(String(value)) / 1_000);
  return isDeepStrictEqual(one, other) || second(one) === second(other);
}

/** The names of all entries, each with its list (`experiments: exp_1`), sorted. */
export const entryNames = (data: DataSet): readonly string[] => [...entriesOf(data).keys()].toSorted();

/** All entries by a name that contains their list: `experiments: exp_1`. */
function entriesOf(data: DataSet): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ['phone_templates', data.phone_templates],
    ...data.experiments.map((entry) => [`experiments: ${entry.experiment.id}`, entry] as const),
    ...data.actions.map((entry) => [`actions: ${entry.action.id}`, entry] as const),
    ...data.rate_limit_policies.map((entry) => [`rate_limit_policies: ${entry.id}`, entry] as const),
    ...data.self_service_profiles.map((entry) => [`self_service_profiles: ${entry.id}`, entry] as const),
  ]);
}
