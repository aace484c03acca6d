import { type DataSet, parseDataSet } from '../contract/data-set.ts';
import { entryNames } from '../contract/data-set-differences.ts';
import { isObject, type JsonObject, mapValues } from '../contract/json.ts';
import { type Control, ControlError } from '../control/control.ts';
import { listFirst } from '../report/text.ts';

/** Entries of each kind in the smaller data sets: more than one page of each listing. */
const small = { experiments: 30, versions: 25, policies: 15 };

/** Statuses with which a service refuses data that it cannot store, among them those of frameworks for errors of the database. */
const refusals: ReadonlySet<number | undefined> = new Set([400, 413, 422, 500]);

/** The data set, and plainer ones for a service that cannot store it, in the order in which they are offered, with their differences. */
export function dataOffers(dataSet: DataSet) {
  const usual = withoutUnusualValues(dataSet);
  const plain = withPlainValues(usual);
  const differences = {
    usual: 'without unusual ids and custom texts, long names and dates after 2038',
    plain:
      'with every optional field, with ASCII texts and times in UTC only, without empty lists and values of secrets',
  };
  return [
    { dataSet, difference: undefined },
    { dataSet: usual, difference: differences.usual },
    { dataSet: plain, difference: differences.plain },
    { dataSet: smaller(usual), difference: `smaller, ${differences.usual}` },
    { dataSet: smaller(plain), difference: `smaller, ${differences.plain}` },
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

/**
 * Leaves out records that common columns cannot hold (texts of 255 characters, ids of 36, names in records of 32, times of 32 bits),
 * ids with other characters than letters, digits, `-` and `_`, and ids that differ from another one only in case. Of custom texts it
 * keeps the first language and page, and of these one-line texts without blanks at the ends, with keys of lower-case letters and `_`.
 */
function withoutUnusualValues(data: DataSet): DataSet {
  const seen = new Set<string>();
  const isUsual = (kind: string, record: JsonObject): boolean => {
    const { id, name, ended_at, secrets, dependencies } = record;
    const key = `${kind} ${String(id).toLowerCase()}`;
    const isNew = !seen.has(key);
    seen.add(key);
    const names = [secrets, dependencies].flat().flatMap((each) => (isObject(each) ? String(each.name) : []));
    return (
      isNew &&
      /^[\w-]{1,36}$/.test(String(id)) &&
      String(name).length <= 255 &&
      names.every(({ length }) => length <= 32) &&
      !(Date.parse(String(ended_at)) >= 2 ** 31 * 1000)
    );
  };
  const isPlainText = ([key, text]: readonly [string, string]) =>
    /^[a-z_]+$/.test(key) && /^\S([^\r\n\t]{0,100}\S)?$/.test(text);
  return {
    ...data,
    experiments: data.experiments.filter(({ experiment }) => isUsual('experiment', experiment)),
    actions: data.actions
      .filter(({ action }) => isUsual('action', action))
      .map((entry) => ({ ...entry, versions: entry.versions.filter((each) => isUsual('version', each)) })),
    rate_limit_policies: data.rate_limit_policies.filter((each) => isUsual('policy', each)),
    self_service_profiles: data.self_service_profiles
      .filter(({ id }) => isUsual('profile', { id }))
      .map((profile) => ({
        ...profile,
        custom_text: mapValues(firstOf(profile.custom_text), (pages) =>
          mapValues(firstOf(pages), (texts) => Object.fromEntries(Object.entries(texts).filter(isPlainText))),
        ),
      })),
  };
}

/** The object with only its first member. */
const firstOf = <T>(object: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(object).slice(0, 1));

/**
 * The data with every field that some record of its kind has, for databases with NOT NULL columns, with ASCII texts without blanks
 * at the ends, whole numbers and times in UTC, and without values of secrets, actions without versions and profiles without texts.
 */
function withPlainValues(data: DataSet): DataSet {
  const experimentFields = allFields(data.experiments.map(({ experiment }) => experiment));
  const versionFields = allFields(data.actions.flatMap(({ versions }) => versions));
  const completeVersion = (version: JsonObject, action: JsonObject): JsonObject => {
    // The copied action must be the version's own.
    const copied = isObject(versionFields.action) && { action: { ...versionFields.action, ...action } };
    const complete = allFields([version, { ...versionFields, ...copied }]);
    const { secrets } = complete;
    return { ...complete, ...(Array.isArray(secrets) && { secrets: secrets.map(withoutValue) }) };
  };
  const complete: DataSet = {
    phone_templates: {
      enrollment_message: '{{code}}',
      verification_message: '{{code}} {{tenant.friendly_name}}',
    },
    experiments: data.experiments.map((entry) => ({
      ...entry,
      experiment: allFields([entry.experiment, experimentFields]),
    })),
    actions: data.actions
      .filter(({ versions }) => versions.length > 0)
      .map(({ action, versions }) => ({
        action,
        versions: versions.map((each) => completeVersion(each, action)),
      })),
    rate_limit_policies: data.rate_limit_policies,
    self_service_profiles: data.self_service_profiles.filter(({ custom_text: languages }) =>
      Object.values(languages).some((pages) =>
        Object.values(pages).some((texts) => Object.keys(texts).length > 0),
      ),
    ),
  };
  return parseDataSet(plainValue(complete));
}

const withoutValue = (secret: unknown) =>
  isObject(secret) ? { name: secret.name, updated_at: secret.updated_at } : secret;

/** The value with plain texts, whole numbers, and times in UTC. @param name of the member that it is */
function plainValue(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    // Inside `feature_flag_snapshot` it may be any text.
    const isTime = name.endsWith('_at') && !Number.isNaN(Date.parse(value));
    return isTime ? new Date(value).toISOString() : value.replace(/[^ -~]+/g, ' ').trim() || 'text';
  }
  if (typeof value === 'number') return Math.trunc(value);
  if (Array.isArray(value)) return value.map((each) => plainValue(each));
  return isObject(value) ? mapValues(value, plainValue) : value;
}

/** Each field with the value of the first record that has one. */
function allFields(records: readonly JsonObject[]): JsonObject {
  const entries = records.toReversed().flatMap((record) => Object.entries(record));
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined));
}

function smaller(data: DataSet): DataSet {
  return {
    ...data,
    experiments: data.experiments.slice(0, small.experiments),
    actions: data.actions.map((entry) => ({ ...entry, versions: entry.versions.slice(0, small.versions) })),
    rate_limit_policies: data.rate_limit_policies.slice(0, small.policies),
  };
}
