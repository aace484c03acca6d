import type { Scope } from '../../contract/model.ts';
import type { Call } from '../call.ts';
import type { Fault } from '../fault.ts';
import { isObject, type JsonObject } from '../json.ts';
import { override } from '../rules.ts';
import { onCustomText, onDelete, onExperiments, onGet, onPut, onVersions, type Where } from './where.ts';

/** Section 5, items 3 and 5: what the scopes permit. */

/** What a token's `scopes` claim holds, read in the right way. */
interface Grants {
  /** The names of the resources, in the token's order. */
  readonly resources: readonly string[];
  /** `update:guardian_factors`, in the token's order. */
  readonly names: readonly string[];
  /** The actions of a resource. */
  of(resource: string): readonly string[];
  has(verb: string, resource: string): boolean;
  /** True where the verb is held on any resource. */
  anywhere(verb: string): boolean;
}

function grantsOf(claim: unknown): Grants {
  const map = isObject(claim) ? claim : {};
  const of = (resource: string): readonly string[] => {
    const entry = Object.hasOwn(map, resource) ? map[resource] : undefined;
    return isObject(entry) && Array.isArray(entry.actions) ? entry.actions.map(String) : [];
  };
  const resources = Object.keys(map);
  return {
    resources,
    names: resources.flatMap((resource) => of(resource).map((verb) => `${verb}:${resource}`)),
    of,
    has: (verb, resource) => of(resource).includes(verb),
    anywhere: (verb) => resources.some((each) => /^[a-z_]{3,}$/.test(each) && of(each).includes(verb)),
  };
}

/** Permits also what this says, at some requests. */
const lets = (
  name: string,
  breaks: string,
  says: string,
  where: Where,
  permits: (grants: Grants, scope: Scope) => boolean,
): Fault => ({
  name,
  breaks,
  says,
  rules: (rules) =>
    override(rules, 'scopes', (usual) => ({
      permits: (claim, scope, claims, call) =>
        usual.permits(claim, scope, claims, call) || (where(call) && permits(grantsOf(claim), scope)),
    })),
});

/** Forbids also what this says, at some requests. */
const forbids = (
  name: string,
  breaks: string,
  says: string,
  where: Where,
  forbidden: (grants: Grants, scope: Scope, claims: JsonObject) => boolean,
): Fault => ({
  name,
  breaks,
  says,
  rules: (rules) =>
    override(rules, 'scopes', (usual) => ({
      permits: (claim, scope, claims, call) =>
        usual.permits(claim, scope, claims, call) &&
        !(where(call) && forbidden(grantsOf(claim), scope, claims)),
    })),
});

/** Another scope is asked for. */
const requires = (name: string, breaks: string, says: string, where: Where, scope: Scope): Fault => ({
  name,
  breaks,
  says,
  rules: (rules) =>
    override(rules, 'scopes', (usual) => ({
      required: (operation, call) => (where(call) ? [scope] : usual.required(operation, call)),
    })),
});

const last = <T>(values: readonly T[]): T | undefined => values.at(-1);

/** A verb is held on any resource, and the resource with any verb. */
const apart = ({ anywhere, of }: Grants, { verb, resource }: Scope): boolean =>
  of(resource).length > 0 && anywhere(verb);

