import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Fault } from '../fault.ts';
import { eachIn, epoch, secrets, text, versionMember, versionShown, withMember, zoneless } from './parts.ts';

/** The types of what stands in an action's versions (section 2.3). */
export const versionFields: readonly Fault[] = [
  {
    name: 'version-number-is-text',
    requirement: '2.3/version-fields',
    description: 'number is a string.',
    rules: versionMember('number', String),
  },
  {
    name: 'version-deployed-is-a-bit',
    requirement: '2.3/version-fields',
    description: 'deployed of one version in the middle is 0 or 1.',
    rules: versionShown((version) =>
      version.number === 29 ? withMember(version, 'deployed', Number) : version,
    ),
  },
  {
    name: 'version-deployed-is-text',
    requirement: '2.3/version-fields',
    description: 'deployed is a string.',
    rules: versionMember('deployed', String),
  },
  {
    name: 'version-created-at-epoch',
    requirement: '2.3/version-fields',
    description: 'created_at is a number of milliseconds.',
    rules: versionMember('created_at', epoch),
  },
  {
    name: 'version-built-at-without-zone',
    requirement: '2.3/version-fields',
    description: 'built_at carries no zone.',
    rules: versionMember('built_at', zoneless),
  },
  {
    name: 'version-updated-at-with-a-blank',
    requirement: '2.3/version-fields',
    description: 'updated_at is written as SQL writes it, with neither T nor zone.',
    rules: versionMember(
      'updated_at',
      text((time) => time.slice(0, 19).replace('T', ' ')),
    ),
  },
  {
    name: 'version-created-at-is-a-date',
    requirement: '2.3/version-fields',
    description: 'created_at of the last version is a date without a time.',
    rules: versionShown((version) =>
      version.number === 1
        ? withMember(
            version,
            'created_at',
            text((time) => time.slice(0, 10)),
          )
        : version,
    ),
  },
  {
    name: 'version-code-is-bytes',
    requirement: '2.3/version-fields',
    description: 'code is a list of bytes.',
    rules: versionMember(
      'code',
      text((code) => [...Buffer.from(code).subarray(0, 9)]),
    ),
  },
  {
    name: 'version-errors-object',
    requirement: '2.3/version-fields',
    description: 'Without errors, errors is an empty object.',
    rules: versionShown((version) => ({ errors: {}, ...version })),
  },
  {
    name: 'version-secrets-false',
    requirement: '2.3/version-fields',
    description: 'Without secrets, secrets is false.',
    rules: versionShown((version) => ({ secrets: false, ...version })),
  },
  {
    name: 'version-dependency-version-is-number',
    requirement: '2.3/version-dependency-fields',
    description: 'The version of a dependency is a number.',
    rules: versionShown((version) =>
      withMember(
        version,
        'dependencies',
        eachIn((each) => withMember(each, 'version', text(Number.parseFloat))),
      ),
    ),
  },
  {
    name: 'version-error-message-is-list',
    requirement: '2.3/version-dependency-fields',
    description: 'The message of an error is a list.',
    rules: versionMember(
      'errors',
      eachIn((each) => withMember(each, 'msg', (message) => [message])),
    ),
  },
  {
    name: 'version-module-number-is-text',
    requirement: '2.3/version-dependency-fields',
    description: 'The version number of a module is a string.',
    rules: versionMember(
      'modules',
      eachIn((each) => withMember(each, 'module_version_number', String)),
    ),
  },
  {
    name: 'version-module-number-is-fraction',
    requirement: '2.3/version-dependency-fields',
    description: 'The version number of a module is a fraction.',
    rules: versionMember(
      'modules',
      eachIn((each) => withMember(each, 'module_version_number', (number) => Number(number) + 0.5)),
    ),
  },
  {
    name: 'secret-time-is-epoch',
    requirement: '2.3/secret-fields',
    description: 'updated_at of a secret is a number.',
    rules: secrets((secret) => withMember(secret, 'updated_at', epoch)),
  },
  {
    name: 'secret-time-without-zone',
    requirement: '2.3/secret-fields',
    description: 'updated_at of the second secret carries no zone.',
    rules: secrets((secret, index) => (index === 1 ? withMember(secret, 'updated_at', zoneless) : secret)),
  },
  {
    name: 'secret-name-is-list',
    requirement: '2.3/secret-fields',
    description: 'The name of a secret is a list of one.',
    rules: secrets((secret) => withMember(secret, 'name', (name) => [name])),
  },
  {
    name: 'secrets-are-names',
    requirement: '2.3/secret-fields',
    description: 'Secrets are their names, without an object about them.',
    rules: secrets((secret) => secret.name),
  },
  {
    name: 'action-changes-deployed-is-text',
    requirement: '2.3/action-summary-fields',
    description: 'all_changes_deployed of the action is a string.',
    rules: action((summary) => withMember(summary, 'all_changes_deployed', String)),
  },
  {
    name: 'action-created-at-is-epoch',
    requirement: '2.3/action-summary-fields',
    description: 'created_at of the action is a number.',
    rules: action((summary) => withMember(summary, 'created_at', epoch)),
  },
  {
    name: 'action-name-is-object',
    requirement: '2.3/action-summary-fields',
    description: 'The name of the action in one version is an object of languages.',
    rules: versionShown((version) =>
      version.number === 30 ? withMember(version, 'action', named) : version,
    ),
  },
  {
    name: 'trigger-runtimes-is-text',
    requirement: '2.3/trigger-fields',
    description: 'The runtimes of a trigger are one string with commas.',
    rules: triggers((trigger) => withMember(trigger, 'runtimes', (runtimes) => String(runtimes))),
  },
  {
    name: 'trigger-version-is-number',
    requirement: '2.3/trigger-fields',
    description: 'The version of a trigger is a number.',
    rules: triggers((trigger) =>
      withMember(
        trigger,
        'version',
        text((version) => Number(version.slice(1))),
      ),
    ),
  },
  {
    name: 'trigger-compatible-is-object',
    requirement: '2.3/trigger-fields',
    description: 'compatible_triggers is an object where there are none.',
    rules: triggers((trigger) => ({ compatible_triggers: {}, ...trigger })),
  },
];

function action(changed: (summary: JsonObject) => JsonObject): Fault['rules'] {
  return versionMember('action', (summary) => (isObject(summary) ? changed(summary) : summary));
}

function triggers(changed: (trigger: JsonObject) => JsonObject): Fault['rules'] {
  return versionMember('supported_triggers', eachIn(changed));
}

function named(summary: unknown): unknown {
  return isObject(summary) ? { ...summary, name: { en: 'Enrich profile' } } : summary;
}
