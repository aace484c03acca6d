import { isObject, type JsonObject } from '../../contract/json.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { ActionEntry } from '../../fake/tenant.ts';
import { versions } from '../builders/on.ts';
import { bmpOnly, epoch, lfToCrlf, sqlTime, zoneless } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const day = 24 * 60 * 60;
const field = (path: string) => versions.field(path);
const after = (days: number) => versions.when(({ clockOffset }) => clockOffset >= days * day);

/** Which versions an action has and what they hold (sections 2.3 and 4.4). */
export const versionContent: readonly Fault[] = [
  ...faultsOf('4.4/no-versions', [
    fault('versions-none-is-404', 'An action without versions is answered 404.').by(
      versions.after('versions.found', (action) => (action?.versions.length === 0 ? undefined : action)),
    ),
    fault('versions-none-gives-a-draft', 'An action without versions has a version of its draft.').by(
      listed(({ versions: own, action: { id } }) =>
        own.length === 0 ? [{ id: `draft-of-${id}`, action_id: id, number: 0, status: 'draft' }] : own,
      ),
    ),
  ]),
  ...faultsOf('4.4/only-this-action', [
    fault('versions-of-all-actions', 'The versions of all actions are listed.').by(
      listed((_action, all) => all.flatMap(({ versions: each }) => each)),
    ),
    fault('versions-with-one-of-another-action', 'A version of another action is in the listing.').by(
      listed(({ versions: own, action: { id } }, all) => {
        const other = all.find(({ action, versions: each }) => action.id !== id && each.length > 0);
        const foreign = other?.versions.at(-1);
        return foreign === undefined || own.length === 0 ? own : own.toSpliced(1, 0, foreign);
      }),
    ),
    fault('versions-with-the-numbers-of-this-action', 'Versions are joined by number, not by action.').by(
      listed(({ versions: own }, all) => {
        const numbers = new Set(own.map(({ number }) => number));
        if (own.length > 3) return own;
        return all.flatMap(({ versions: each }) => each.filter(({ number }) => numbers.has(number)));
      }),
    ),
  ]),
  ...faultsOf('4.4/all-of-this-action', [
    fault('versions-without-the-failed', 'Only built versions are listed.').by(
      listed(({ versions: own }) => own.filter(({ status }) => status === 'built')),
    ),
    fault('versions-latest-fifty-only', 'Only the latest fifty versions are listed.').by(
      listed(({ versions: own }) => own.slice(0, 50)),
    ),
    fault('versions-without-the-first-ever', 'Version 1 is not listed.').by(
      listed(({ versions: own }) => own.filter(({ number }) => number !== 1)),
    ),
    fault(
      'versions-without-the-deployed-of-short-listings',
      'A deployed version is hidden in short listings.',
    ).by(
      listed(({ versions: own }) => (own.length > 3 ? own : own.filter(({ deployed }) => deployed !== true))),
    ),
  ]),
  ...faultsOf('2.3/no-secret-values', [
    fault('secrets-show-their-values', 'Secrets include their values.').by(
      field('secrets[].value').defaultsTo('hunter2'),
    ),
    fault('secrets-show-encrypted-values', 'Secrets include their encrypted values.').by(
      field('secrets[].encrypted_value').defaultsTo('djE6c2VjcmV0'),
    ),
    fault('secrets-beside-the-version', 'A version has a map of secret values besides the list.').by(
      versions.item((version) =>
        Array.isArray(version.secrets) ? { ...version, secret_values: { API_KEY: 'hunter2' } } : version,
      ),
    ),
  ]),
  ...faultsOf('2.3/version-immutable', [
    fault('version-code-left-out-of-small-pages', 'With per_page=1 code is omitted.').by(
      field('code').isOmitted((_code, _version, { page }) => page.perPage === 1),
    ),
    fault('version-deployed-on-the-first-place-only', 'deployed is true for the first version of a page.').by(
      field('deployed').becomes((_deployed, _version, { index, page }) => index % page.perPage === 0),
    ),
    fault('version-built-again-at-each-reading', 'Reading a failed version builds it again.').by(
      versions.item((version, { call }) =>
        version.status === 'failed'
          ? { ...version, built_at: new Date(call.now + call.number).toISOString() }
          : version,
      ),
    ),
  ]),
  ...faultsOf('2.3/version-immutable-over-time', [
    fault('version-undeployed-after-a-month', 'After a month a version is no longer deployed.').by(
      after(30)
        .field('deployed')
        .becomes(() => false),
    ),
    fault('version-code-purged-after-a-year', 'After a year code is omitted.').by(
      after(365).field('code').isOmitted(),
    ),
    fault('version-purged-after-a-year', 'After a year the first version is gone.').by(
      after(365).after('versions.listed', (own) => own.slice(0, -1)),
    ),
    fault('version-updated-each-day', 'updated_at changes every day.').by(
      after(1)
        .field('updated_at')
        .becomes((_time, _version, { call }) => new Date(call.now).toISOString()),
    ),
  ]),
  ...faultsOf('2.3/version-content', [
    fault('version-code-trimmed', 'The line end after the code is lost.').by(
      field('code').textBecomes((code) => code.trimEnd()),
    ),
    fault('version-code-with-crlf', 'Line feeds of code become CRLF.').by(
      field('code').textBecomes(lfToCrlf),
    ),
    fault('version-code-loses-other-planes', 'Characters beyond the BMP become question marks.').by(
      field('code').textBecomes(bmpOnly),
    ),
    fault('version-number-of-the-page', 'number counts from the newest version.').by(
      field('number').becomes((_number, _version, { index }) => index + 1),
    ),
    fault('version-status-always-built', 'Failed versions have the status built.').by(
      field('status').becomes(() => 'built'),
    ),
    fault('version-dependency-without-registry', 'Dependencies have no registry_url.').by(
      field('dependencies[].registry_url').isOmitted(),
    ),
    fault('version-second-secret-lost', 'Only the first secret is listed.').by(
      field('secrets').becomes((secrets) => (Array.isArray(secrets) ? secrets.slice(0, 1) : secrets)),
    ),
    fault('version-times-in-local-zone', 'created_at is in another time zone, with Z.').by(
      field('created_at').textBecomes((time) => new Date(Date.parse(time) + 3_600_000).toISOString()),
    ),
    fault('version-times-without-minutes', 'The seconds of updated_at are lost.').by(
      field('updated_at').textBecomes((time) => time.replace(/:\d\d\.\d+Z$/, ':00.000Z')),
    ),
    fault('version-modules-lost', 'Only the newest version has its modules.').by(
      field('modules').isOmitted((_modules, _version, { index }) => index > 0),
    ),
  ]),
  ...faultsOf('2.3/version-fields', [
    fault('version-number-is-text', 'number is a string.').by(field('number').becomes(String)),
    fault('version-deployed-is-a-bit', 'deployed is 0 or 1.').by(field('deployed').becomes(Number)),
    fault('version-deployed-is-text', 'deployed is a string.').by(field('deployed').becomes(String)),
    fault('version-created-at-epoch', 'created_at is in milliseconds.').by(
      field('created_at').textBecomes(epoch),
    ),
    fault('version-built-at-without-zone', 'built_at has no zone.').by(
      field('built_at').textBecomes(zoneless),
    ),
    fault('version-updated-at-with-a-blank', 'updated_at is written as in SQL, with neither T nor zone.').by(
      field('updated_at').textBecomes(sqlTime),
    ),
    fault('version-created-at-is-a-date', 'created_at has no time.').by(
      field('created_at').textBecomes((time) => time.slice(0, 10)),
    ),
    fault('version-code-is-bytes', 'code is a list of bytes.').by(
      field('code').textBecomes((code) => [...Buffer.from(code).subarray(0, 9)]),
    ),
    fault('version-errors-object', 'Without errors, errors is an empty object.').by(
      field('errors').defaultsTo({}),
    ),
    fault('version-secrets-false', 'Without secrets, secrets is false.').by(
      field('secrets').defaultsTo(false),
    ),
  ]),
  ...faultsOf('2.3/version-dependency-fields', [
    fault('version-dependency-version-is-number', 'The version of a dependency is a number.').by(
      field('dependencies[].version').becomes((version) => Number.parseFloat(String(version))),
    ),
    fault('version-error-message-is-list', 'msg of an error is an array.').by(
      field('errors[].msg').becomes((message) => [message]),
    ),
    fault('version-module-number-is-text', 'module_version_number is a string.').by(
      field('modules[].module_version_number').becomes(String),
    ),
    fault('version-module-number-is-fraction', 'module_version_number is a fraction.').by(
      field('modules[].module_version_number').becomes((number) => Number(number) + 0.5),
    ),
  ]),
  ...faultsOf('2.3/secret-fields', [
    fault('secret-time-is-epoch', 'updated_at of a secret is a number.').by(
      field('secrets[].updated_at').becomes((time) => epoch(String(time))),
    ),
    fault('secret-time-without-zone', 'updated_at of a secret has no zone.').by(
      field('secrets[].updated_at').becomes((time) => zoneless(String(time))),
    ),
    fault('secret-name-is-list', 'name of a secret is an array.').by(
      field('secrets[].name').becomes((name) => [name]),
    ),
    fault('secrets-are-names', 'secrets is a list of names.').by(
      field('secrets[]').becomes((secret) => (isObject(secret) ? secret.name : secret)),
    ),
  ]),
  ...faultsOf('2.3/action-summary-fields', [
    fault('action-changes-deployed-is-text', 'all_changes_deployed is a string.').by(
      field('action.all_changes_deployed').becomes(String),
    ),
    fault('action-created-at-is-epoch', 'created_at of the action is a number.').by(
      field('action.created_at').becomes((time) => epoch(String(time))),
    ),
    fault('action-name-is-object', 'name of the action is an object of languages.').by(
      field('action.name').becomes((name) => ({ en: name })),
    ),
  ]),
  ...faultsOf('2.3/trigger-fields', [
    fault('trigger-runtimes-is-text', 'runtimes is one string with commas.').by(
      field('supported_triggers[].runtimes').becomes(String),
    ),
    fault('trigger-version-is-number', 'version of a trigger is a number.').by(
      field('supported_triggers[].version').becomes((version) => Number(String(version).slice(1))),
    ),
    fault('trigger-compatible-is-object', 'Without compatible triggers compatible_triggers is an object.').by(
      field('supported_triggers[].compatible_triggers').defaultsTo({}),
    ),
  ]),
];

/** Other versions than the action's own are listed. */
function listed(
  list: (action: ActionEntry, all: readonly ActionEntry[]) => readonly JsonObject[],
): RulesOverride {
  return versions.replace('versions.listed', (action, tenant) => list(action, [...tenant.actions.values()]));
}
