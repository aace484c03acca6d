import { override, type Rules, type RulesOverride } from '../../fake/rules.ts';
import type { Variant } from '../fault.ts';

const parameters =
  (change: Partial<Rules['parameters']>): RulesOverride =>
  (rules) =>
    override(rules, 'parameters', change);

/** Messages that have this problem are refused too. */
const alsoInvalid =
  (problem: (text: string) => string | undefined): RulesOverride =>
  (rules) =>
    override(rules, 'templates', (usual) => ({
      problem: (field, text, call) => usual.problem(field, text, call) ?? problem(text),
    }));

/** Readings of requests that the specification does not settle. */
export const inputs: readonly Variant[] = [
  {
    name: 'unknown-parameters-refused',
    says: 'A query parameter that the operation does not have is refused with 400.',
    rules: parameters({ refusedNames: (names) => names }),
  },
  {
    name: 'first-of-repeated',
    says: 'Of a repeated query parameter the first value counts.',
    rules: parameters({ repeated: ([first]) => first }),
  },
  {
    name: 'last-of-repeated',
    says: 'Of a repeated query parameter the last value counts.',
    rules: parameters({ repeated: (values) => values.at(-1) }),
  },
  {
    name: 'empty-is-absent',
    says: 'An empty query parameter counts as none.',
    rules: parameters({ empty: () => 'absent' }),
  },
  {
    name: 'empty-is-text',
    says: 'An empty query parameter is an empty text.',
    rules: parameters({ empty: () => 'text' }),
  },
  {
    name: 'lenient-integers',
    says: 'An integer may be written +5, 05, 5.0, 1e1 or with a blank before it.',
    rules: (rules) =>
      override(rules, 'parameters', ({ numberOf }) => ({
        numberOf(text, parameter, call) {
          const usual = numberOf(text, parameter, call);
          if (usual !== undefined || !/^ ?[+-]?\d+(\.0+)?(e\d)?$/.test(text)) return usual;
          return Number(text);
        },
      })),
  },
  {
    name: 'body-on-get-refused',
    says: 'A GET request with a body is refused with 400.',
    rules: (rules) =>
      override(rules, 'parameters', ({ refusedNames }) => ({
        refusedNames: (names, operation, call) =>
          call.method === 'GET' && (call.chunked || (call.contentLength ?? 0) > 0)
            ? ['a body']
            : refusedNames(names, operation, call),
      })),
  },
  {
    name: 'unknown-variables-refused',
    says: 'A template may use the two variables of section 2.1 and no other.',
    rules: alsoInvalid((text) => {
      const names = [...text.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, name = '']) => name.trim());
      const unknown = names.find((name) => !['code', 'tenant.friendly_name'].includes(name));
      return unknown === undefined ? undefined : `unknown variable ${unknown}`;
    }),
  },
  {
    name: 'lone-braces-refused',
    says: 'A brace that is no part of a variable makes a template invalid.',
    rules: alsoInvalid((text) =>
      /[{}]/.test(text.replace(/\{\{[^{}]*\}\}/g, '')) ? 'a brace stands alone' : undefined,
    ),
  },
  {
    name: 'empty-messages-refused',
    says: 'An empty message is no valid template.',
    rules: alsoInvalid((text) => (text === '' ? 'it is empty' : undefined)),
  },
  {
    name: 'conditionals-refused',
    says: 'Templates have variables, and neither tags nor filters.',
    rules: alsoInvalid((text) => (/\{%|\{\{[^}]*\|/.test(text) ? 'unexpected tag' : undefined)),
  },
  {
    name: 'second-field-first',
    says: 'Where both templates are invalid, the message is about verification_message.',
    rules: (rules) => override(rules, 'templates', { checked: (fields) => fields.toReversed() }),
  },
  {
    name: 'template-message-in-a-list',
    says: 'The message about an invalid template stands in a list, beside the names of both fields.',
    rules: (rules) =>
      override(rules, 'answers', ({ error }) => ({
        error(refusal, call) {
          if (refusal.code !== 'invalid_template') return error(refusal, call);
          return { fields: ['enrollment_message', 'verification_message'], messages: [refusal.message] };
        },
      })),
  },
  {
    name: 'private-cloud',
    says: 'A tenant on a private cloud, with its own maxima.',
    cloud: 'private',
    rules: (rules) => rules,
  },
  {
    name: 'private-cloud-take-100',
    says: 'On a private cloud take goes up to 100.',
    cloud: 'private',
    rules: (rules) =>
      override(
        override(rules, 'parameters', ({ violations }) => ({
          violations: (found, value, parameter, call) =>
            violations(found, value, parameter, call).filter(
              ({ keyword }) => !(parameter.name === 'take' && keyword === 'maximum' && Number(value) <= 100),
            ),
        })),
        'paging',
        { maximum: () => 100 },
      ),
  },
  {
    name: 'private-cloud-defaults-of-50',
    says: 'On a private cloud both default page sizes are half its maximum.',
    cloud: 'private',
    rules: (rules) =>
      override(
        override(rules, 'parameters', ({ absent }) => ({
          absent: (parameter, call) =>
            ['take', 'per_page'].includes(parameter.name) ? 50 : absent(parameter, call),
        })),
        'paging',
        ({ size }) => ({ size: (asked, pagination, call) => asked ?? size(50, pagination, call) }),
      ),
  },
];

const limit =
  (bytes: number): RulesOverride =>
  (rules) =>
    override(rules, 'payload', { limit: () => bytes });

/** The payload limit (sections 1 and 8). */
export const payloads: readonly Variant[] = [
  { name: 'payload-of-10-to-the-6', says: 'A megabyte is 1,000,000 bytes.', rules: limit(1_000_000) },
  { name: 'payload-of-1000-kib', says: 'A megabyte is 1,024,000 bytes.', rules: limit(1_024_000) },
  {
    name: 'payload-closes',
    says: 'A body over the limit ends the connection without an answer.',
    rules: (rules) =>
      override(rules, 'answers', ({ wire }) => ({
        wire: (answer, call) => ({ ...wire(answer, call), ...(answer.status === 413 && { abort: true }) }),
      })),
  },
  {
    name: 'payload-answered-and-not-read',
    says: 'A body over the limit is refused without being read on.',
    rules: (rules) => override(rules, 'payload', { drained: () => 0 }),
  },
  {
    name: 'payload-counted',
    says: 'A declared length is not believed: the body is counted.',
    rules: (rules) => override(rules, 'payload', { trustsDeclared: () => false }),
  },
  {
    name: 'payload-400',
    says: 'A body over the limit is refused with 400.',
    rules: (rules) =>
      override(rules, 'answers', ({ refusal }) => ({
        refusal: (given, call) => refusal(given.status === 413 ? { ...given, status: 400 } : given, call),
      })),
  },
];
