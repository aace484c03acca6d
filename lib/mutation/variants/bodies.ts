import { isObject, mapValues, parseJson } from '../../contract/json.ts';
import { refuse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { compose } from '../builders/builder.ts';
import { after, around, deletion, everywhere, replace, update } from '../builders/on.ts';
import { isForm, isJson } from '../builders/predicates.ts';
import { toNfc, trim, without } from '../builders/values.ts';
import { variants } from './variant.ts';

/** The body with each member renamed. */
const renamed =
  (rename: (name: string) => string) =>
  (body: unknown): unknown =>
    isObject(body)
      ? Object.fromEntries(Object.entries(body).map(([name, value]) => [rename(name), value]))
      : body;

/** Refuses messages as violations of the schema, not as invalid templates. */
const breaksSchema = (isRefused: (text: string) => boolean): RulesOverride =>
  after('templates.problem', (usual, field, text) =>
    isRefused(text) ? refuse(400, 'invalid_body', `Invalid type for ${field}`) : usual,
  );

const strict = ['4.1/any-text-accepted', '4.1/any-text-accepted-form'];
const changed = ['4.1/any-text-is-stored', '4.1/answer-echoes', '4.1/answer-echoes-form'];

/** How frameworks read the body of an update, and what they refuse in it. */
export const bodyVariants = variants({
  'code-required': [everywhere.rejectsTemplate((text) => !/\{\{ *code *\}\}/.test(text)), ...strict],
  'blanks-in-braces-refused': [everywhere.rejectsTemplate((text) => /\{\{\s|\s\}\}/.test(text)), ...strict],
  'control-characters-refused': [breaksSchema((text) => /\p{Cc}/u.test(text)), ...strict],
  'emoji-refused': [breaksSchema((text) => /[\u{10000}-\u{10ffff}]/u.test(text)), ...strict],
  'messages-of-300-characters': [breaksSchema((text) => text.length > 300), ...strict],
  'messages-trimmed': [everywhere.storesEach(trim), ...changed],
  'empty-texts-are-null': everywhere.coercesBody((body) =>
    isObject(body) ? mapValues(body, (value) => (value === '' ? null : value)) : body,
  ),
  // As secure-json-parse and destr do.
  'prototype-member-dropped': [
    everywhere.coercesBody((body) => (isObject(body) ? without(body, '__proto__') : body)),
    '2.1/additional-field-prototype',
  ],
  'messages-normalized': [everywhere.storesEach(toNfc), ...changed],
  'charsets-refused': [
    around('body.mediaType', (usual, sent, operation, call) =>
      /; *charset/i.test(call.headers['content-type'] ?? '')
        ? refuse(415, 'unsupported_media_type', 'Unsupported media type')
        : usual(sent, operation, call),
    ),
    '4.1/charset-accepted',
  ],
  'missing-media-type-415': update.response((usual, { headers }) =>
    usual.status === 400 && headers['content-type'] === undefined ? { ...usual, status: 415 } : usual,
  ),
  'malformed-422': [
    after('body.parsed', (value) =>
      value === undefined ? refuse(422, 'malformed', 'The body cannot be read') : value,
    ),
    '4.1/body-malformed-400',
    '4.1/body-required-400',
  ],
  // A parser may accept extensions (RFC 8259, section 9).
  'json-comments-ignored': after(
    'body.parsed',
    (value, text) => value ?? parseJson(text.replace(/\/\*.*?\*\//gs, '')),
  ),
  'text-after-json-ignored': [
    after('body.parsed', (value, text) => value ?? parseJson(text.slice(0, text.lastIndexOf('}') + 1))),
    '4.1/body-trailing-text',
  ],
  // As servers that follow WSGI do.
  'chunked-bodies-unread': around('payload.received', (usual, body, call) =>
    call.chunked ? { bytes: new Uint8Array(), tooLarge: false } : usual(body, call),
  ),
  // Without chunks, a request with an unknown parameter may have no other unusual class.
  'chunks-and-unknown-parameters-refused': compose(
    around('body.mediaType', (usual, sent, operation, call) =>
      call.chunked ? refuse(411, 'length_required', 'Length required') : usual(sent, operation, call),
    ),
    replace('parameters.refusedNames', (names) => names),
  ),
  // The default of Express.
  'forms-of-100-kb': [everywhere.when(isForm).payloadLimit(100 * 1024), '8/payload-accepted-form'],
  // As the decoder of Go reads them.
  'names-in-any-case': [
    everywhere.when(isJson).coercesBody(renamed((name) => name.toLowerCase())),
    '2.1/field-name-case',
  ],
  // As a mapper with an alias for each name reads them.
  'names-in-camel-case-too': [
    everywhere.when(isJson).coercesBody(renamed((name) => name.replace(/M(?=essage$)/, '_m'))),
    '2.1/field-name-case',
  ],
  // As PHP reads the names of form fields.
  'form-names-with-underscores': [
    everywhere.when(isForm).coercesBody(renamed((name) => name.replace(/[. ]/g, '_'))),
    '2.1/field-name-case',
  ],
  'deletions-ignore-bodies': [deletion.payloadLimit(Number.POSITIVE_INFINITY), '8/payload-delete'],
});
