import { isDeepStrictEqual } from 'node:util';
import type { DataSet } from './data-set.ts';

/** What of the saved data the tenant lacks, holds differently, or holds besides; empty where it is as it was. */
export function differences(saved: DataSet, found: DataSet): string[] {
  const [before, after] = [entriesOf(saved), entriesOf(found)];
  const lost = [...before].flatMap(([name, entry]) => {
    if (!after.has(name)) return [`${name} is missing`];
    return isDeepStrictEqual(entry, after.get(name)) ? [] : [`${name} differs`];
  });
  const extra = [...after.keys()].filter((name) => !before.has(name));
  return [...lost, ...extra.map((name) => `${name} was not there before`)];
}

/** All data by a name that says where it stands: `experiments: exp_1`. */
function entriesOf(data: DataSet): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ['phone_templates', data.phone_templates],
    ...data.experiments.map((entry) => [`experiments: ${entry.experiment.id}`, entry] as const),
    ...data.actions.map((entry) => [`actions: ${entry.action.id}`, entry] as const),
    ...data.rate_limit_policies.map((entry) => [`rate_limit_policies: ${entry.id}`, entry] as const),
    ...data.self_service_profiles.map((entry) => [`self_service_profiles: ${entry.id}`, entry] as const),
  ]);
}
