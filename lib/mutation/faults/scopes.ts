import { isObject } from '../../contract/json.ts';
import { refuse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { Builder } from '../builders/builder.ts';
import { has, hasAnywhere } from '../builders/grants.ts';
import { deletion, everywhere, update } from '../builders/on.ts';
import { fail } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const verbs = ['create', 'read', 'update', 'delete'];

const isEmptyMap = (claim: unknown): boolean => isObject(claim) && Object.keys(claim).length === 0;
const includes = (list: unknown, name: string): boolean => Array.isArray(list) && list.includes(name);

/** The claim's entry for the required resource permits. */
const allowEntry = (permits: (entry: unknown, verb: string) => boolean): RulesOverride =>
  everywhere.permitsClaim(
    (claim, { resource, verb }) =>
      isObject(claim) && Object.hasOwn(claim, resource) && permits(claim[resource], verb),
  );

/** Faults of the scope that an operation requires; `suffix` is that of the requirements on it. */
function requiredScopeFaults(name: string, builder: Builder, suffix: string): readonly Fault[] {
  return faultsOf({
    [`5.5/required-scope${suffix}`]: fault(`${name}-asks-for-read-too`, 'The read scope is required too.').by(
      builder.denies((grants, { resource }) => !has(grants, 'read', resource)),
    ),
    [`5.5/each-scope-alone${suffix}`]: [
      fault(`${name}-by-last-scope`, 'The last scope of the catalogue permits it.').by(
        builder.permits((grants) => has(grants, 'delete', 'vdcs_templates')),
      ),
      fault(`${name}-without-scope-401`, 'A missing scope is 401.').by(
        builder.refusalStatus(401, /^insufficient_scope$/),
      ),
    ],
    [`5.5/wrong-verb${suffix}`]: fault(`${name}-by-other-verbs`, 'The other verbs combined permit it.').by(
      builder.permits((grants, { verb, resource }) =>
        verbs.every((each) => each === verb || has(grants, each, resource)),
      ),
    ),
    [`5.5/wrong-resource${suffix}`]: fault(
      `${name}-by-user-tickets`,
      'The verb on user_tickets is enough.',
    ).by(builder.permits((grants, { verb }) => has(grants, verb, 'user_tickets'))),
    [`5.5/unknown-scope${suffix}`]: [
      fault(`${name}-by-manage`, 'manage stands for every verb.').by(
        builder.permits((grants, { resource }) => has(grants, 'manage', resource)),
      ),
      fault(`${name}-by-beginning-of-verb`, 'Verbs are compared by their beginning.').by(
        builder.permits(
          (grants, { verb, resource }) =>
            grants.get(resource)?.some((each) => each.startsWith(verb)) ?? false,
        ),
      ),
      fault(`${name}-by-wildcard`, '* stands for any resource.').by(
        builder.permits((grants, { verb }) => has(grants, verb, '*')),
      ),
    ],
    [`5.5/all-but-required${suffix}`]: fault(
      `${name}-by-two-scopes`,
      'Verb and resource may come from different scopes.',
    ).by(builder.permits((grants, { verb, resource }) => grants.has(resource) && hasAnywhere(grants, verb))),
    [`5.5/among-others${suffix}`]: [
      fault(`${name}-by-first-action`, 'Only the first action counts.').by(
        builder.denies((grants, { verb, resource }) => grants.get(resource)?.[0] !== verb),
      ),
      fault(`${name}-by-last-resource`, 'Only the last resource counts.').by(
        builder.denies((grants, { resource }) => [...grants.keys()].at(-1) !== resource),
      ),
    ],
    [`5.5/any-set${suffix}`]: fault(
      `${name}-by-a-handful-of-scopes`,
      'In a token of 2 to 30 scopes the verb is enough.',
    ).by(
      builder.permits((grants, { verb }) => {
        const count = [...grants.values()].flat().length;
        return count > 1 && count < 31 && hasAnywhere(grants, verb);
      }),
    ),
  });
}

/** Updates and deletions that are refused with this code are executed all the same. */
const executed = (short: string, code: string) =>
  Object.entries({ update, delete: deletion }).map(([name, builder]) =>
    fault(`${short}-${name}-done`, `A refused ${name} is executed.`).by(
      builder.executesRefused(code, (rules) => ({ ...rules, checks: ['parameters', 'body'] })),
    ),
  );

/** Section 5, items 2, 3 and 5: the scope that an operation requires, and the `scopes` claim. */
export const scopeFaults: readonly Fault[] = [
  ...requiredScopeFaults('update', update, ''),
  ...requiredScopeFaults('delete', deletion, '-inferred'),
  ...faultsOf({
    '5.3/no-scopes-claim': [
      fault('no-scopes-claim', 'The claim may be missing.').by(
        everywhere.permitsClaim((claim) => claim === undefined),
      ),
      fault('no-scopes-claim-500', 'A token without the claim is 500.').by(
        everywhere.before('scopes.permits', (claim) => (claim === undefined ? fail() : claim)),
      ),
    ],
    '5.3/scopes-malformed': [
      fault('scopes-split', 'A string is accepted.').by(
        everywhere.permitsClaim(
          (claim, { name }) => typeof claim === 'string' && claim.split(' ').includes(name),
        ),
      ),
      fault('scopes-listed', 'A list is accepted.').by(
        everywhere.permitsClaim((claim, { name }) => includes(claim, name)),
      ),
    ],
    '5.3/scopes-malformed-status': fault('scopes-malformed-400', 'A malformed claim is 400.').by(
      everywhere.before('scopes.permits', (claim) =>
        isObject(claim) ? claim : refuse(400, 'malformed', 'scopes is not a map'),
      ),
    ),
    '5.3/actions-missing': [
      fault('entry-without-actions', 'An empty entry permits every action.').by(allowEntry(isEmptyMap)),
      fault('actions-in-singular', 'action is read for actions.').by(
        allowEntry((entry, verb) => isObject(entry) && includes(entry.action, verb)),
      ),
      fault('actions-as-string', 'A string is searched for the verb.').by(
        allowEntry((entry, verb) => isObject(entry) && entry.actions === verb),
      ),
    ],
    '5.3/empty-scopes': fault('empty-scopes-on-delete', 'An empty map permits it.').by(
      deletion.permitsClaim(isEmptyMap),
    ),
    '5.3/refused-changes-nothing': executed('forbidden', 'insufficient_scope'),
    '5.1/no-header-changes-nothing': executed('anonymous', 'missing_token'),
    '7/bad-signature-changes-nothing': executed('unsigned', 'invalid_signature'),
    '5.3/expired-changes-nothing': executed('expired', 'expired_token'),
  }),
];