const stated: readonly Fault[] = [
  requires(
    'update-asks-for-phone-templates',
    '5.5/required-scope',
    'The update asks for update:phone_templates.',
    onPut,
    { name: 'update:phone_templates', verb: 'update', resource: 'phone_templates' },
  ),
  forbids(
    'update-asks-for-read-too',
    '5.5/required-scope',
    'The update asks for read:guardian_factors beside its own scope.',
    onPut,
    ({ has }, { resource }) => !has('read', resource),
  ),

  lets('read-users-lets-in', '5.5/each-scope-alone', 'read:users permits the update.', onPut, ({ has }) =>
    has('read', 'users'),
  ),
  lets(
    'last-scope-lets-in',
    '5.5/each-scope-alone',
    'delete:vdcs_templates, the last scope of the catalogue, permits the update.',
    onPut,
    ({ has }) => has('delete', 'vdcs_templates'),
  ),
  lets(
    'read-permits-update',
    '5.5/each-scope-alone',
    'Who may read the factors may update the templates.',
    onPut,
    ({ has }, { resource }) => has('read', resource),
  ),
  lets(
    'phone-templates-permit-update',
    '5.5/each-scope-alone',
    'update:phone_templates permits the update, for its name.',
    onPut,
    ({ has }) => has('update', 'phone_templates'),
  ),
  lets(
    'single-scope-unchecked',
    '5.5/each-scope-alone',
    'A token of one single scope is taken for one that was made for the update.',
    onPut,
    ({ names }) => names.length === 1 && names[0] === 'update:tenant_settings',
  ),
  lets(
    'any-scope-lets-in',
    '5.5/each-scope-alone',
    'Any scope of the catalogue permits the update.',
    onPut,
    ({ names }) => names.length > 0,
  ),
  lets(
    'verb-of-any-resource',
    '5.5/each-scope-alone',
    'Who may update anything may update the templates.',
    onPut,
    ({ anywhere }, { verb }) => anywhere(verb),
  ),
  lets(
    'resource-without-verb',
    '5.5/wrong-verb',
    'Any action on the resource permits the update.',
    onPut,
    ({ of }, { resource }) => of(resource).length > 0,
  ),

  lets('verb-manage', '5.5/wrong-verb', 'manage stands for every verb.', onPut, ({ has }, { resource }) =>
    has('manage', resource),
  ),
  lets('verb-wildcard', '5.5/wrong-verb', '* stands for every verb.', onPut, ({ has }, { resource }) =>
    has('*', resource),
  ),
  lets('verb-write', '5.5/wrong-verb', 'write stands for update.', onPut, ({ has }, { resource }) =>
    has('write', resource),
  ),
  lets(
    'verb-any-case',
    '5.5/wrong-verb',
    'The case of a verb is free.',
    onPut,
    ({ of }, { verb, resource }) => of(resource).some((each) => each.toLowerCase() === verb),
  ),
  lets('verb-trimmed', '5.5/wrong-verb', 'A verb is trimmed.', onPut, ({ of }, { verb, resource }) =>
    of(resource).some((each) => each.trim() === verb),
  ),
  lets(
    'verb-by-prefix',
    '5.5/wrong-verb',
    'A verb counts by its beginning: updates.',
    onPut,
    ({ of }, { verb, resource }) => of(resource).some((each) => each.startsWith(verb)),
  ),
  lets(
    'verb-by-part',
    '5.5/wrong-verb',
    'A verb counts where the wanted one contains it: updat.',
    onPut,
    ({ of }, { verb, resource }) => of(resource).some((each) => each.length > 1 && verb.includes(each)),
  ),
  lets(
    'other-verbs-together',
    '5.5/wrong-verb',
    'Create, read and delete together count as update.',
    onPut,
    ({ has }, { resource }) => ['create', 'read', 'delete'].every((verb) => has(verb, resource)),
  ),

  lets(
    'resource-wildcard',
    '5.5/wrong-resource',
    '* stands for every resource.',
    onPut,
    ({ has }, { verb }) => has(verb, '*'),
  ),
  lets(
    'resource-any-case',
    '5.5/wrong-resource',
    'The case of a resource is free.',
    onPut,
    ({ resources, has }, { verb, resource }) =>
      resources.some((each) => each.toLowerCase() === resource && has(verb, each)),
  ),
  lets(
    'resource-trimmed',
    '5.5/wrong-resource',
    'A resource is trimmed.',
    onPut,
    ({ resources, has }, { verb, resource }) =>
      resources.some((each) => each.trim() === resource && has(verb, each)),
  ),
  lets(
    'resource-by-prefix',
    '5.5/wrong-resource',
    'A resource counts by its beginning: guardian_factors_.',
    onPut,
    ({ resources, has }, { verb, resource }) =>
      resources.some((each) => each.startsWith(resource) && has(verb, each)),
  ),
  lets(
    'resource-by-substring',
    '5.5/wrong-resource',
    'A resource counts where its name contains the wanted one.',
    onPut,
    ({ resources, has }, { verb, resource }) =>
      resources.some((each) => each.includes(resource) && has(verb, each)),
  ),
  lets(
    'resource-singular',
    '5.5/wrong-resource',
    'guardian_factor is taken for guardian_factors.',
    onPut,
    ({ has }, { verb, resource }) => has(verb, resource.slice(0, -1)),
  ),
  lets(
    'resource-with-dashes',
    '5.5/wrong-resource',
    'Dashes in a resource are taken for underscores.',
    onPut,
    ({ has }, { verb, resource }) => has(verb, resource.replaceAll('_', '-')),
  ),
  lets(
    'resource-parent',
    '5.5/wrong-resource',
    'update:guardian permits whatever begins with guardian.',
    onPut,
    ({ has }, { verb, resource }) => has(verb, resource.split('_')[0] ?? ''),
  ),
  lets(
    'resource-enrollments',
    '5.5/wrong-resource',
    'update:guardian_enrollments, which the catalogue does not have, permits the update.',
    onPut,
    ({ has }, { verb }) => has(verb, 'guardian_enrollments'),
  ),

  lets(
    'verb-and-resource-apart',
    '5.5/all-but-required',
    'The verb on any resource and any verb on the resource permit the update together.',
    onPut,
    apart,
  ),
  lets(
    'many-scopes-unchecked',
    '5.5/all-but-required',
    'A token of 45 scopes or more counts as an administrator.',
    onPut,
    ({ names }) => names.length >= 45,
  ),

  forbids(
    'first-action-only',
    '5.5/among-others',
    'Only the first of the actions counts.',
    onPut,
    ({ of }, { verb, resource }) => of(resource)[0] !== verb,
  ),
  forbids(
    'last-action-only',
    '5.5/among-others',
    'Only the last of the actions counts.',
    onPut,
    ({ of }, { verb, resource }) => last(of(resource)) !== verb,
  ),
  forbids(
    'first-resource-only',
    '5.5/among-others',
    'Only the first resource of the token counts.',
    onPut,
    ({ resources }, { resource }) => resources[0] !== resource,
  ),
  forbids(
    'fifty-scopes-only',
    '5.5/among-others',
    'Only the first fifty scopes of a token count.',
    onPut,
    ({ names }, { name }) => names.indexOf(name) >= 50,
  ),
  forbids(
    'scopes-cut-at-2000',
    '5.5/among-others',
    'Scopes are kept in a column of 2,000 characters, and a longer list is lost.',
    onPut,
    (_grants, _scope, { scopes }) => JSON.stringify(scopes).length > 2000,
  ),
  lets(
    'handful-of-scopes',
    '5.5/any-set',
    'In a token of two to thirty scopes, the verb on any resource is enough.',
    onPut,
    ({ names, anywhere }, { verb }) => names.length > 1 && names.length < 31 && anywhere(verb),
  ),
  lets(
    'scopes-counted',
    '5.5/any-set',
    'Five resources that may be read are taken for the right to update.',
    onPut,
    ({ names }) => names.length < 41 && names.filter((each) => each.startsWith('read:')).length >= 5,
  ),
];

