import { isObject } from '../../contract/json.ts';
import { refuse } from '../../fake/call.ts';
import { override } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';

/**
 * Faults of requirements that only operations of another contract have, the service's own being judged by requirements
 * of their own. They are run on a contract of the kind that `--contract` takes.
 */
export const genericFaults: readonly Fault[] = [
  {
    name: 'generic-take-not-bounded',
    requirement: '8/checkpoint-size-bounds',
    description: 'A take above its declared maximum is accepted.',
    rules: (rules) =>
      override(rules, 'parameters', (usual) => ({
        violations: (found, value, parameter, call) =>
          parameter.name === 'take' ? [] : usual.violations(found, value, parameter, call),
      })),
  },
  {
    name: 'generic-page-size-from-its-beginning',
    requirement: '8/offset-size-bounds',
    description: 'Of a per_page that is no integer the digits at its beginning are taken.',
    rules: (rules) =>
      override(rules, 'parameters', (usual) => ({
        numberOf: (text, parameter, call) =>
          parameter.name === 'per_page'
            ? Number.parseInt(text, 10) || 1
            : usual.numberOf(text, parameter, call),
      })),
  },
  {
    name: 'generic-pages-overlap',
    requirement: '8/offset-pages-tile',
    description: 'Each page but the first begins with the last item of the one before.',
    rules: (rules) =>
      override(rules, 'versions', {
        items: (items, { page, perPage }) =>
          page === 0 ? items.slice(0, perPage) : items.slice(page * perPage - 1, (page + 1) * perPage - 1),
      }),
  },
  {
    name: 'generic-answer-of-another-type',
    requirement: '9/answer-schema',
    description: 'A name is answered as a number where one thing is read.',
    rules: (rules) =>
      override(rules, 'answers', (usual) => ({
        answer(answer, call) {
          const given = usual.answer(answer, call);
          const named = isObject(given.body) && given.status < 300 && Object.hasOwn(given.body, 'name');
          return named ? { ...given, body: { ...Object(given.body), name: 1 } } : given;
        },
      })),
  },
  {
    name: 'generic-enum-ignored',
    requirement: '9/invalid-parameter',
    description: 'A filter outside its declared values is ignored.',
    rules: (rules) =>
      override(rules, 'parameters', (usual) => ({
        violations: (found, value, parameter, call) =>
          usual.violations(found, value, parameter, call).filter(({ keyword }) => keyword !== 'enum'),
      })),
  },
  {
    name: 'generic-required-member-missing',
    requirement: '9/invalid-body',
    description: 'A body without a required member is accepted.',
    rules: (rules) =>
      override(rules, 'body', (usual) => ({
        violations: (found, value, call) =>
          usual.violations(found, value, call).filter(({ keyword }) => keyword !== 'required'),
      })),
  },
  {
    name: 'generic-valid-body-refused',
    requirement: '9/valid-request',
    description: 'A body that says that it is enabled is taken for another media type.',
    rules: (rules) =>
      override(rules, 'body', (usual) => ({
        value(value, mediaType, call) {
          if (isObject(value) && typeof value.enabled === 'boolean')
            refuse(415, 'unsupported', 'Unsupported');
          return usual.value(value, mediaType, call);
        },
      })),
  },
];
