import { isObject, type JsonObject } from '../contract/json.ts';
import { createListing, type Listing } from './listing.ts';

/** The data of a tenant as the control protocol carries it, the shape of `fixtures/tenant.json`. Further fields are free. */
export interface DataSet {
  /** The contract's defaults where left out. */
  readonly phone_templates?: PhoneTemplates;
  readonly experiments?: readonly ExperimentEntry[];
  readonly actions?: readonly ActionEntry[];
  readonly rate_limit_policies?: readonly PolicyEntry[];
  readonly self_service_profiles?: readonly ProfileEntry[];
}

/** The two messages (section 2.1), by field name. */
export type PhoneTemplates = Readonly<Record<string, string>>;

/** An experiment with its status, which is no field of the experiment itself (section 2.2). */
export interface ExperimentEntry {
  readonly status: string;
  readonly experiment: JsonObject;
}

export interface ActionEntry {
  readonly action: JsonObject & { readonly id: string };
  readonly versions: readonly JsonObject[];
}

export type PolicyEntry = JsonObject & { readonly id: string };

export interface ProfileEntry {
  readonly id: string;
  /** By language, then by page. */
  readonly custom_text: Readonly<Record<string, Readonly<Record<string, Texts>>>>;
}

export type Texts = Readonly<Record<string, string>>;

/** What a tenant holds. Values are replaced, never changed in place. */
export interface Tenant {
  /** Counts the seeds, from 1. */
  readonly seeds: number;
  templates: PhoneTemplates;
  readonly experiments: Listing<ExperimentEntry>;
  readonly actions: Map<string, ActionEntry>;
  readonly policies: Map<string, PolicyEntry>;
  readonly profiles: Map<string, ProfileEntry>;
}

/** A value is no data set that a tenant can hold; the message names the place. */
export class DataSetError extends Error {
  override readonly name = 'DataSetError';
}

/** What the contract says of the data: the templates' defaults and the states of an experiment. */
export interface TenantDefaults {
  readonly templates: PhoneTemplates;
  readonly statuses: readonly unknown[];
  /** What experiments are filtered by. */
  readonly filters: readonly string[];
}

/**
 * A tenant that holds exactly the data set. The values are kept, not copied: the caller lets go of them.
 * @throws DataSetError
 */
export function createTenant(value: unknown, seeds: number, defaults: TenantDefaults): Tenant {
  if (!isObject(value)) throw new DataSetError('the data set is no object');
  const entries = <T>(name: string, is: (entry: unknown) => entry is T, shape: string): readonly T[] => {
    const list = value[name] ?? [];
    if (!Array.isArray(list)) throw new DataSetError(`${name} is no array`);
    return list.map((entry: unknown, index) => {
      if (!is(entry)) throw new DataSetError(`${name}[${index}] is not ${shape}`);
      return entry;
    });
  };
  const templates = value.phone_templates ?? {};
  if (!isTexts(templates)) throw new DataSetError('phone_templates is no object of strings');
  const isExperiment = (entry: unknown): entry is ExperimentEntry =>
    isExperimentEntry(entry) && (defaults.statuses.length === 0 || defaults.statuses.includes(entry.status));
  const experiments = entries(
    'experiments',
    isExperiment,
    '{ status, experiment: { id } } in a known status',
  );
  const actions = entries('actions', isActionEntry, '{ action: { id }, versions: [{ … }] }');
  return {
    seeds,
    templates: { ...defaults.templates, ...templates },
    experiments: createListing(experiments, experimentField, defaults.filters),
    actions: byId('actions', actions, (entry) => entry.action.id),
    policies: byId(
      'rate_limit_policies',
      entries('rate_limit_policies', isPolicyEntry, '{ id }'),
      (entry) => entry.id,
    ),
    profiles: byId(
      'self_service_profiles',
      entries('self_service_profiles', isProfileEntry, '{ id, custom_text: { language: { page: { … } } } }'),
      (entry) => entry.id,
    ),
  };
}

/** The tenant's content, as it was seeded and then changed. */
export function dataSetOf(tenant: Tenant): Required<DataSet> {
  return {
    phone_templates: tenant.templates,
    experiments: tenant.experiments.items,
    actions: [...tenant.actions.values()],
    rate_limit_policies: [...tenant.policies.values()],
    self_service_profiles: [...tenant.profiles.values()],
  };
}

/** What a filter of this name compares with: the status stands beside the experiment, the rest in it. */
export function experimentField({ status, experiment }: ExperimentEntry, name: string): unknown {
  return name === 'status' ? status : experiment[name];
}

function byId<T>(name: string, entries: readonly T[], idOf: (entry: T) => string): Map<string, T> {
  const map = new Map(entries.map((entry) => [idOf(entry), entry]));
  if (map.size !== entries.length) throw new DataSetError(`${name}: an id stands twice`);
  return map;
}

function isExperimentEntry(value: unknown): value is ExperimentEntry {
  return (
    isObject(value) &&
    typeof value.status === 'string' &&
    isObject(value.experiment) &&
    isId(value.experiment.id)
  );
}

function isActionEntry(value: unknown): value is ActionEntry {
  return (
    isObject(value) &&
    isObject(value.action) &&
    isId(value.action.id) &&
    Array.isArray(value.versions) &&
    value.versions.every(isObject)
  );
}

function isPolicyEntry(value: unknown): value is PolicyEntry {
  return isObject(value) && isId(value.id);
}

function isProfileEntry(value: unknown): value is ProfileEntry {
  return (
    isObject(value) &&
    isId(value.id) &&
    isObject(value.custom_text) &&
    Object.values(value.custom_text).every((pages) => isObject(pages) && Object.values(pages).every(isTexts))
  );
}

function isTexts(value: unknown): value is Texts {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string');
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
