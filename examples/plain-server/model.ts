/** Section 2.1: the two texts, as the update sends and answers them. */
export interface PhoneTemplates {
  enrollment_message: string;
  verification_message: string;
}

/** Section 2.2, as far as this server looks into it; all other fields are passed through. */
export interface Experiment {
  readonly id: string;
  readonly authentication_flow?: unknown;
  readonly feature_flag_id?: unknown;
}

/** The status stands beside the experiment: section 2.2 names no field that carries it. */
export interface ExperimentEntry {
  readonly status: string;
  readonly experiment: Experiment;
}

export type Texts = Readonly<Record<string, string>>;

export interface Profile {
  readonly id: string;
  /** By language, then by flow page. */
  readonly custom_text: Readonly<Record<string, Readonly<Record<string, Texts>>>>;
}

/** All that a tenant holds. Never changed in place: an update puts a new one there. */
export interface DataSet {
  readonly phone_templates: PhoneTemplates;
  readonly experiments: readonly ExperimentEntry[];
  readonly actions: readonly { readonly action: { id: string }; readonly versions: readonly { id: string }[] }[];
  readonly rate_limit_policies: readonly { readonly id: string }[];
  readonly self_service_profiles: readonly Profile[];
}

/** Why a request is refused. */
export type Reason = 'invalid' | 'unauthenticated' | 'forbidden' | 'notFound' | 'wrongMethod' | 'tooLarge';

/** Thrown to refuse a request; any other error is this server's own and becomes a 500. */
export class Refusal extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export const STATUSES = ['draft', 'active', 'paused', 'completed', 'archived'];

/** Section 2.1's defaults, and nothing else. */
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

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The data set in `value`. Throws an error that says what cannot be held. */
export function parseDataSet(value: unknown): DataSet {
  const data = record(value, 'data set');
  const templates = record(data.phone_templates, 'phone_templates');
  return {
    phone_templates: {
      enrollment_message: text(templates.enrollment_message, 'enrollment_message'),
      verification_message: text(templates.verification_message, 'verification_message'),
    },
    experiments: list(data.experiments, 'experiments').map((entry) => {
      const { status, experiment } = record(entry, 'experiments[]');
      if (!STATUSES.some((known) => known === status)) throw new Error(`unknown status ${String(status)}`);
      return { status: text(status, 'status'), experiment: identified(experiment, 'experiment') };
    }),
    actions: list(data.actions, 'actions').map((entry) => {
      const { action, versions } = record(entry, 'actions[]');
      return {
        action: identified(action, 'action'),
        versions: list(versions, 'versions').map((version) => identified(version, 'version')),
      };
    }),
    rate_limit_policies: list(data.rate_limit_policies, 'rate_limit_policies').map((policy) =>
      identified(policy, 'rate limit policy'),
    ),
    self_service_profiles: list(data.self_service_profiles, 'self_service_profiles').map((profile) => ({
      ...identified(profile, 'profile'),
      custom_text: mapped(record(profile, 'profile').custom_text, (pages) =>
        mapped(pages, (texts) => mapped(texts, (entry) => text(entry, 'custom text'))),
      ),
    })),
  };
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (!isRecord(value)) throw new Error(`${what} must be an object`);
  return value;
}

function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${what} must be an array`);
  return value;
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new Error(`${what} must be a string`);
  return value;
}

function identified(value: unknown, what: string): Record<string, unknown> & { id: string } {
  const fields = record(value, what);
  return { ...fields, id: text(fields.id, `${what} id`) };
}

function mapped<T>(value: unknown, item: (value: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record(value, 'custom_text')).map(([key, entry]) => [key, item(entry)]));
}
