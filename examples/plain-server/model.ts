/** Section 2.1. */
export interface PhoneTemplates {
  enrollment_message: string;
  verification_message: string;
}

/** Section 2.2, as far as this server looks into it: other fields are passed through. */
export interface Experiment {
  readonly id: string;
  readonly authentication_flow?: unknown;
  readonly feature_flag_id?: unknown;
}

/** The status is next to the experiment, because section 2.2 names no field that carries it. */
export interface ExperimentEntry {
  readonly status: string;
  readonly experiment: Experiment;
}

/** Section 2.5: texts by language and flow page. */
export interface Profile {
  readonly id: string;
  readonly custom_text: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
}

/** All that a tenant contains. Never changed in place: an update puts a new one there. */
export interface DataSet {
  readonly phone_templates: PhoneTemplates;
  readonly experiments: readonly ExperimentEntry[];
  readonly actions: readonly {
    readonly action: { id: string };
    readonly versions: readonly { id: string }[];
  }[];
  readonly rate_limit_policies: readonly { readonly id: string }[];
  readonly self_service_profiles: readonly Profile[];
}

/** Section 2.1's default texts, and nothing else. */
export const EMPTY_TENANT: DataSet = {
  phone_templates: {
    enrollment_message:
      '{{code}} is your verification code for {{tenant.friendly_name}}. Please enter this code to verify your enrollment.',
    verification_message: '{{code}} is your verification code for {{tenant.friendly_name}}',
  },
  experiments: [],
  actions: [],
  rate_limit_policies: [],
  self_service_profiles: [],
};

/** Section 2.2. */
export const STATUSES: readonly unknown[] = ['draft', 'active', 'paused', 'completed', 'archived'];

/** Why a request is refused. */
export type Reason = 'invalid' | 'unauthenticated' | 'forbidden' | 'notFound' | 'wrongMethod' | 'tooLarge';

/** Thrown to refuse a request; any other error is this server's own, and becomes a 500. */
export class Refusal extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Whether this is an object of JSON. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a tenant can contain this: the fields that this server reads are there, and of the right type. */
export function isDataSet(value: unknown): value is DataSet {
  return (
    isRecord(value) &&
    isRecord(value.phone_templates) &&
    isText(value.phone_templates.enrollment_message) &&
    isText(value.phone_templates.verification_message) &&
    isListOf(value.experiments, (it) => STATUSES.includes(it.status) && hasId(it.experiment)) &&
    isListOf(value.actions, (it) => hasId(it.action) && isListOf(it.versions, hasId)) &&
    isListOf(value.rate_limit_policies, hasId) &&
    isListOf(value.self_service_profiles, (it) => hasId(it) && isMapOf(it.custom_text, isPages))
  );
}

const isText = (value: unknown) => typeof value === 'string';
const hasId = (value: unknown) => isRecord(value) && isText(value.id);
const isListOf = (value: unknown, check: (item: Record<string, unknown>) => boolean) =>
  Array.isArray(value) && value.every((item) => isRecord(item) && check(item));
const isMapOf = (value: unknown, check: (item: unknown) => boolean) =>
  isRecord(value) && Object.values(value).every(check);
const isPages = (value: unknown) => isMapOf(value, (texts) => isMapOf(texts, isText));
