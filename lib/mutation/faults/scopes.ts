import { isObject } from '../../contract/json.ts';
import { refuse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { Builder } from '../builders/builder.ts';
import type { ScopeBuilder } from '../builders/credentials.ts';
import { customText, deletion, everywhere, experiments, on, update, versions } from '../builders/on.ts';
import { isGet } from '../builders/predicates.ts';
import { fail } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const reads = on(isGet);

/** The verb is granted on a resource whose name fits the required one. */
const allowResource = (
  fits: (name: string, required: string) => boolean,
  where: Builder = update,
): RulesOverride =>
  where.scopes.allow(({ resources, has }, { verb, resource }) =>
    resources.some((each) => fits(each, resource) && has(verb, each)),
  );

/** An action on the resource fits the required verb. */
const allowVerb = (fits: (action: string, verb: string) => boolean, where: Builder = update): RulesOverride =>
  where.scopes.allow(({ actions }, { verb, resource }) => actions(resource).some((each) => fits(each, verb)));

/** One grant permits. */
const allowGrant = (where: Builder, verb: string, resource?: string): RulesOverride =>
  where.scopes.allow(({ has }, required) => has(verb, resource ?? required.resource));

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

const allowActions = (permits: (actions: unknown, verb: string) => boolean): RulesOverride =>
  allowEntry((entry, verb) => isObject(entry) && permits(entry.actions, verb));

/** Requests that are refused with this code are executed all the same. */
const executes = (where: Builder, code: string): RulesOverride =>
  where.executesRefused(code, (rules) => ({ ...rules, checks: ['parameters', 'body'] }));

/** Section 5, items 2, 3 and 5: the scope that an operation requires, and the `scopes` claim. */
export const scopeFaults: readonly Fault[] = [
  ...faultsOf('5.5/required-scope', [
    fault('update-asks-for-phone-templates', 'Another scope is required.').by(
      update.scopes.require('update:phone_templates'),
    ),
    fault('update-asks-for-read-too', 'The read scope is required too.').by(
      deny(({ has }, { resource }) => !has('read', resource)),
    ),
  ]),
  ...faultsOf('5.5/each-scope-alone', [
    fault('read-users-lets-in', 'read:users permits updates.').by(allowGrant(update, 'read', 'users')),
    fault('last-scope-lets-in', 'The last scope of the catalogue permits updates.').by(
      allowGrant(update, 'delete', 'vdcs_templates'),
    ),
    fault('read-permits-update', 'Reading permits updates.').by(allowGrant(update, 'read')),
    fault('any-scope-lets-in', 'Any scope permits updates.').by(allow(({ names }) => names.length > 0)),
    fault('no-scope-401', 'A missing scope is 401.').by(update.refusalStatus(401, /^insufficient_scope$/)),
  ]),
  ...faultsOf('5.5/wrong-verb', [
    fault('resource-without-verb', 'Any action on the resource permits updates.').by(
      allow(({ actions }, { resource }) => actions(resource).length > 0),
    ),
    fault('other-verbs-together', 'create, read and delete together count as update.').by(
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
    fault('verb-wildcard', '* stands for every verb.').by(allowGrant(update, '*')),
    fault('verb-any-case', 'Case is ignored.').by(allowVerb((each, verb) => each.toLowerCase() === verb)),
    fault('verb-by-prefix', 'Verbs are compared by their beginning.').by(
      allowVerb((each, verb) => each.startsWith(verb)),
    ),
    fault('resource-wildcard', '* stands for any resource.').by(allow(({ has }, { verb }) => has(verb, '*'))),
    fault('resource-any-case', 'Case is ignored.').by(
      allowResource((each, name) => each.toLowerCase() === name),
    ),
    fault('resource-by-prefix', 'Resources are compared by their beginning.').by(
      allowResource((each, name) => each.startsWith(name)),
    ),
    fault('resource-singular', 'guardian_factor permits updates.').by(
      allowResource((each, name) => each === name.slice(0, -1)),
    ),
  ]),
  ...faultsOf('5.5/all-but-required', [
    fault('verb-and-resource-apart', 'Verb and resource may come from different scopes.').by(
      allow(
        ({ hasAnywhere, actions }, { verb, resource }) => actions(resource).length > 0 && hasAnywhere(verb),
      ),
    ),
    fault('many-scopes-unchecked', 'A token of 45 scopes counts as an administrator.').by(
      allow(({ names }) => names.length >= 45),
    ),
  ]),
  ...faultsOf('5.5/among-others', [
    fault('first-action-only', 'Only the first action counts.').by(
      deny(({ actions }, { verb, resource }) => actions(resource)[0] !== verb),
    ),
    fault('first-resource-only', 'Only the first resource counts.').by(
      deny(({ resources }, { resource }) => resources[0] !== resource),
    ),
    fault('fifty-scopes-only', 'Only the first fifty scopes count.').by(
      deny(({ names }, { name }) => names.indexOf(name) >= 50),
    ),
  ]),
  ...faultsOf('5.5/any-set', [
    fault('handful-of-scopes', 'In a token of 2 to 30 scopes the verb is enough.').by(
      allow(({ names, hasAnywhere }, { verb }) => names.length > 1 && names.length < 31 && hasAnywhere(verb)),
    ),
    fault('scopes-counted', 'Five resources that may be read permit updates.').by(
      allow(({ names }) => names.length < 41 && names.filter((each) => each.startsWith('read:')).length >= 5),
    ),
  ]),
  ...faultsOf('5.5/required-scope-inferred', [
    fault('experiments-ask-for-flags', 'Another is required.').by(experiments.scopes.require('read:clients')),
    fault('delete-asks-for-read-too', 'Deletion requires read too.').by(
      deletion.scopes.deny(({ has }, { resource }) => !has('read', resource)),
    ),
  ]),
  ...faultsOf('5.5/each-scope-alone-inferred', [
    fault('last-scope-deletes', 'The last scope of the catalogue permits deletion.').by(
      allowGrant(deletion, 'delete', 'vdcs_templates'),
    ),
    fault('update-permits-reading', 'update permits reads.').by(allowGrant(reads, 'update')),
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
    fault('resource-wildcard-reads', '* stands for all.').by(
      reads.scopes.allow(({ has }, { verb }) => has(verb, '*')),
    ),
  ]),
  ...faultsOf('5.5/all-but-required-inferred', [
    fault('verb-and-resource-apart-on-delete', 'Verb and resource may come from different scopes.').by(
      deletion.scopes.allow(
        ({ has, hasAnywhere }, { verb, resource }) => has('read', resource) && hasAnywhere(verb),
      ),
    ),
  ]),
  ...faultsOf('5.5/among-others-inferred', [
    fault('first-action-only-on-get', 'Only the first action counts.').by(
      reads.scopes.deny(({ actions }, { verb, resource }) => actions(resource)[0] !== verb),
    ),
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
    fault('scopes-null', 'null does not restrict.').by(allowClaim((claim) => claim === null)),
    fault('scopes-empty-list', 'An empty list does not restrict.').by(
      allowClaim((claim) => Array.isArray(claim) && claim.length === 0),
    ),
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
    fault('entry-with-no-actions', 'An empty list permits every action.').by(
      allowActions((actions) => Array.isArray(actions) && actions.length === 0),
    ),
    fault('actions-in-singular', 'action is read for actions.').by(
      allowEntry((entry, verb) => isObject(entry) && includes(entry.action, verb)),
    ),
    fault('actions-bare', 'A bare list of verbs is accepted.').by(allowEntry(includes)),
    fault('actions-as-string', 'A string is searched for the verb.').by(
      allowActions((actions, verb) => typeof actions === 'string' && actions.includes(verb)),
    ),
  ]),
  ...faultsOf('5.2/scope-string', [
    fault('scope-string', 'The scope claim (RFC 8693) is read too.').by(
      allowClaim((_claim, { name }, { scope }) => hasWord(scope, name)),
    ),
  ]),
  ...faultsOf('5.3/empty-scopes', [
    fault('empty-scopes', 'An empty map does not restrict.').by(allowClaim(isEmptyMap)),
    fault('empty-scopes-on-delete', 'An empty map permits it.').by(deletion.scopes.allowClaim(isEmptyMap)),
  ]),
  ...faultsOf('5.3/refused-changes-nothing', [
    fault('forbidden-update-done', 'The update is executed.').by(executes(update, 'insufficient_scope')),
    fault('forbidden-delete-done', 'The deletion is executed.').by(executes(deletion, 'insufficient_scope')),
  ]),
  ...faultsOf('5.1/no-header-changes-nothing', [
    fault('anonymous-update-done', 'An update without a token is executed.').by(
      executes(update, 'missing_token'),
    ),
    fault('anonymous-delete-done', 'A deletion without a token is executed.').by(
      executes(deletion, 'missing_token'),
    ),
  ]),
  ...faultsOf('7/bad-signature-changes-nothing', [
    fault('unsigned-update-done', 'The update is executed.').by(executes(update, 'invalid_signature')),
    fault('unsigned-delete-done', 'The deletion is executed.').by(executes(deletion, 'invalid_signature')),
  ]),
  ...faultsOf('5.3/expired-changes-nothing', [
    fault('expired-update-done', 'The update is executed.').by(executes(update, 'expired_token')),
    fault('expired-delete-done', 'The deletion is executed.').by(executes(deletion, 'expired_token')),
  ]),
];
