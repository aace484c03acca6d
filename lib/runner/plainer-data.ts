import type { DataSet, ProfileEntry } from '../contract/data-set.ts';
import { entryNames } from '../contract/data-set-differences.ts';
import { isObject, type JsonObject, mapValues } from '../contract/json.ts';
import { type Control, ControlError } from '../control/control.ts';
import { listFirst } from '../report/text.ts';

/** Entries of each kind in the smaller data sets: more than two pages of each listing, and more than one. */
const small = { experiments: 60, versions: 45, policies: 30 };
const smallest = { experiments: 30, versions: 25, policies: 15 };

/** Statuses with which a service refuses data that it cannot store, among them those of frameworks for errors of the database. */
const refusals: ReadonlySet<number | undefined> = new Set([400, 413, 422, 500]);

/** The data set, and plainer ones for a service that cannot store it, in the order in which they are offered, with their differences. */
export function dataOffers(dataSet: DataSet) {
  const short = withoutLongValues(dataSet);
  const ordinary = withoutUnusualTexts(withoutUnusualIds(short));
  const complete = withEveryField(ordinary);
  const plain = withPlainValues(complete);
  const plainest = withoutEmptyListsAndSecrets(plain);
  return [
    { dataSet, difference: undefined },
    { dataSet: short, difference: 'without long names and ids and dates after 2038' },
    { dataSet: ordinary, difference: 'without unusual ids and custom texts' },
    { dataSet: complete, difference: 'without unusual ids and custom texts, and with every optional field' },
    { dataSet: plain, difference: 'with ASCII texts and times in UTC only' },
    {
      dataSet: plainest,
      difference: 'with ASCII texts and times in UTC only, without empty lists and values of secrets',
    },
    ...[small, smallest].map((sizes) => ({
      dataSet: smaller(complete, sizes),
      difference: 'smaller, without unusual ids and custom texts, and with every optional field',
    })),
    {
      dataSet: smaller(plainest, smallest),
      difference:
        'smaller, with ASCII texts and times in UTC only, without empty lists and values of secrets',
    },
  ];
}

/**
 * Fills the tenant.
 * @param isVerified true to verify that it contains every entry, if it can be inspected
 * @returns why the service cannot store the data; undefined if it can
 * @throws ControlError
 */
export async function store(
  control: Control,
  data: DataSet,
  isVerified: boolean,
): Promise<string | undefined> {
  try {
    await control.seed(data);
  } catch (error) {
    if (!(error instanceof ControlError) || !refusals.has(error.status)) throw error;
    return error.message;
  }
  if (!isVerified || !control.supports.has('inspect')) return undefined;
  const stored = new Set(namesOf(await control.inspect()));
  const missing = namesOf(data).filter((name) => !stored.has(name));
  return missing.length === 0 ? undefined : `it drops ${listFirst(missing)}`;
}

const namesOf = (data: DataSet): readonly string[] => [
  ...entryNames(data),
  ...data.actions.flatMap(({ versions }) => versions.map(({ id }) => `versions: ${id}`)),
];

/** Leaves out records that common columns cannot hold: texts of 255 or 32 characters, and times of 32 bits. */
function withoutLongValues(data: DataSet): DataSet {
  const isShort = (text: unknown, longest: number) => String(text).length <= longest;
  const hasShortNames = (list: unknown, longest: number) =>
    !Array.isArray(list) || list.every((each) => isObject(each) && isShort(each.name, longest));
  return {
    ...data,
    experiments: data.experiments.filter(
      ({ experiment: { name, ended_at } }) =>
        isShort(name, 255) && !(Date.parse(String(ended_at)) >= 2 ** 31 * 1000),
    ),
    actions: data.actions.map((entry) => ({
      ...entry,
      versions: entry.versions.filter(
        ({ secrets, dependencies }) => hasShortNames(secrets, 32) && hasShortNames(dependencies, 32),
      ),
    })),
    self_service_profiles: data.self_service_profiles.filter(({ id }) => isShort(id, 36)),
  };
}

