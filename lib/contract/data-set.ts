import { shippedSchema } from './document.ts';
import type { JsonObject } from './json.ts';
import { createParser } from './schema-parser.ts';

/**
 * The data of a tenant in the control protocol (`fixtures/tenant.schema.json`). Additional fields are allowed everywhere.
 */
export interface DataSet {
  /** The two messages (§2.1). */
  readonly phone_templates: { readonly enrollment_message: string; readonly verification_message: string };
  readonly experiments: readonly ExperimentEntry[];
  readonly actions: readonly ActionEntry[];
  readonly rate_limit_policies: readonly PolicyEntry[];
  readonly self_service_profiles: readonly ProfileEntry[];
}

/** An experiment with its status, which is not a field of the experiment itself (§2.2). */
export interface ExperimentEntry {
  readonly status: string;
  readonly experiment: JsonObject;
}

/** An action with its versions (§2.3). */
export interface ActionEntry {
  readonly action: JsonObject & { readonly id: string };
  readonly versions: readonly JsonObject[];
}

/** A rate limit policy (§2.4). */
export type PolicyEntry = JsonObject & { readonly id: string };

/** A self-service profile with its custom text (§2.5). */
export interface ProfileEntry {
  readonly id: string;
  /** By language, then by page. */
  readonly custom_text: Readonly<Record<string, Readonly<Record<string, CustomText>>>>;
}

/** Text keys with their values. */
export type CustomText = Readonly<Record<string, string>>;

/** The kinds of data whose ids requests name. */
export const resourceKinds = ['action', 'rate_limit_policy', 'self_service_profile'] as const;

/** Ids of each kind that the run knows from flags, the profile, inspection or the suite's own data set. */
export type Resources = Readonly<Record<(typeof resourceKinds)[number], readonly string[]>>;

/** Thrown if a value is not a data set. The message is one line with the place. */
export class DataSetError extends Error {
  override readonly name = 'DataSetError';
}

/**
 * Checks that a value is a data set (`fixtures/tenant.schema.json`). Returns the value itself with its additional fields, so
 * that writing it back loses nothing.
 * @throws DataSetError
 */
export const parseDataSet = createParser<DataSet>(
  'the data set',
  () => shippedSchema('fixtures/tenant.schema.json'),
  (problem) => new DataSetError(problem),
);

/** The ids in a data set. */
export function resourcesOf(data: DataSet): Resources {
  return {
    action: data.actions.map(({ action }) => action.id),
    rate_limit_policy: data.rate_limit_policies.map(({ id }) => id),
    self_service_profile: data.self_service_profiles.map(({ id }) => id),
  };
}
