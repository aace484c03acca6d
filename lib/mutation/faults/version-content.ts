import type { JsonObject } from '../../contract/json.ts';
import type { ActionEntry } from '../../fake/tenant.ts';
import type { Fault } from '../fault.ts';
import { change, eachIn, secrets, text, versionMember, versionShown, withMember, without } from './parts.ts';

const day = 24 * 60 * 60;

/** What stands in an action's versions (sections 2.3 and 4.4). */
export const versionContent: readonly Fault[] = [
  {
    name: 'versions-none-is-404',
    requirement: '4.4/no-versions',
    description: 'An action without versions is answered with 404.',
    rules: change('versions', {
      found: (actions, id) => {
        const action = actions.get(id);
        return action?.versions.length === 0 ? undefined : action;
      },
    }),
  },
  {
    name: 'versions-none-gives-a-draft',
    requirement: '4.4/no-versions',
    description: 'An action without versions is answered with a version of its draft.',
    rules: listed((action) =>
      action.versions.length === 0
        ? [{ id: `draft-of-${action.action.id}`, action_id: action.action.id, number: 0, status: 'draft' }]
        : action.versions,
    ),
  },
  {
    name: 'versions-of-all-actions',
    requirement: '4.4/only-this-action',
    description: 'The versions of all actions are listed.',
    rules: change('versions', {
      listed: (_action, tenant) => [...tenant.actions.values()].flatMap(({ versions }) => versions),
    }),
  },
  {
    name: 'versions-with-one-of-another-action',
    requirement: '4.4/only-this-action',
    description: 'One version of another action stands in the middle of a listing.',
    rules: change('versions', {
      listed: (action, tenant) => {
        const other = [...tenant.actions.values()].find(
          ({ action: { id }, versions }) => id !== action.action.id && versions.length > 0,
        );
        const stranger = other?.versions.at(-1);
        return stranger === undefined || action.versions.length === 0
          ? action.versions
          : action.versions.toSpliced(1, 0, stranger);
      },
    }),
  },
  {
    name: 'versions-with-the-numbers-of-this-action',
    requirement: '4.4/only-this-action',
    description: 'Versions are joined by number, so that a short listing holds those of other actions too.',
    rules: change('versions', {
      listed: (action, tenant) =>
        action.versions.length > 3
          ? action.versions
          : [...tenant.actions.values()].flatMap(({ versions }) =>
              versions.filter(({ number }) => action.versions.some((own) => own.number === number)),
            ),
    }),
  },
  {
    name: 'versions-without-the-failed',
    requirement: '4.4/all-of-this-action',
    description: 'Only built versions are listed.',
    rules: listed(({ versions }) => versions.filter(({ status }) => status === 'built')),
  },
  {
    name: 'versions-latest-fifty-only',
    requirement: '4.4/all-of-this-action',
    description: 'Only the latest fifty versions are listed.',
    rules: listed(({ versions }) => versions.slice(0, 50)),
  },
  {
    name: 'versions-without-the-first-ever',
    requirement: '4.4/all-of-this-action',
    description: 'Version 1 is not listed.',
    rules: listed(({ versions }) => versions.filter(({ number }) => number !== 1)),
  },
  {
    name: 'versions-without-one-in-the-middle',
    requirement: '4.4/all-of-this-action',
    description: 'One version in the middle is not listed.',
    rules: listed(({ versions }) => versions.filter(({ number }) => number !== 29)),
  },
  {
    name: 'versions-without-the-deployed-of-short-listings',
    requirement: '4.4/all-of-this-action',
    description: 'The deployed version of an action with few versions is not listed.',
    rules: listed(({ versions }) =>
      versions.length > 3 ? versions : versions.filter(({ deployed }) => deployed !== true),
    ),
  },
  {
    name: 'secrets-show-their-values',
    requirement: '2.3/no-secret-values',
    description: 'Secrets come with their values.',
    rules: secrets((secret) => ({ ...secret, value: 'hunter2' })),
  },
  {
    name: 'secrets-show-stars-for-values',
    requirement: '2.3/no-secret-values',
    description: 'The record of one version carries its secrets with their values encrypted.',
    rules: versionShown((version) =>
      version.number === 30
        ? withMember(
            version,
            'secrets',
            eachIn((secret) => ({ ...secret, encrypted_value: 'djE6c2VjcmV0' })),
          )
        : version,
    ),
  },
  {
    name: 'secrets-beside-the-version',
    requirement: '2.3/no-secret-values',
    description: 'A version carries a map of its secrets beside the list.',
    rules: versionShown((version) =>
      Array.isArray(version.secrets) ? { ...version, secret_values: { API_KEY: 'hunter2' } } : version,
    ),
  },
  {
    name: 'version-code-left-out-of-small-pages',
    requirement: '2.3/version-immutable',
    description: 'With per_page=1 a version comes without its code.',
    rules: versionShown((version, _index, { perPage }) =>
      perPage === 1 ? without(version, 'code') : version,
    ),
  },
  {
    name: 'version-deployed-on-the-first-place-only',
    requirement: '2.3/version-immutable',
    description: 'deployed is true for whatever version stands first on a page of 20.',
    rules: versionShown((version, index, { perPage }) =>
      perPage === 20 ? { ...version, deployed: index % 20 === 0 } : version,
    ),
  },
  {
    name: 'version-built-again-at-each-reading',
    requirement: '2.3/version-immutable',
    description: 'A failed version is built again when it is read, with another built_at each time.',
    rules: versionShown((version, _index, _page, call) =>
      version.status === 'failed'
        ? { ...version, built_at: new Date(call.now + call.number).toISOString() }
        : version,
    ),
  },
  {
    name: 'version-undeployed-after-a-month',
    requirement: '2.3/version-immutable-over-time',
    description: 'After a month a version is no longer deployed.',
    rules: versionShown((version, _index, _page, call) =>
      call.clockOffset >= 30 * day ? { ...version, deployed: false } : version,
    ),
  },
  {
    name: 'version-code-purged-after-a-year',
    requirement: '2.3/version-immutable-over-time',
    description: 'After a year the code of a version is gone.',
    rules: versionShown((version, _index, _page, call) =>
      call.clockOffset >= 365 * day ? without(version, 'code') : version,
    ),
  },
  {
    name: 'version-purged-after-a-year',
    requirement: '2.3/version-immutable-over-time',
    description: 'After a year the first version is gone.',
    rules: change('versions', {
      listed: ({ versions }, _tenant, call) =>
        call.clockOffset >= 365 * day ? versions.slice(0, -1) : versions,
    }),
  },
  {
    name: 'version-updated-each-day',
    requirement: '2.3/version-immutable-over-time',
    description: 'updated_at of a version is put forward day by day.',
    rules: versionShown((version, _index, _page, call) =>
      call.clockOffset >= day ? { ...version, updated_at: new Date(call.now).toISOString() } : version,
    ),
  },
  {
    name: 'version-code-trimmed',
    requirement: '2.3/version-content',
    description: 'The line end behind the code of a version is lost.',
    rules: versionMember(
      'code',
      text((code) => code.trimEnd()),
    ),
  },
  {
    name: 'version-code-with-crlf',
    requirement: '2.3/version-content',
    description: 'Line ends of the code come as carriage return and line feed.',
    rules: versionMember(
      'code',
      text((code) => code.replaceAll('\n', '\r\n')),
    ),
  },
  {
    name: 'version-code-loses-other-planes',
    requirement: '2.3/version-content',
    description: 'Characters beyond the basic plane of Unicode come as question marks.',
    rules: versionMember(
      'code',
      text((code) => code.replace(/[\u{10000}-\u{10ffff}]/gu, '?')),
    ),
  },
  {
    name: 'version-number-of-the-page',
    requirement: '2.3/version-content',
    description: 'number counts versions from the newest.',
    rules: versionShown((version, index) => ({ ...version, number: index + 1 })),
  },
  {
    name: 'version-status-always-built',
    requirement: '2.3/version-content',
    description: 'Failed versions too read built.',
    rules: versionShown((version) => ({ ...version, status: 'built' })),
  },
  {
    name: 'version-dependency-without-registry',
    requirement: '2.3/version-content',
    description: 'Dependencies come without registry_url.',
    rules: versionMember(
      'dependencies',
      eachIn((each) => without(each, 'registry_url')),
    ),
  },
  {
    name: 'version-second-secret-lost',
    requirement: '2.3/version-content',
    description: 'Only the first secret of a version is named.',
    rules: versionMember('secrets', firstOf),
  },
  {
    name: 'version-times-in-local-zone',
    requirement: '2.3/version-content',
    description: 'Times are those of another zone, with Z behind them.',
    rules: versionMember('created_at', text(hourLater)),
  },
  {
    name: 'version-times-without-minutes',
    requirement: '2.3/version-content',
    description: 'The seconds of updated_at are lost.',
    rules: versionMember(
      'updated_at',
      text((time) => time.replace(/:\d\d\.\d+Z$/, ':00.000Z')),
    ),
  },
  {
    name: 'version-modules-lost-of-one',
    requirement: '2.3/version-content',
    description: 'One version in the middle comes without its modules.',
    rules: versionShown((version) => (version.number === 14 ? without(version, 'modules') : version)),
  },
];

function listed(versions: (action: ActionEntry) => readonly JsonObject[]): Fault['rules'] {
  return change('versions', { listed: versions });
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value.slice(0, 1) : value;
}

function hourLater(time: string): string {
  return new Date(Date.parse(time) + 60 * 60 * 1000).toISOString();
}
