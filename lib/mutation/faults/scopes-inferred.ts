import type { Fault } from '../fault.ts';
import { forbids, last, lets, requires } from './grants.ts';
import { onCustomText, onDelete, onExperiments, onGet, onVersions } from './where.ts';

/** Section 5, items 3 and 5: faults of the scopes that follow from the catalogue. */
export const inferredScopeFaults: readonly Fault[] = [
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
