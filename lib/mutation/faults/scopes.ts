import { isObject } from '../../contract/json.ts';
import { refuse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { Builder } from '../builders/builder.ts';
import { has, hasAnywhere, verbs } from '../builders/grants.ts';
import { checkedBy, deletion, everywhere, remembering, update } from '../builders/on.ts';
import { type Fault, faultsOf } from '../fault.ts';

const isEmptyMap = (claim: unknown): boolean => isObject(claim) && Object.keys(claim).length === 0;
const includes = (list: unknown, name: string): boolean => Array.isArray(list) && list.includes(name);

/** Permits requests by the claim's entry for the required resource. */
const allowEntry = (permits: (entry: unknown, verb: string) => boolean): RulesOverride =>
  everywhere.permitsClaim(
    (claim, { resource, verb }) =>
      isObject(claim) && Object.hasOwn(claim, resource) && permits(claim[resource], verb),
  );

/** Faults of the scope that an operation requires; `suffix` ends the ids of the requirements on that scope. */
function requiredScopeFaults(name: string, builder: Builder, suffix: string): readonly Fault[] {
  return faultsOf({
    [`5.5/required-scope${suffix}`]: {
      [`${name}-asks-for-read-too`]: builder.denies((grants, { resource }) => !has(grants, 'read', resource)),
    },
    [`5.5/each-scope-alone${suffix}`]: {
      [`${name}-by-last-scope`]: builder.permits((grants) => has(grants, 'delete', 'vdcs_templates')),
      [`${name}-without-scope-401`]: builder.refusalStatus(401, /^insufficient_scope$/),
    },
    [`5.5/wrong-verb${suffix}`]: {
      [`${name}-by-other-verbs`]: builder.permits((grants, { verb, resource }) =>
        verbs.every((each) => each === verb || has(grants, each, resource)),
      ),
    },
    [`5.5/wrong-resource${suffix}`]: {
      [`${name}-by-user-tickets`]: builder.permits((grants, { verb }) => has(grants, verb, 'user_tickets')),
    },
    [`5.5/unknown-scope${suffix}`]: {
      [`${name}-by-manage`]: builder.permits((grants, { resource }) => has(grants, 'manage', resource)),
      [`${name}-by-wildcard`]: builder.permits((grants, { verb }) => has(grants, verb, '*')),
    },
    [`5.5/all-but-required${suffix}`]: {
      [`${name}-by-two-scopes`]: builder.permits(
        (grants, { verb, resource }) => grants.has(resource) && hasAnywhere(grants, verb),
      ),
    },
    [`5.5/among-others${suffix}`]: {
      [`${name}-by-first-action`]: builder.denies(
        (grants, { verb, resource }) => grants.get(resource)?.[0] !== verb,
      ),
      [`${name}-by-last-resource`]: builder.denies(
        (grants, { resource }) => [...grants.keys()].at(-1) !== resource,
      ),
    },
    [`5.5/any-set${suffix}`]: {
      [`${name}-by-a-handful-of-scopes`]: builder.permits((grants, { verb }) => {
        const count = [...grants.values()].flat().length;
        return count > 1 && count < 31 && hasAnywhere(grants, verb);
      }),
    },
  });
}

/** Remembers that a token was refused, but not for which operation. */
const refusedForAll = remembering((refused) =>
  everywhere.after('scopes.permits', (permitted, _claim, _scope, _claims, { headers }) => {
    if (!permitted) refused.add(headers.authorization);
    return permitted && !refused.has(headers.authorization);
  }),
);

/** Remembers that a token was permitted, but not for which operation. */
const permittedForAll = remembering((known) =>
  everywhere.after('scopes.permits', (permitted, _claim, _scope, _claims, { headers }) => {
    if (permitted) known.add(headers.authorization);
    return known.has(headers.authorization);
  }),
);

/** Updates and deletions that are refused with this code are executed nevertheless. */
function executed(short: string, code: string) {
  const unchecked = checkedBy('parameters', 'body');
  return {
    [`${short}-update-done`]: update.executesRefused(code, unchecked),
    [`${short}-delete-done`]: deletion.executesRefused(code, unchecked),
  };
}

/** Section 5, items 2, 3 and 5: the scope that an operation requires, and the `scopes` claim. */
export const scopeFaults: readonly Fault[] = [
  ...requiredScopeFaults('update', update, ''),
  ...requiredScopeFaults('delete', deletion, '-inferred'),
  ...faultsOf({
    '5.5/required-scope': { 'refused-for-all-operations': refusedForAll },
    '5.5/required-scope-inferred': { 'permitted-for-all-operations': permittedForAll },
    '5.3/no-scopes-claim': {
      'no-scopes-claim': everywhere.permitsClaim((claim) => claim === undefined),
    },
    '5.3/scopes-malformed': {
      'scopes-split': everywhere.permitsClaim(
        (claim, { name }) => typeof claim === 'string' && claim.split(' ').includes(name),
      ),
      'scopes-listed': everywhere.permitsClaim((claim, { name }) => includes(claim, name)),
    },
    '5.3/scopes-malformed-status': {
      'scopes-malformed-400': everywhere.before('scopes.permits', (claim) =>
        isObject(claim) ? claim : refuse(400, 'malformed', 'scopes is not a map'),
      ),
    },
    '5.3/actions-missing': {
      'actions-as-string': allowEntry((entry, verb) => isObject(entry) && entry.actions === verb),
      'actions-empty': allowEntry(
        (entry) => isObject(entry) && Array.isArray(entry.actions) && entry.actions.length === 0,
      ),
    },
    '5.3/empty-scopes': { 'empty-scopes-on-delete': deletion.permitsClaim(isEmptyMap) },
    '5.3/refused-changes-nothing': executed('forbidden', 'insufficient_scope'),
    '5.1/no-header-changes-nothing': executed('anonymous', 'missing_token'),
    '7/bad-signature-changes-nothing': executed('unsigned', 'invalid_signature'),
    '5.3/expired-changes-nothing': executed('expired', 'expired_token'),
  }),
];
