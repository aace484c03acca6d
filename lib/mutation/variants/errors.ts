import type { Refusal } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { compose } from '../builders/builder.ts';
import { after, around, before, everywhere, on, replace } from '../builders/on.ts';
import { onWire, variants } from './variant.ts';

/** Error responses of operations with this text as their body; undefined for none. */
const text = (type: string, body: (refusal: Refusal) => string | undefined): RulesOverride =>
  compose(
    replace('responses.error', body),
    around('responses.serialized', (usual, value, call) =>
      typeof value === 'string' ? value : usual(value, call),
    ),
    on(({ operation }) => operation !== undefined).mediaType(type, ({ status }) => status >= 400),
  );

/** Refusals with one of these codes get another status. */
const status = (to: number, ...codes: readonly string[]): RulesOverride =>
  everywhere.refusalStatus(to, new RegExp(`^(${codes.join('|')})$`));

const unknownData = ['inexistent_policy', 'inexistent_action', 'inexistent_profile'];

/** Error responses. */
export const errorVariants = variants({
  // Bodies of error responses (section 7: not shown).
  'errors-as-text-with-more-lines': text(
    'text/plain',
    ({ status, message }) => `Error ${status}\r\n\r\n${message}\r\nRequest id: 7f3c\r\n`,
  ),
  'errors-without-body': text('application/json', ({ code, message }) =>
    code === 'invalid_template' ? JSON.stringify({ message }) : undefined,
  ),
  'errors-in-latin-1': compose(
    text('text/plain; charset=iso-8859-1', ({ message }) => `Ungültig: ß\n${message}`),
    onWire(({ status, parts }) =>
      status < 400 ? {} : { parts: parts.map((part) => Buffer.from(String(part), 'latin1')) },
    ),
  ),
  'errors-without-challenge': replace('responses.refusal', ({ headers: _headers, ...refusal }) => refusal),
  'errors-in-the-envelope-of-a-success': replace('responses.error', ({ message }) => ({
    experiments: [],
    versions: [],
    next: '',
    errors: [message],
  })),
  'template-details-in-japanese': after(
    'templates.problem',
    (problem) => problem && '閉じられていないタグがあります',
  ),
  // Error statuses that the specification does not settle (sections 4.3 to 4.5, 5 and 7).
  'unknown-policy-204': before('responses.response', (answer, call) =>
    answer.status === 404 && call.operation?.method === 'DELETE'
      ? { status: 204, headers: [], body: undefined }
      : answer,
  ),
  'unknown-data-400': status(400, ...unknownData),
  'unknown-data-403': status(403, ...unknownData),
  'unknown-action-empty': after(
    'versions.found',
    (found, _actions, id) => found ?? { action: { id }, versions: [] },
  ),
  'invalid-path-404': status(404, 'invalid_uri'),
  'invalid-path-redirected': status(302, 'invalid_uri'),
  'malformed-token-400': status(400, 'malformed_token'),
  'missing-token-403': [
    status(403, 'missing_token'),
    '5.1/no-header-401',
    '5.1/other-scheme-401',
    // A header `Bearer` without a token.
    '5.2/garbage-401',
  ],
  'missing-token-400': [status(400, 'missing_token'), '5.1/no-header-401'],
  'payload-400': status(400, 'payload_too_large'),
  // As a gateway answers if the service closes the connection.
  'payload-502': status(502, 'payload_too_large'),
});
