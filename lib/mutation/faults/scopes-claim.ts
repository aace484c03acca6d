import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Scope } from '../../contract/model.ts';
import type { Call } from '../../fake/call.ts';
import { override } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { refusedWith } from './parts.ts';
import { onCustomText, onDelete, onGet, onPut, onVersions, type Where } from './where.ts';

/** Section 5, items 2 and 3: what is no right scopes claim, and what becomes of a request that is refused. */

/** The `scopes` claim, whatever it is, permits where this holds. */
const takes = (
  name: string,
  requirement: string,
  description: string,
  permits: (claim: unknown, scope: Scope, claims: JsonObject, call: Call) => boolean,
): Fault => ({
  name,
  requirement,
  description,
  rules: (rules) =>
    override(rules, 'scopes', (usual) => ({
      permits: (claim, scope, claims, call) =>
        usual.permits(claim, scope, claims, call) || permits(claim, scope, claims, call),
    })),
});

/** The entry of the resource permits where this holds. */
const takesEntry = (
  name: string,
  description: string,
  permits: (entry: unknown, verb: string) => boolean,
): Fault =>
  takes(name, '5.3/actions-missing', description, (claim, { resource, verb }) =>
    isObject(claim) && Object.hasOwn(claim, resource) ? permits(claim[resource], verb) : false,
  );

/** A refusal for lack of scope has another status where this holds. */
const forbiddenWith = (
  name: string,
  requirement: string,
  description: string,
  status: number,
  where: Where,
): Fault => ({
  name,
  requirement,
  description,
  rules: refusedWith(/^insufficient_scope$/, status, where),
});

const has = (list: unknown, name: string): boolean => Array.isArray(list) && list.includes(name);

