import { isObject } from '../../contract/json.ts';
import { refuse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { Builder } from '../builders/builder.ts';
import type { ScopeBuilder } from '../builders/credentials.ts';
import { customText, deletion, everywhere, experiments, update, versions } from '../builders/on.ts';
import { fail } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

/** One grant permits. */
const allowGrant = (builder: Builder, verb: string, resource?: string): RulesOverride =>
  builder.scopes.allow(({ has }, required) => has(verb, resource ?? required.resource));

const allow = (permits: Parameters<ScopeBuilder['allow']>[0]): RulesOverride => update.scopes.allow(permits);
const deny = (denies: Parameters<ScopeBuilder['deny']>[0]): RulesOverride => update.scopes.deny(denies);
const allowClaim = (permits: Parameters<ScopeBuilder['allowClaim']>[0]): RulesOverride =>
  everywhere.scopes.allowClaim(permits);
const isEmptyMap = (claim: unknown): boolean => isObject(claim) && Object.keys(claim).length === 0;
const includes = (list: unknown, name: string): boolean => Array.isArray(list) && list.includes(name);
const hasWord = (text: unknown, name: string): boolean =>
  typeof text === 'string' && text.split(' ').includes(name);

/** The claim's entry for the required resource permits. */
const allowEntry = (permits: (entry: unknown, verb: string) => boolean): RulesOverride =>
  allowClaim(
    (claim, { resource, verb }) =>
      isObject(claim) && Object.hasOwn(claim, resource) && permits(claim[resource], verb),
  );

/** Updates and deletions that are refused with this code are executed all the same. */
const executed = (requirement: string, short: string, code: string): readonly Fault[] =>
  faultsOf(
    requirement,
    Object.entries({ update, delete: deletion }).map(([name, builder]) =>
      fault(`${short}-${name}-done`, `A refused ${name} is executed.`).by(
        builder.executesRefused(code, (rules) => ({ ...rules, checks: ['parameters', 'body'] })),
      ),
    ),
  );

/** Section 5, items 2, 3 and 5: the scope that an operation requires, and the `scopes` claim. */
export const scopeFaults: readonly Fault[] = [
  ...faultsOf('5.5/required-scope', [
    fault('update-asks-for-read-too', 'The read scope is required too.').by(
      deny(({ has }, { resource }) => !has('read', resource)),
    ),
  ]),
  ...faultsOf('5.5/each-scope-alone', [
    fault('last-scope-lets-in', 'The last scope of the catalogue permits updates.').by(
      allowGrant(update, 'delete', 'vdcs_templates'),
    ),
    fault('no-scope-401', 'A missing scope is 401.').by(update.refusalStatus(401, /^insufficient_scope$/)),
  ]),
  ...faultsOf('5.5/wrong-verb', [
    fault('other-verbs-combined', 'create, read and delete combined count as update.').by(
      allow(({ has }, { resource }) => ['create', 'read', 'delete'].every((verb) => has(verb, resource))),
    ),
  ]),
  ...faultsOf('5.5/wrong-resource', [
    fault('resource-enrollments', 'update:guardian_enrollments is enough.').by(
      allowGrant(update, 'update', 'guardian_enrollments'),
    ),
  ]),
  ...faultsOf('5.5/unknown-scope', [
    fault('verb-manage', 'manage stands for every verb.').by(allowGrant(update, 'manage')),
    fault('verb-by-prefix', 'Verbs are compared by their beginning.').by(
      allow(({ actions }, { verb, resource }) => actions(resource).some((each) => each.startsWith(verb))),
    ),
    fault('resource-wildcard', '* stands for any resource.').by(allow(({ has }, { verb }) => has(verb, '*'))),
    fault('resource-singular', 'guardian_factor permits updates.').by(
      allow(({ has }, { verb, resource }) => has(verb, resource.slice(0, -1))),
    ),
  ]),
  ...faultsOf('5.5/all-but-required', [
    fault('verb-and-resource-of-two-scopes', 'Verb and resource may come from different scopes.').by(
      allow(
        ({ hasAnywhere, actions }, { verb, resource }) => actions(resource).length > 0 && hasAnywhere(verb),
      ),
    ),
  ]),
  ...faultsOf('5.5/among-others', [
    fault('first-action-only', 'Only the first action counts.').by(
      deny(({ actions }, { verb, resource }) => actions(resource)[0] !== verb),
    ),
    fault('sixty-resources-only', 'Only the first 60 resources count.').by(
      deny(({ resources }, { resource }) => resources.indexOf(resource) >= 60),
    ),
    fault('first-resource-only', 'Only the first resource counts.').by(
      deny(({ resources }, { resource }) => resources[0] !== resource),
    ),
  ]),
  ...faultsOf('5.5/any-set', [
    fault('handful-of-scopes', 'In a token of 2 to 30 scopes the verb is enough.').by(
      allow(({ names, hasAnywhere }, { verb }) => names.length > 1 && names.length < 31 && hasAnywhere(verb)),
    ),
  ]),
  ...faultsOf('5.5/required-scope-inferred', [
    fault('delete-asks-for-read-too', 'Deletion requires read too.').by(
      deletion.scopes.deny(({ has }, { resource }) => !has('read', resource)),
    ),
  ]),
  ...faultsOf('5.5/each-scope-alone-inferred', [
    fault('last-scope-deletes', 'The last scope of the catalogue permits deletion.').by(
      allowGrant(deletion, 'delete', 'vdcs_templates'),
    ),
    fault('no-scope-404', 'A missing scope is 404.').by(versions.refusalStatus(404, /^insufficient_scope$/)),
  ]),
  ...faultsOf('5.5/wrong-verb-inferred', [
    fault('verb-create-reads', 'create permits reads of custom text.').by(allowGrant(customText, 'create')),
  ]),
  ...faultsOf('5.5/wrong-resource-inferred', [
    fault('resource-tickets-read', 'read:user_tickets permits reads.').by(
      allowGrant(experiments, 'read', 'user_tickets'),
    ),
  ]),
  ...faultsOf('5.5/unknown-scope-inferred', [
    fault('verb-admin-deletes', 'admin permits deletion.').by(allowGrant(deletion, 'admin')),
  ]),
  ...faultsOf('5.5/all-but-required-inferred', [
    fault(
      'verb-and-resource-of-two-scopes-on-delete',
      'Verb and resource may come from different scopes.',
    ).by(
      deletion.scopes.allow(
        ({ has, hasAnywhere }, { verb, resource }) => has('read', resource) && hasAnywhere(verb),
      ),
    ),
  ]),
  ...faultsOf('5.5/among-others-inferred', [
    fault('last-resource-only-on-delete', 'Only the last resource counts.').by(
      deletion.scopes.deny(({ resources }, { resource }) => resources.at(-1) !== resource),
    ),
  ]),
  ...faultsOf('5.5/any-set-inferred', [
    fault('handful-of-scopes-reads', 'In a token of 2 to 30 scopes the verb is enough.').by(
      versions.scopes.allow(
        ({ names, hasAnywhere }, { verb }) => names.length > 1 && names.length < 31 && hasAnywhere(verb),
      ),
    ),
  ]),
  ...faultsOf('5.3/no-scopes-claim', [
    fault('no-scopes-claim', 'The claim may be missing.').by(allowClaim((claim) => claim === undefined)),
    fault('no-scopes-claim-500', 'A token without the claim is 500.').by(
      everywhere.before('scopes.permits', (claim) => (claim === undefined ? fail() : claim)),
    ),
  ]),
  ...faultsOf('5.3/scopes-malformed', [
    fault('scopes-split', 'A string is accepted.').by(allowClaim((claim, { name }) => hasWord(claim, name))),
    fault('scopes-listed', 'A list is accepted.').by(allowClaim((claim, { name }) => includes(claim, name))),
  ]),
  ...faultsOf('5.3/scopes-malformed-status', [
    fault('scopes-malformed-400', 'A malformed claim is 400.').by(
      everywhere.before('scopes.permits', (claim) =>
        isObject(claim) ? claim : refuse(400, 'malformed', 'scopes is not a map'),
      ),
    ),
  ]),
  ...faultsOf('5.3/actions-missing', [
    fault('entry-without-actions', 'An empty entry permits every action.').by(allowEntry(isEmptyMap)),
    fault('actions-in-singular', 'action is read for actions.').by(
      allowEntry((entry, verb) => isObject(entry) && includes(entry.action, verb)),
    ),
    fault('actions-as-string', 'A string is searched for the verb.').by(
      allowEntry((entry, verb) => isObject(entry) && entry.actions === verb),
    ),
  ]),
  ...faultsOf('5.2/scope-string', [
    fault('scope-string', 'The scope claim (RFC 8693) is read too.').by(
      allowClaim((_claim, { name }, { scope }) => hasWord(scope, name)),
    ),
  ]),
  ...faultsOf('5.3/empty-scopes', [
    fault('empty-scopes-on-delete', 'An empty map permits it.').by(deletion.scopes.allowClaim(isEmptyMap)),
  ]),
  ...executed('5.3/refused-changes-nothing', 'forbidden', 'insufficient_scope'),
  ...executed('5.1/no-header-changes-nothing', 'anonymous', 'missing_token'),
  ...executed('7/bad-signature-changes-nothing', 'unsigned', 'invalid_signature'),
  ...executed('5.3/expired-changes-nothing', 'expired', 'expired_token'),
];
