import type { Check, RulesOverride } from '../../fake/rules.ts';
import { everywhere, experiments } from '../builders/on.ts';
import { after, around, compose, replace } from '../rule-overrides.ts';
import { onWire, variants } from './variant.ts';

const order =
  (...checks: readonly Check[]): RulesOverride =>
  (rules) => ({ ...rules, checks });

/** How requests are read and checked. */
export const requestVariants = variants({
  // Orders of the checks where several refusals apply (section 7: not shown).
  'input-before-token': [
    'Invalid input and unknown data are refused before the token is checked: 400 and 404 before 401.',
    order('rate', 'payload', 'parameters', 'exists', 'mediaType', 'body', 'token', 'scopes'),
  ],
  'payload-after-token': [
    'Token and scopes are checked before the size of the body.',
    order('rate', 'token', 'scopes', 'payload', 'parameters', 'mediaType', 'body'),
  ],
  // Readings of parameters that the specification does not settle.
  'unknown-parameters-refused': [
    'An unknown query parameter is refused with 400.',
    replace('parameters.refusedNames', (names) => names),
  ],
  'first-of-repeated': [
    'The first value of a repeated query parameter counts.',
    replace('parameters.repeated', ([first]) => first),
  ],
  'empty-is-absent': [
    'An empty query parameter is treated as absent.',
    replace('parameters.empty', () => 'absent' as const),
    { warns: ['4.2/take-empty', '4.4/page-empty'] },
  ],
  'empty-is-text': [
    'An empty query parameter is an empty string.',
    replace('parameters.empty', () => 'text' as const),
  ],
  'body-on-get-refused': [
    'A GET request with a body is refused with 400.',
    after('parameters.refusedNames', (usual, _names, _operation, { method, chunked, contentLength }) =>
      method === 'GET' && (chunked || (contentLength ?? 0) > 0) ? ['a body'] : usual,
    ),
  ],
  'private-cloud': [
    'A tenant on a private cloud, with its own maxima.',
    (rules) => rules,
    { cloud: 'private' },
  ],
  'private-cloud-take-100': [
    'On a private cloud take may be up to 100.',
    compose(
      experiments.integer('take').ignoresMaximum((take) => take <= 100),
      experiments.replace('paging.maximum', () => 100),
    ),
    { cloud: 'private' },
  ],
  'private-cloud-defaults-of-50': [
    'On a private cloud both default page sizes are half its maximum.',
    compose(
      after('parameters.absent', (usual, { name }) => (['take', 'per_page'].includes(name) ? 50 : usual)),
      around('paging.size', (usual, requested, pagination, call) => requested ?? usual(50, pagination, call)),
    ),
    { cloud: 'private' },
  ],
  // Readings of the phone templates that the specification does not settle.
  'other-braces-refused': [
    'A template may use the two variables of section 2.1, and no other braces.',
    everywhere.rejectsTemplate((text) =>
      /[{}]/.test(text.replace(/\{\{ *(code|tenant\.friendly_name) *\}\}/g, '')),
    ),
  ],
  'empty-messages-refused': [
    'An empty message is invalid.',
    everywhere.rejectsTemplate((text) => text === ''),
  ],
  'second-field-first': [
    'Where both templates are invalid, the message names verification_message.',
    replace('templates.checked', (fields) => fields.toReversed()),
  ],
  'media-type-ignored': [
    'A body of any media type other than a form is read as JSON.',
    around(
      'body.mediaType',
      (usual, sent, operation, call) =>
        usual(sent, operation, call) ?? usual('application/json', operation, call),
    ),
    { warns: ['4.1/media-type'] },
  ],
  // The payload limit (sections 1 and 8).
  'payload-of-10-to-the-6': ['A megabyte is 1,000,000 bytes.', everywhere.payloadLimit(1_000_000)],
  'payload-closes': [
    'A body over the limit ends the connection without a response.',
    onWire(({ status }) => (status === 413 ? { abort: true } : {})),
  ],
  'payload-answered-and-not-read': [
    'A body over the limit is not read any further.',
    replace('payload.drained', () => 0),
  ],
  'payload-counted': ['A declared length is ignored.', replace('payload.trustsDeclared', () => false)],
});
