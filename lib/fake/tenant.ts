import {
  type ActionEntry,
  type DataSet,
  DataSetError,
  type ExperimentEntry,
  type PolicyEntry,
  type ProfileEntry,
  parseDataSet,
} from '../contract/data-set.ts';
import { isObject } from '../contract/json.ts';
import type { Listing } from './listing.ts';

/** The two messages (§2.1), by field name. */
export type PhoneTemplates = Readonly<Record<string, string>>;

/** What a tenant contains. Values are replaced, never changed in place. */
export interface Tenant {
  /** Counts the seeds, from 1. */
  readonly seeds: number;
  templates: PhoneTemplates;
  readonly experiments: Listing<ExperimentEntry>;
  readonly actions: Map<string, ActionEntry>;
  readonly policies: Map<string, PolicyEntry>;
  readonly profiles: Map<string, ProfileEntry>;
}

/** Deeper data would exhaust the stack when it is written as JSON. */
const maximumDepth = 100;

const parts = ['phone_templates', 'experiments', 'actions', 'rate_limit_policies', 'self_service_profiles'];

/**
 * A tenant with a copy of this data; what is left out of it is empty, and the messages are the contract's defaults.
 * @throws DataSetError
 */
export function createTenant(value: unknown, seeds: number, templates: PhoneTemplates): Tenant {
  const given = copyOf(value);
  if (!isObject(given)) throw new DataSetError('the data set must be object');
  const unknown = Object.keys(given).find((name) => !parts.includes(name));
  if (unknown !== undefined) throw new DataSetError(`unknown part ${unknown}; known: ${parts.join(', ')}`);
  const data = parseDataSet({
    ...Object.fromEntries(parts.map((name) => [name, []])),
    ...given,
    phone_templates: isObject(given.phone_templates ?? {})
      ? { ...templates, ...Object(given.phone_templates) }
      : given.phone_templates,
  });
  return {
    seeds,
    templates: data.phone_templates,
    experiments: { items: data.experiments, field: experimentField },
    actions: byId('actions', data.actions, (entry) => entry.action.id),
    policies: byId('rate_limit_policies', data.rate_limit_policies, (entry) => entry.id),
    profiles: byId('self_service_profiles', data.self_service_profiles, (entry) => entry.id),
  };
}

/** The tenant's content, as it was seeded and then changed. */
export function dataSetOf(tenant: Tenant): DataSet {
  return {
    phone_templates: { enrollment_message: '', verification_message: '', ...tenant.templates },
    experiments: tenant.experiments.items,
    actions: [...tenant.actions.values()],
    rate_limit_policies: [...tenant.policies.values()],
    self_service_profiles: [...tenant.profiles.values()],
  };
}

/** What a filter of this name compares with: the status is next to the experiment, the rest in it. */
export function experimentField({ status, experiment }: ExperimentEntry, name: string): unknown {
  return name === 'status' ? status : experiment[name];
}

function byId<T>(name: string, entries: readonly T[], idOf: (entry: T) => string): Map<string, T> {
  const map = new Map(entries.map((entry) => [idOf(entry), entry]));
  if (map.size !== entries.length) throw new DataSetError(`${name}: an id occurs twice`);
  return map;
}

/** A copy of JSON data; `structuredClone` takes three times as long. */
function copyOf(value: unknown, depth = 0): unknown {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    throw new DataSetError(`the data set contains a ${typeof value}`);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maximumDepth) throw new DataSetError(`the data set nests deeper than ${maximumDepth} levels`);
  if (Array.isArray(value)) return value.map((item) => copyOf(item, depth + 1));
  const copy: Record<string, unknown> = { ...value };
  for (const name in copy) {
    const inner = copy[name];
    if (typeof inner !== 'string') copy[name] = copyOf(inner, depth + 1);
  }
  return copy;
}
