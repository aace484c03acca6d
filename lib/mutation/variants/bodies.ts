import { isObject } from '../../contract/json.ts';
import { refuse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { Variant } from '../fault.ts';
import { after, around, before } from '../rule-overrides.ts';
import { alsoInvalid, variants } from './variant.ts';

/** Messages are changed before they are stored. */
const stored = (transform: (text: string) => string): RulesOverride =>
  after('templates.stored', (messages) =>
    Object.fromEntries(Object.entries(messages).map(([name, text]) => [name, transform(text)])),
  );
const strict = { warns: ['4.1/any-text-accepted', '4.1/any-text-accepted-form'] };
const changed = { warns: ['4.1/any-text-is-held', '4.1/answer-echoes', '4.1/answer-echoes-form'] };

const templates = variants({
  'code-required': [
    'A message must contain {{code}}.',
    alsoInvalid((text) => !/\{\{ *code *\}\}/.test(text) && 'the code is missing'),
    strict,
  ],
  'blanks-in-braces-refused': [
    'A variable has no spaces inside its braces.',
    alsoInvalid((text) => /\{\{\s|\s\}\}/.test(text) && 'unexpected space'),
    strict,
  ],
  'control-characters-refused': [
    'A message contains no control characters.',
    alsoInvalid((text) => /\p{Cc}/u.test(text) && 'control character'),
    strict,
  ],
  'emoji-refused': [
    'A message contains characters of the BMP only.',
    alsoInvalid((text) => /[\u{10000}-\u{10ffff}]/u.test(text) && 'unsupported character'),
    strict,
  ],
  'messages-of-300-characters': [
    'A message has at most 300 characters.',
    alsoInvalid((text) => text.length > 300 && 'too long'),
    strict,
  ],
  'one-line-messages': [
    'A message is a single line.',
    alsoInvalid((text) => /[\r\n]/.test(text) && 'more than one line'),
    strict,
  ],
  'messages-trimmed': [
    'Messages are trimmed before they are stored.',
    stored((text) => text.trim()),
    changed,
  ],
  'messages-normalized': [
    'Messages are stored in Unicode normalization form C.',
    stored((text) => text.normalize('NFC')),
    changed,
  ],
});

const bodies = variants({
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
  'text-after-json-ignored': [
    'A decoder of streams stops after the first JSON value.',
    around('body.parsed', (usual, text, mediaType, call) => {
      const end = /^\s*\{[^{}]*(\{\{[^{}]*\}\}[^{}]*)*\}/.exec(text)?.[0];
      return usual(text, mediaType, call) ?? (end === undefined ? undefined : usual(end, mediaType, call));
    }),
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
    after('payload.limit', (usual, { mediaType }) =>
      mediaType === 'application/x-www-form-urlencoded' ? 100 * 1024 : usual,
    ),
    { warns: ['8/payload-accepted-form'] },
  ],
  'names-in-any-case': [
    'Names of JSON members are read in any case, as by the decoder of Go.',
    before('body.value', (value, mediaType) =>
      isObject(value) && mediaType === 'application/json'
        ? Object.fromEntries(
            Object.entries(value).map(([name, inner]) => [
              /^(enrollment|verification)_message$/i.test(name) ? name.toLowerCase() : name,
              inner,
            ]),
          )
        : value,
    ),
    { warns: ['2.1/field-name-case'] },
  ],
  'deletions-ignore-bodies': [
    'The body of a deletion is never read.',
    after('payload.limit', (usual, { method }) => (method === 'DELETE' ? Number.MAX_SAFE_INTEGER : usual)),
    { warns: ['8/payload-delete'] },
  ],
});

/** How frameworks read the body of an update, and what they refuse in it. */
export const bodyVariants: readonly Variant[] = [...templates, ...bodies];
