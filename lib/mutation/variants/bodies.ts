import { isObject, parseJson } from '../../contract/json.ts';
import { refuse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { deletion, everywhere } from '../builders/on.ts';
import { isForm, isJson } from '../builders/predicates.ts';
import { toNfc, trim } from '../builders/values.ts';
import { after, around } from '../rule-overrides.ts';
import { variants } from './variant.ts';

/** Messages that break the schema are refused for that, whatever they are as templates. */
const breaksSchema = (isRefused: (text: string) => boolean): RulesOverride =>
  after('templates.problem', (usual, field, text) =>
    isRefused(text) ? refuse(400, 'invalid_body', `Invalid type for ${field}`) : usual,
  );

const strict = { warns: ['4.1/any-text-accepted', '4.1/any-text-accepted-form'] };
const changed = { warns: ['4.1/any-text-is-held', '4.1/answer-echoes', '4.1/answer-echoes-form'] };

/** How frameworks read the body of an update, and what they refuse in it. */
export const bodyVariants = variants({
  'code-required': [
    'A message must contain {{code}}.',
    everywhere.rejectsTemplate((text) => !/\{\{ *code *\}\}/.test(text)),
    strict,
  ],
  'blanks-in-braces-refused': [
    'A variable has no spaces inside its braces.',
    everywhere.rejectsTemplate((text) => /\{\{\s|\s\}\}/.test(text)),
    strict,
  ],
  'control-characters-refused': [
    'A message contains no control characters.',
    breaksSchema((text) => /\p{Cc}/u.test(text)),
    strict,
  ],
  'emoji-refused': [
    'A message contains characters of the BMP only.',
    breaksSchema((text) => /[\u{10000}-\u{10ffff}]/u.test(text)),
    strict,
  ],
  'messages-of-300-characters': [
    'A message has at most 300 characters.',
    breaksSchema((text) => text.length > 300),
    strict,
  ],
  'messages-trimmed': ['Messages are trimmed before they are stored.', everywhere.storesEach(trim), changed],
  'messages-normalized': [
    'Messages are stored in Unicode normalization form C.',
    everywhere.storesEach(toNfc),
    changed,
  ],
  'charsets-refused': [
    'A body with a charset is refused with 415.',
    around('body.mediaType', (usual, sent, operation, call) =>
      /; *charset/i.test(call.headers['content-type'] ?? '')
        ? refuse(415, 'unsupported_media_type', 'Unsupported media type')
        : usual(sent, operation, call),
    ),
    { warns: ['4.1/charset-accepted'] },
  ],
  'malformed-422': [
    'What is not JSON is refused with 422.',
    after('body.parsed', (value) =>
      value === undefined ? refuse(422, 'malformed', 'The body cannot be read') : value,
    ),
    { warns: ['4.1/body-malformed-400', '4.1/body-required-400'] },
  ],
  'json-comments-ignored': [
    'Comments in JSON are ignored (RFC 8259, section 9).',
    after('body.parsed', (value, text) => value ?? parseJson(text.replace(/\/\*.*?\*\//gs, ''))),
    { warns: ['4.1/body-json-extensions'] },
  ],
  'text-after-json-ignored': [
    'A decoder of streams stops after the first JSON value.',
    after('body.parsed', (value, text) => value ?? parseJson(text.slice(0, text.lastIndexOf('}') + 1))),
    { warns: ['4.1/body-trailing-text'] },
  ],
  'chunks-refused': [
    'A body without Content-Length is refused with 411.',
    around('body.mediaType', (usual, sent, operation, call) =>
      call.chunked ? refuse(411, 'length_required', 'Length required') : usual(sent, operation, call),
    ),
    { warns: ['8/payload-accepted-chunked'] },
  ],
  'forms-of-100-kb': [
    'A form has at most 100 kilobytes, as by default in Express.',
    everywhere.when(isForm).payloadLimit(100 * 1024),
    { warns: ['8/payload-accepted-form'] },
  ],
  'names-in-any-case': [
    'Names of JSON members are read in any case, as by the decoder of Go.',
    everywhere
      .when(isJson)
      .coercesBody((body) =>
        isObject(body)
          ? Object.fromEntries(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]))
          : body,
      ),
    { warns: ['2.1/field-name-case'] },
  ],
  'deletions-ignore-bodies': [
    'The body of a deletion is never read.',
    deletion.payloadLimit(Number.POSITIVE_INFINITY),
    { warns: ['8/payload-delete'] },
  ],
});