const inferred: readonly Fault[] = [
  requires(
    'experiments-ask-for-flags',
    '5.5/required-scope-inferred',
    'The listing of experiments asks for read:clients.',
    onExperiments,
    { name: 'read:clients', verb: 'read', resource: 'clients' },
  ),
  forbids(
    'delete-asks-for-read-too',
    '5.5/required-scope-inferred',
    'Deletion asks for read:rate_limit_policies beside its own scope.',
    onDelete,
    ({ has }, { resource }) => !has('read', resource),
  ),
  lets(
    'read-users-reads-actions',
    '5.5/each-scope-alone-inferred',
    'read:users permits to read the versions of actions.',
    onVersions,
    ({ has }) => has('read', 'users'),
  ),
  lets(
    'last-scope-deletes',
    '5.5/each-scope-alone-inferred',
    'delete:vdcs_templates, the last scope of the catalogue, permits to delete policies.',
    onDelete,
    ({ has }) => has('delete', 'vdcs_templates'),
  ),
  lets(
    'profiles-permit-custom-texts',
    '5.5/each-scope-alone-inferred',
    'read:self_service_profiles permits to read their custom texts.',
    onCustomText,
    ({ has }) => has('read', 'self_service_profiles'),
  ),
  lets(
    'update-permits-reading',
    '5.5/each-scope-alone-inferred',
    'Who may update may read.',
    onGet,
    ({ has }, { resource }) => has('update', resource),
  ),
  lets(
    'verb-admin-deletes',
    '5.5/wrong-verb-inferred',
    'admin on policies permits to delete them.',
    onDelete,
    ({ has }, { resource }) => has('admin', resource),
  ),
  lets(
    'verb-list-reads',
    '5.5/wrong-verb-inferred',
    'list is taken for read.',
    onExperiments,
    ({ has }, { resource }) => has('list', resource),
  ),
  lets(
    'verb-upper-case-reads',
    '5.5/wrong-verb-inferred',
    'The case of a verb is free where versions are read.',
    onVersions,
    ({ of }, { verb, resource }) => of(resource).some((each) => each.toLowerCase() === verb),
  ),
  lets(
    'resource-wildcard-reads',
    '5.5/wrong-resource-inferred',
    'read on * permits to read.',
    onGet,
    ({ has }, { verb }) => has(verb, '*'),
  ),
  lets(
    'resource-prefix-deletes',
    '5.5/wrong-resource-inferred',
    'A resource that begins with rate_limit_policies permits to delete them.',
    onDelete,
    ({ resources, has }, { verb, resource }) =>
      resources.some((each) => each.startsWith(resource) && has(verb, each)),
  ),
  lets(
    'verb-and-resource-apart-on-delete',
    '5.5/all-but-required-inferred',
    'The verb on any resource and any verb on the resource permit to delete together.',
    onDelete,
    ({ has, anywhere }, { verb, resource }) => has('read', resource) && anywhere(verb),
  ),
  lets(
    'many-scopes-read',
    '5.5/all-but-required-inferred',
    'A token of 45 scopes or more may read experiments.',
    onExperiments,
    ({ names }) => names.length >= 45,
  ),
  forbids(
    'first-action-only-on-get',
    '5.5/among-others-inferred',
    'Only the first of the actions counts where something is read.',
    onGet,
    ({ of }, { verb, resource }) => of(resource)[0] !== verb,
  ),
  forbids(
    'last-resource-only-on-delete',
    '5.5/among-others-inferred',
    'Only the last resource of the token counts for deletion.',
    onDelete,
    ({ resources }, { resource }) => last(resources) !== resource,
  ),
  lets(
    'handful-of-scopes-reads',
    '5.5/any-set-inferred',
    'In a token of two to thirty scopes, read on any resource permits to read versions.',
    onVersions,
    ({ names, anywhere }, { verb }) => names.length > 1 && names.length < 31 && anywhere(verb),
  ),
];

