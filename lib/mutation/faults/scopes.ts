import type { Fault } from '../fault.ts';
import { apart, forbids, last, lets, requires } from './grants.ts';
import { onPut } from './where.ts';

/** Section 5, items 3 and 5: faults of the scope that a sentence names. */
export const scopeFaults: readonly Fault[] = [
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
