import { readFileSync } from 'node:fs';
import { shippedFile } from '../../contract/document.ts';
import { parseJson } from '../../contract/json.ts';
import { update, versions } from '../builders/on.ts';
import { epoch, zoneless } from '../builders/values.ts';
import { type Fault, faultsOf } from '../fault.ts';

/** The value of a secret of the shipped data. */
const [quoted = ''] =
  /"planted-secret-(?:[^"\\]|\\.)*"/.exec(readFileSync(shippedFile('fixtures/tenant.json'), 'utf8')) ?? [];
const secret = String(parseJson(quoted));

const day = 24 * 60 * 60;
const after = (days: number) => versions.when(({ clockOffset }) => clockOffset >= days * day);

/** The versions of an action, and their fields (sections 2.3 and 4.4). */
export const versionContent: readonly Fault[] = faultsOf({
  '4.4/no-versions': {
    'versions-none-is-404': versions.after('versions.found', (action) =>
      action?.versions.length === 0 ? undefined : action,
    ),
  },
  '4.4/only-this-action': {
    'versions-with-one-of-another-action': versions.after(
      'versions.listed',
      (own, { action }, { actions }) => {
        const others = [...actions.values()].filter((each) => each.action.id !== action.id);
        return own.length === 0 ? own : [...own, ...others.flatMap((each) => each.versions.slice(-1))];
      },
    ),
  },
  '4.4/all-of-this-action': {
    'versions-latest-fifty-only': versions.after('versions.listed', (own) => own.slice(0, 50)),
  },
  '2.3/no-secret-values': {
    'secrets-show-their-values': versions.after('versions.shown', (shown, _item, { secrets }) => ({
      ...shown,
      secrets,
    })),
  },
  '2.3/no-secret-elsewhere': {
    'refused-updates-show-a-secret': update.after('responses.refusal', (usual) => ({
      ...usual,
      message: `${usual.message}: ${secret}`,
    })),
  },
  '2.3/version-immutable': {
    'version-built-again-at-each-reading': versions.item((version, { call }) =>
      version.status === 'failed'
        ? { ...version, built_at: new Date(call.now + call.number).toISOString() }
        : version,
    ),
  },
  '2.3/version-immutable-over-time': {
    'version-purged-after-a-year': after(365).after('versions.listed', (own) => own.slice(0, -1)),
    'version-updated-each-day': after(1).field('updated_at', (_time, { call }) =>
      new Date(call.now).toISOString(),
    ),
  },
  '2.3/version-content': {
    'version-code-trimmed': versions.field('code', (code) => String(code).trimEnd()),
    'version-number-of-the-page': versions.field('number', (_number, { index }) => index + 1),
    'version-times-in-local-zone': versions.field('created_at', (time) =>
      new Date(epoch(time) + 3_600_000).toISOString(),
    ),
  },
  '2.3/version-fields': {
    'version-number-is-text': versions.field('number', String),
    'version-built-at-without-zone': versions.field('built_at', zoneless),
  },
  '2.3/version-dependency-fields': {
    'version-dependency-version-is-number': versions.field('dependencies[].version', (version) =>
      Number.parseFloat(String(version)),
    ),
  },
  '2.3/secret-fields': { 'secret-time-is-epoch': versions.field('secrets[].updated_at', epoch) },
  '2.3/action-summary-fields': {
    'action-changes-deployed-is-text': versions.field('action.all_changes_deployed', String),
  },
  '2.3/trigger-fields': {
    'trigger-compatible-are-ids': versions.field('supported_triggers[].compatible_triggers', (references) =>
      Array.isArray(references) ? references.map(String) : references,
    ),
    'trigger-compatible-is-object': versions.fieldDefault('supported_triggers[].compatible_triggers', {}),
  },
  '2.3/secret-without-value': {
    'secrets-show-encrypted-values': versions.fieldDefault('secrets[].encrypted_value', 'djE6c2VjcmV0'),
  },
  '2.3/version-content-complete': {
    'version-dependency-without-registry': versions.field('dependencies[].registry_url', () => undefined),
  },
});