const malformed: readonly Fault[] = [
  takes(
    'no-scopes-claim',
    '5.3/no-scopes-claim',
    'A token without a scopes claim is not restricted.',
    (claim) => claim === undefined,
  ),
  takes(
    'no-scopes-claim-on-get',
    '5.3/no-scopes-claim',
    'A token without a scopes claim may read.',
    (claim, _scope, _claims, call) => claim === undefined && onGet(call),
  ),
  {
    name: 'no-scopes-claim-500',
    requirement: '5.3/no-scopes-claim',
    description: 'A token without a scopes claim is answered 500.',
    rules: (rules) =>
      override(rules, 'scopes', (usual) => ({
        permits(claim, scope, claims, call) {
          if (claim === undefined) throw new TypeError('scopes is undefined');
          return usual.permits(claim, scope, claims, call);
        },
      })),
  },
  takes(
    'scopes-split',
    '5.3/scopes-malformed',
    'A string of scope names is taken for the map.',
    (claim, { name }) => typeof claim === 'string' && claim.split(' ').includes(name),
  ),
  takes(
    'scopes-listed',
    '5.3/scopes-malformed',
    'A list of scope names is taken for the map.',
    (claim, { name }) => has(claim, name),
  ),
  takes('scopes-null', '5.3/scopes-malformed', 'null does not restrict.', (claim) => claim === null),
  takes('scopes-true', '5.3/scopes-malformed', 'true permits everything.', (claim) => claim === true),
  takes(
    'scopes-number',
    '5.3/scopes-malformed',
    'A number is taken for a set of bits.',
    (claim) => claim === 1,
  ),
  takes(
    'scopes-empty-list',
    '5.3/scopes-malformed',
    'An empty list does not restrict.',
    (claim) => Array.isArray(claim) && claim.length === 0,
  ),
  takesEntry(
    'entry-without-actions',
    'An entry without actions permits every action.',
    (entry) => isObject(entry) && Object.keys(entry).length === 0,
  ),
  takesEntry(
    'entry-with-no-actions',
    'An empty list of actions permits every action.',
    (entry) => isObject(entry) && Array.isArray(entry.actions) && entry.actions.length === 0,
  ),
  takesEntry('entry-null', 'The name of a resource alone permits every action.', (entry) => entry === null),
  takesEntry(
    'actions-null',
    'actions: null permits every action.',
    (entry) => isObject(entry) && entry.actions === null,
  ),
  takesEntry(
    'actions-in-singular',
    'action is taken for actions.',
    (entry, verb) => isObject(entry) && has(entry.action, verb),
  ),
  takesEntry('actions-bare', 'A bare list of verbs is taken for the entry.', has),
  takesEntry(
    'actions-as-flags',
    'Verbs with a value of true are taken for actions.',
    (entry, verb) => isObject(entry) && entry[verb] === true,
  ),
  takesEntry(
    'actions-as-string',
    'A string is searched for the verb.',
    (entry, verb) => isObject(entry) && typeof entry.actions === 'string' && entry.actions.includes(verb),
  ),
  takesEntry(
    'actions-as-object',
    'The members of an object are taken for actions.',
    (entry, verb) => isObject(entry) && isObject(entry.actions) && verb in entry.actions,
  ),
  takes(
    'scope-string',
    '5.2/scope-string',
    'The standard scope claim (RFC 8693, section 4.2) is read too.',
    (_claim, { name }, { scope }) => typeof scope === 'string' && scope.split(' ').includes(name),
  ),
  takes(
    'scope-string-on-get',
    '5.2/scope-string',
    'Reading goes by the standard scope claim, which it searches for the name.',
    (_claim, { name }, { scope }, call) => onGet(call) && typeof scope === 'string' && scope.includes(name),
  ),
  takes(
    'permissions-list',
    '5.2/scope-string',
    'A list of permissions is read too.',
    (_claim, { name }, { permissions }) => has(permissions, name),
  ),
  takes('scp-list', '5.2/scope-string', 'The list scp is read too.', (_claim, { name }, { scp }) =>
    has(scp, name),
  ),

  takes(
    'empty-scopes',
    '5.3/empty-scopes',
    'An empty map does not restrict.',
    (claim) => isObject(claim) && Object.keys(claim).length === 0,
  ),
  takes(
    'empty-scopes-on-delete',
    '5.3/empty-scopes',
    'An empty map permits to delete.',
    (claim, _scope, _claims, call) => onDelete(call) && isObject(claim) && Object.keys(claim).length === 0,
  ),
  takes(
    'empty-scopes-on-custom-text',
    '5.3/empty-scopes',
    'Custom text asks for a token only, whatever its scopes.',
    (claim, _scope, _claims, call) =>
      onCustomText(call) && isObject(claim) && Object.keys(claim).length === 0,
  ),
  forbiddenWith('no-scope-401', '5.5/each-scope-alone', 'A lack of scope is answered 401.', 401, onPut),
  forbiddenWith(
    'no-scope-404',
    '5.5/each-scope-alone-inferred',
    'What a token may not read is not found.',
    404,
    onVersions,
  ),
];

/** A request that is refused for its token is carried out all the same. */
const carriedOut = (
  name: string,
  requirement: string,
  description: string,
  code: string,
  where: Where,
): Fault => ({
  name,
  requirement,
  description,
  rules: (rules) =>
    override(rules, 'answers', {
      executedAfterRefusal: (refusal, call) =>
        refusal.code === code && where(call) ? { ...rules, checks: ['parameters', 'body'] } : undefined,
    }),
});

const afterwards: readonly Fault[] = [
  carriedOut(
    'forbidden-update-done',
    '5.3/refused-changes-nothing',
    'The update is written before its scope is looked at.',
    'insufficient_scope',
    onPut,
  ),
  carriedOut(
    'forbidden-delete-done',
    '5.3/refused-changes-nothing',
    'The policy is deleted before the scope is looked at.',
    'insufficient_scope',
    onDelete,
  ),
  carriedOut(
    'expired-update-done',
    '5.3/expired-changes-nothing',
    'The update is written while its token is still being verified.',
    'expired_token',
    onPut,
  ),
  carriedOut(
    'expired-delete-done',
    '5.3/expired-changes-nothing',
    'The policy is deleted while the token is still being verified.',
    'expired_token',
    onDelete,
  ),
];

/** Faults of the scopes claim as such, and of refusals. */
export const scopeClaimFaults: readonly Fault[] = [...malformed, ...afterwards];