/** The `scopes` claim, whatever it is, permits where this holds. */
const takes = (
  name: string,
  breaks: string,
  says: string,
  permits: (claim: unknown, scope: Scope, claims: JsonObject, call: Call) => boolean,
): Fault => ({
  name,
  breaks,
  says,
  rules: (rules) =>
    override(rules, 'scopes', (usual) => ({
      permits: (claim, scope, claims, call) =>
        usual.permits(claim, scope, claims, call) || permits(claim, scope, claims, call),
    })),
});

/** The entry of the resource permits where this holds. */
const takesEntry = (name: string, says: string, permits: (entry: unknown, verb: string) => boolean): Fault =>
  takes(name, '5.3/actions-missing', says, (claim, { resource, verb }) =>
    isObject(claim) && Object.hasOwn(claim, resource) ? permits(claim[resource], verb) : false,
  );

/** A refusal for lack of scope has another status where this holds. */
const refusedWith = (name: string, breaks: string, says: string, status: number, where: Where): Fault => ({
  name,
  breaks,
  says,
  rules: (rules) =>
    override(rules, 'answers', (usual) => ({
      refusal(refusal, call) {
        const given = usual.refusal(refusal, call);
        return given.code === 'insufficient_scope' && where(call) ? { ...given, status } : given;
      },
    })),
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
    breaks: '5.3/no-scopes-claim',
    says: 'A token without a scopes claim is answered 500.',
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
  refusedWith('no-scope-401', '5.5/each-scope-alone', 'A lack of scope is answered 401.', 401, onPut),
  refusedWith(
    'no-scope-404',
    '5.5/each-scope-alone-inferred',
    'What a token may not read is not found.',
    404,
    onVersions,
  ),
];

/** A request that is refused for its token is carried out all the same. */
const carriedOut = (name: string, breaks: string, says: string, code: string, where: Where): Fault => ({
  name,
  breaks,
  says,
  rules: (rules) =>
    override(rules, 'answers', {
      carriedOut: (refusal, call) =>
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

/** Faults of section 5, items 3 and 5. */
export const scopeFaults: readonly Fault[] = [...stated, ...inferred, ...malformed, ...afterwards];