/** Keeps only ids of letters, digits, `-` and `_`, and only the first of ids that differ only in case. */
function withoutUnusualIds(data: DataSet): DataSet {
  const seen = new Set<string>();
  const isUsual = (kind: keyof DataSet | 'versions', id: unknown): boolean => {
    const key = `${kind} ${String(id).toLowerCase()}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew && /^[\w-]+$/.test(String(id));
  };
  return {
    ...data,
    experiments: data.experiments.filter(({ experiment }) => isUsual('experiments', experiment.id)),
    actions: data.actions
      .filter(({ action }) => isUsual('actions', action.id))
      .map((entry) => ({
        ...entry,
        versions: entry.versions.filter(({ id }) => isUsual('versions', id)),
      })),
    rate_limit_policies: data.rate_limit_policies.filter(({ id }) => isUsual('rate_limit_policies', id)),
    self_service_profiles: data.self_service_profiles.filter(({ id }) =>
      isUsual('self_service_profiles', id),
    ),
  };
}

/**
 * Keeps only the first language and page of each profile, and of its custom texts those of one line without blanks at the ends, with
 * keys of lower-case letters and `_`.
 */
function withoutUnusualTexts(data: DataSet): DataSet {
  const isPlain = ([key, text]: readonly [string, unknown]) =>
    /^[a-z_]+$/.test(key) && typeof text === 'string' && /^\S([^\r\n\t]{0,100}\S)?$/.test(text);
  return {
    ...data,
    self_service_profiles: data.self_service_profiles.map((profile) => ({
      ...profile,
      custom_text: mapValues(firstOf(profile.custom_text), (pages) =>
        mapValues(firstOf(pages), (texts) => Object.fromEntries(Object.entries(texts).filter(isPlain))),
      ),
    })),
  };
}

/** The object with only its first member. */
const firstOf = <T>(object: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(object).slice(0, 1));

/** Fills each record with every field that some record of its kind has, for databases with NOT NULL columns. */
function withEveryField(data: DataSet): DataSet {
  const experiment = allFields(data.experiments.map((entry) => entry.experiment));
  const version = allFields(data.actions.flatMap(({ versions }) => versions));
  return {
    ...data,
    experiments: data.experiments.map((entry) => ({
      ...entry,
      experiment: { ...experiment, ...withoutNulls(entry.experiment) },
    })),
    actions: data.actions.map((entry) => ({
      ...entry,
      versions: entry.versions.map((each) => ({
        ...version,
        // The copied action must be the version's own.
        ...(isObject(version.action) && { action: { ...version.action, ...entry.action } }),
        ...withoutNulls(each),
      })),
    })),
  };
}

/** The data with ASCII texts without blanks at the ends, times in UTC and ordinary messages. */
function withPlainValues(data: DataSet): DataSet {
  return {
    phone_templates: {
      enrollment_message: '{{code}}',
      verification_message: '{{code}} {{tenant.friendly_name}}',
    },
    experiments: data.experiments.map((entry) => ({ ...entry, experiment: plainRecord(entry.experiment) })),
    actions: data.actions.map(({ action, versions }) => ({
      action: { ...plainRecord(action), id: action.id },
      versions: versions.map(plainRecord),
    })),
    rate_limit_policies: data.rate_limit_policies,
    self_service_profiles: data.self_service_profiles.map((profile) => ({
      ...profile,
      custom_text: mapValues(profile.custom_text, (pages) =>
        mapValues(pages, (texts) => mapValues(texts, plainText)),
      ),
    })),
  };
}

/** The data without actions that have no versions, profiles that have no texts, and values of secrets. */
function withoutEmptyListsAndSecrets(data: DataSet): DataSet {
  const withoutValue = (secret: unknown) =>
    isObject(secret) ? { name: secret.name, updated_at: secret.updated_at } : secret;
  const hasTexts = ({ custom_text: languages }: ProfileEntry) =>
    Object.values(languages).some((pages) =>
      Object.values(pages).some((texts) => Object.keys(texts).length > 0),
    );
  return {
    ...data,
    actions: data.actions
      .filter(({ versions }) => versions.length > 0)
      .map((entry) => ({
        ...entry,
        versions: entry.versions.map(({ secrets, ...version }) => ({
          ...version,
          ...(Array.isArray(secrets) && { secrets: secrets.map(withoutValue) }),
        })),
      })),
    self_service_profiles: data.self_service_profiles.filter(hasTexts),
  };
}

const plainText = (text: string): string => text.replace(/[^ -~]+/g, ' ').trim() || 'text';

const plainRecord = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, plainValue(value, name)]));

function plainValue(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    // Inside `feature_flag_snapshot` it may be any text.
    const isTime = name.endsWith('_at') && !Number.isNaN(Date.parse(value));
    return isTime ? new Date(value).toISOString() : plainText(value);
  }
  if (Array.isArray(value)) return value.map((each) => plainValue(each));
  return isObject(value) ? plainRecord(value) : value;
}

/** Each field with the value of the first record that has it. */
function allFields(records: readonly JsonObject[]): JsonObject {
  return Object.assign({}, ...records.toReversed().map(withoutNulls));
}

function withoutNulls(record: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null && value !== undefined),
  );
}

function smaller(data: DataSet, { experiments, versions, policies }: typeof small): DataSet {
  return {
    ...data,
    experiments: data.experiments.slice(0, experiments),
    actions: data.actions.map((entry) => ({
      ...entry,
      versions: entry.versions.slice(0, versions),
    })),
    rate_limit_policies: data.rate_limit_policies.slice(0, policies),
  };
}
