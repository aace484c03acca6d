import { isDeepStrictEqual } from 'node:util';
import type { DataSet } from './data-set.ts';
import { isObject } from './json.ts';

/** What of the saved data the tenant lacks, holds differently, or holds besides; empty where it is as it was. */
export function differences(saved: DataSet, found: DataSet): string[] {
  const lists = [
    ['experiments', saved.experiments, found.experiments],
    ['actions', saved.actions, found.actions],
    ['rate_limit_policies', saved.rate_limit_policies, found.rate_limit_policies],
    ['self_service_profiles', saved.self_service_profiles, found.self_service_profiles],
  ] as const;
  const templates = isDeepStrictEqual(saved.phone_templates, found.phone_templates)
    ? []
    : ['phone_templates differ'];
  return [
    ...templates,
    ...lists.flatMap(([name, before, after]) => {
      const [expected, actual] = [byId(before), byId(after)];
      const lost = [...expected].flatMap(([id, entry]) => {
        if (!actual.has(id)) return [`${name}: ${id} is missing`];
        return isDeepStrictEqual(entry, actual.get(id)) ? [] : [`${name}: ${id} differs`];
      });
      const extra = [...actual.keys()].filter((id) => !expected.has(id));
      return [...lost, ...extra.map((id) => `${name}: ${id} was not there before`)];
    }),
  ];
}

function byId(entries: readonly object[]): Map<string, unknown> {
  return new Map(
    entries.map((entry) => {
      const { id, experiment, action }: { id?: unknown; experiment?: unknown; action?: unknown } = entry;
      const record = isObject(experiment) ? experiment : isObject(action) ? action : { id };
      return [String(record.id), entry];
    }),
  );
}
