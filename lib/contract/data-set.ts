import { isObject } from './json.ts';

/** The data of a tenant, as the control protocol carries it. Further fields are free. */
export interface DataSet {
  readonly phone_templates: { readonly enrollment_message: string; readonly verification_message: string };
  readonly experiments: readonly {
    readonly status: string;
    readonly experiment: Readonly<Record<string, unknown>>;
  }[];
  readonly actions: readonly {
    readonly action: Readonly<Record<string, unknown>> & { readonly id: string };
    readonly versions: readonly Readonly<Record<string, unknown>>[];
  }[];
  readonly rate_limit_policies: readonly { readonly id: string }[];
  readonly self_service_profiles: readonly {
    readonly id: string;
    readonly custom_text: Readonly<
      Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
    >;
  }[];
}

/** Ids that the run knows of; the suite takes them from flags, profile, inspection or its own data set. */
export interface Resources {
  readonly actions: readonly string[];
  readonly rateLimitPolicies: readonly string[];
  readonly selfServiceProfiles: readonly string[];
}

/** A value is no data set; the message is one line that names the place. */
export class DataSetError extends Error {
  override readonly name = 'DataSetError';
}

/**
 * The value as a data set (DESIGN, section 5); further fields stay. The value itself comes back, so that what is written
 * again is what was read.
 * @throws DataSetError
 */
export function parseDataSet(value: unknown): DataSet {
  assertDataSet(value);
  return value;
}

function assertDataSet(value: unknown): asserts value is DataSet {
  const root = object(value, 'the data set');
  const templates = object(root.phone_templates, 'phone_templates');
  text(templates.enrollment_message, 'phone_templates.enrollment_message');
  text(templates.verification_message, 'phone_templates.verification_message');
  each(root.experiments, 'experiments', (item, at) => {
    text(item.status, `${at}.status`);
    object(item.experiment, `${at}.experiment`);
  });
  each(root.actions, 'actions', (item, at) => {
    text(object(item.action, `${at}.action`).id, `${at}.action.id`);
    each(item.versions, `${at}.versions`, () => {});
  });
  each(root.rate_limit_policies, 'rate_limit_policies', (item, at) => text(item.id, `${at}.id`));
  each(root.self_service_profiles, 'self_service_profiles', (item, at) => {
    text(item.id, `${at}.id`);
    for (const [language, pages] of Object.entries(object(item.custom_text, `${at}.custom_text`))) {
      for (const [page, texts] of Object.entries(object(pages, `${at}.custom_text.${language}`))) {
        const place = `${at}.custom_text.${language}.${page}`;
        for (const [key, content] of Object.entries(object(texts, place))) text(content, `${place}.${key}`);
      }
    }
  });
}

function object(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new DataSetError(`${at} is no object`);
  return value;
}

function text(value: unknown, at: string): void {
  if (typeof value !== 'string') throw new DataSetError(`${at} is no string`);
}

function each(
  value: unknown,
  at: string,
  check: (item: Readonly<Record<string, unknown>>, at: string) => void,
): void {
  if (!Array.isArray(value)) throw new DataSetError(`${at} is no array`);
  value.forEach((item, index) => {
    check(object(item, `${at}[${index}]`), `${at}[${index}]`);
  });
}

/** The ids that a data set holds. */
export function resourcesOf(data: DataSet): Resources {
  return {
    actions: data.actions.map(({ action }) => action.id),
    rateLimitPolicies: data.rate_limit_policies.map(({ id }) => id),
    selfServiceProfiles: data.self_service_profiles.map(({ id }) => id),
  };
}
