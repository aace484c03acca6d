import { versions } from '../builders/on.ts';
import { epoch, zoneless } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const day = 24 * 60 * 60;
const becomes = (name: string, path: string, what: string, transform: (value: unknown) => unknown) =>
  fault(name, `${path} becomes ${what}.`).by(versions.field(path, (value) => transform(value)));
const after = (days: number) => versions.when(({ clockOffset }) => clockOffset >= days * day);

/** Which versions an action has and their fields (sections 2.3 and 4.4). */
export const versionContent: readonly Fault[] = faultsOf({
  '4.4/no-versions': fault('versions-none-is-404', 'An action without versions is answered 404.').by(
    versions.after('versions.found', (action) => (action?.versions.length === 0 ? undefined : action)),
  ),
  '4.4/only-this-action': fault(
    'versions-with-one-of-another-action',
    'A version of another action is in the listing.',
  ).by(
    versions.after('versions.listed', (own, { action }, { actions }) => {
      const others = [...actions.values()].filter((each) => each.action.id !== action.id);
      return own.length === 0 ? own : [...own, ...others.flatMap((each) => each.versions.slice(-1))];
    }),
  ),
  '4.4/all-of-this-action': fault(
    'versions-latest-fifty-only',
    'Only the latest fifty versions are listed.',
  ).by(versions.after('versions.listed', (own) => own.slice(0, 50))),
  '2.3/no-secret-values': fault('secrets-show-their-values', 'Secrets include their values.').by(
    versions.after('versions.shown', (shown, _item, { secrets }) => ({ ...shown, secrets })),
  ),
  '2.3/version-immutable': fault(
    'version-built-again-at-each-reading',
    'Reading a failed version builds it again.',
  ).by(
    versions.item((version, { call }) =>
      version.status === 'failed'
        ? { ...version, built_at: new Date(call.now + call.number).toISOString() }
        : version,
    ),
  ),
  '2.3/version-immutable-over-time': [
    fault('version-purged-after-a-year', 'After a year the first version is missing.').by(
      after(365).after('versions.listed', (own) => own.slice(0, -1)),
    ),
    fault('version-updated-each-day', 'updated_at changes every day.').by(
      after(1).field('updated_at', (_time, { call }) => new Date(call.now).toISOString()),
    ),
  ],
  '2.3/version-content': [
    becomes('version-code-trimmed', 'code', 'a text without its last line end', (code) =>
      String(code).trimEnd(),
    ),
    fault('version-number-of-the-page', 'number counts from the newest version.').by(
      versions.field('number', (_number, { index }) => index + 1),
    ),
    fault('version-times-in-local-zone', 'created_at is in another time zone, with Z.').by(
      versions.field('created_at', (time) => new Date(epoch(time) + 3_600_000).toISOString()),
    ),
  ],
  '2.3/version-fields': [
    becomes('version-number-is-text', 'number', 'a string', String),
    becomes('version-built-at-without-zone', 'built_at', 'a time without a zone', zoneless),
  ],
  '2.3/version-dependency-fields': becomes(
    'version-dependency-version-is-number',
    'dependencies[].version',
    'a number',
    (version) => Number.parseFloat(String(version)),
  ),
  '2.3/secret-fields': becomes('secret-time-is-epoch', 'secrets[].updated_at', 'a number', epoch),
  '2.3/action-summary-fields': becomes(
    'action-changes-deployed-is-text',
    'action.all_changes_deployed',
    'a string',
    String,
  ),
  '2.3/trigger-fields': [
    becomes(
      'trigger-compatible-are-ids',
      'supported_triggers[].compatible_triggers',
      'an array of ids',
      (references) => (Array.isArray(references) ? references.map(String) : references),
    ),
    fault('trigger-compatible-is-object', 'Without compatible triggers there is an object.').by(
      versions.fieldDefault('supported_triggers[].compatible_triggers', {}),
    ),
  ],
  '2.3/secret-without-value': fault(
    'secrets-show-encrypted-values',
    'Secrets include their encrypted values.',
  ).by(versions.fieldDefault('secrets[].encrypted_value', 'djE6c2VjcmV0')),
  '2.3/version-content-complete': fault(
    'version-dependency-without-registry',
    'Dependencies have no registry_url.',
  ).by(versions.field('dependencies[].registry_url', () => undefined)),
});
