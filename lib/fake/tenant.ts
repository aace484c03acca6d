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

/** The two messages (§2.1), by field name. */
export type PhoneTemplates = Readonly<Record<string, string>>;

/** The filters of one request: for each name the requested value. */
export type Filters = Readonly<Record<string, string>>;

/** Items in their total order. */
export interface Listing<T> {
  readonly items: readonly T[];
  /** The value that a filter with this name is compared with. */
  field(item: T, name: string): unknown;
}

/** An entry of the tenant logs (section 5, request correlation). */
export interface LogEntry {
  /** RFC 3339, by the fake's clock. */
  readonly date: string;
  /** Id of the operation that was executed. */
  readonly operation: string;
  readonly references: { readonly correlation_id: string };
  /** Milliseconds since the epoch by the real clock, for variants whose entries appear late. */
  readonly at: number;
}

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

const parts = ['phone_templates', 'experiments', 'actions', 'rate_limit_policies', 'self_service_profiles'];

/**
 * Creates a tenant with a copy of this data. Missing parts are empty; missing messages are the contract's defaults.
 * @throws DataSetError
 */
export function createTenant(value: unknown, seeds: number, templates: PhoneTemplates): Tenant {
  const given = copyOf(value);
  if (!isObject(given)) throw new DataSetError('the data set must be an object');
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

/** The tenant's current content. */
export function dataSetOf(tenant: Tenant): DataSet {
  return {
    phone_templates: { enrollment_message: '', verification_message: '', ...tenant.templates },
    experiments: tenant.experiments.items,
    actions: [...tenant.actions.values()],
    rate_limit_policies: [...tenant.policies.values()],
    self_service_profiles: [...tenant.profiles.values()],
  };
}

/** A field of an experiment; its status is stored next to it. */
function experimentField({ status, experiment }: ExperimentEntry, name: string): unknown {
  return name === 'status' ? status : experiment[name];
}

function byId<T>(name: string, entries: readonly T[], idOf: (entry: T) => string): Map<string, T> {
  const map = new Map(entries.map((entry) => [idOf(entry), entry]));
  if (map.size !== entries.length) throw new DataSetError(`${name}: an id occurs twice`);
  return map;
}

/** Copies JSON data. @throws DataSetError for values that JSON cannot represent or that are nested too deeply */
function copyOf(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (error) {
    throw new DataSetError(`the data set is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}
