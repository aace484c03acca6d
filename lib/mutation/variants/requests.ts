import { isObject } from '../../contract/json.ts';
import { refuse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { compose } from '../builders/builder.ts';
import {
  after,
  around,
  checkedBy,
  customText,
  deletion,
  everywhere,
  experiments,
  observe,
  overlapping,
  remembering,
  replace,
  update,
} from '../builders/on.ts';
import { isForm, query } from '../builders/predicates.ts';
import { onWire, variants } from './variant.ts';

/** Refuses a correlation ID that another request had, as far as the logs keep it: it is unique for one operation (section 5). */
const repeatedIdsRefused = remembering((known) =>
  observe('token.sent', (_token, { headers }) => {
    const { 'x-correlation-id': sent = '' } = headers;
    const id = String(sent).slice(0, 64);
    if (known.has(id)) refuse(409, 'repeated_correlation_id', 'The correlation ID is not unique');
    if (id !== '') known.add(id);
  }),
);

/** Refuse a change that is received while another one is under way, as databases do that lock optimistically. */
const overlappingUpdatesRefused = overlapping(update, (isLate) =>
  update.after('templates.checked', (fields, _fields, call) =>
    isLate(call) ? refuse(409, 'conflict', 'Another update is under way') : fields,
  ),
);
const overlappingDeletionsRefused = overlapping(deletion, (isLate) =>
  deletion.after('policies.found', (found, _policies, _id, call) =>
    isLate(call) ? refuse(409, 'conflict', 'Another deletion is under way') : found,
  ),
);

/** Refuses more than 4,096 characters of header fields and target. */
const longHeadersRefused = (status: number): RulesOverride =>
  after('token.sent', (token, { headers, target }) =>
    JSON.stringify(headers).length + target.length > 4_096
      ? refuse(status, 'header_fields_too_large', 'Too big request header')
      : token,
  );

/**
 * Refuses more than 4,096 characters of the Authorization field, as Cowboy does: up to 5,000 only if it has not read the end of the
 * field yet, which depends on what precedes it.
 */
const longAuthorizationRefused: RulesOverride = after('token.sent', (token, { headers }) => {
  const { length } = headers.authorization ?? '';
  return length > 5_000 || (length > 4_096 && headers['x-request-id'] === undefined)
    ? refuse(431, 'header_field_too_large', 'Too big request header')
    : token;
});

/** How requests are read and checked. */
export const requestVariants = variants({
  // Orders of the checks when several refusals apply (section 7: not shown).
  'input-before-token': checkedBy(
    'rate',
    'payload',
    'parameters',
    'exists',
    'mediaType',
    'body',
    'token',
    'scopes',
  ),
  'payload-after-token': checkedBy('rate', 'token', 'scopes', 'payload', 'parameters', 'mediaType', 'body'),
  // Readings of parameters that the specification does not settle.
  'unknown-parameters-refused': replace('parameters.refusedNames', (names) => names),
  'first-of-repeated': replace('parameters.repeated', ([first]) => first),
  'empty-is-absent': [
    replace('parameters.empty', () => 'absent' as const),
    '4.2/take-empty',
    '4.4/page-empty',
  ],
  'empty-is-text': replace('parameters.empty', () => 'text' as const),
  // The defaults of fasthttp, and of uWSGI behind nginx.
  'header-fields-of-4-kb': longHeadersRefused(431),
  'header-fields-of-4-kb-behind-a-gateway': longHeadersRefused(502),
  'authorization-of-4-kb': longAuthorizationRefused,
  'request-ids-are-uuids': after('token.sent', (token, { headers }) =>
    /^([\da-f-]{36}|)$/i.test(String(headers['x-request-id'] ?? ''))
      ? token
      : refuse(400, 'invalid_request_id', 'X-Request-ID is not a UUID'),
  ),
  'overlapping-updates-refused': overlappingUpdatesRefused,
  'overlapping-deletions-refused': overlappingDeletionsRefused,
  'repeated-correlation-ids-refused': repeatedIdsRefused,
  'body-on-get-refused': after(
    'parameters.refusedNames',
    (usual, _names, _operation, { method, chunked, contentLength }) =>
      method === 'GET' && (chunked || (contentLength ?? 0) > 0) ? ['a body'] : usual,
  ),
  'long-filters-refused': [
    compose(
      ...['authentication_flow', 'feature_flag_id'].map((name) =>
        experiments.param(name).rejects((value) => value.length > 64),
      ),
    ),
    '4.2/filter-any-text',
  ],
  // Frameworks compute the offset in the integers of their database.
  'pages-beyond-63-bits-break': [
    everywhere.response((usual, call) =>
      Number(query(call, 'page')) >= 2 ** 63 ? { ...usual, status: 500, body: {} } : usual,
    ),
    '7/no-server-error',
  ],
  // Readings of the phone templates that the specification does not settle.
  'other-braces-refused': everywhere.rejectsTemplate((text) =>
    /[{}]/.test(text.replace(/\{\{ *(code|tenant\.friendly_name) *\}\}/g, '')),
  ),
  // A backslash escapes braces in Handlebars.
  'escaped-braces-are-text': around('templates.problem', (usual, field, text, call) =>
    usual(field, text.replace(/\\\{\{/g, ''), call),
  ),
  'empty-messages-refused': everywhere.rejectsTemplate((text) => text === ''),
  'second-field-first': replace('templates.checked', (fields) => fields.toReversed()),
  'media-type-ignored': [
    around(
      'body.mediaType',
      (usual, sent, operation, call) =>
        usual(sent, operation, call) ?? usual('application/json', operation, call),
    ),
    '4.1/media-type',
  ],
  'ids-in-any-case': [
    after(
      'policies.found',
      (found, policies, text) =>
        found ?? [...policies.values()].find(({ id }) => id.toLowerCase() === text.toLowerCase()),
    ),
    '4.3/id-case',
  ],
  'empty-form-is-411': update
    .when(isForm, ({ contentLength }) => contentLength === 0)
    .refusalStatus(411, /^invalid_body$/),
  // As PHP reads forms and decodes the claims of a token.
  'form-fields-with-brackets': [
    update
      .when(isForm)
      .coercesBody((body) =>
        isObject(body)
          ? Object.fromEntries(Object.entries(body).map(([name, text]) => [name.replace('[]', ''), text]))
          : body,
      ),
    '2.1/field-name-case',
  ],
  'verbs-in-an-object': everywhere.permitsClaim((claim, { resource, verb }) => {
    const entry = isObject(claim) && claim[resource];
    return isObject(entry) && isObject(entry.actions) && Object.values(entry.actions).includes(verb);
  }),
  // The default of Rails.
  'paths-with-a-format': customText.param('page').coerces((value) => value.replace(/\.json$/, '')),
  // The payload limit (sections 1 and 8).
  'payload-of-10-to-the-6': everywhere.payloadLimit(1_000_000),
  'payload-closes': onWire(({ status }) => (status === 413 ? { abort: true } : {})),
  'payload-answered-and-not-read': replace('payload.drained', () => 0),
  'payload-counted': replace('payload.trustsDeclared', () => false),
});

/** Tenants on a private cloud, as they are and with other page sizes (section 8). */
export const privateCloudVariants = variants(
  {
    'private-cloud-take-100': compose(
      experiments.integer('take').ignoresMaximum((take) => take <= 100),
      experiments.replace('paging.maximum', () => 100),
    ),
    'private-cloud-defaults-of-50': compose(
      after('parameters.absent', (usual, { name }) => (['take', 'per_page'].includes(name) ? 50 : usual)),
      around('paging.size', (usual, requested, pagination, call) => requested ?? usual(50, pagination, call)),
    ),
  },
  'private',
);
