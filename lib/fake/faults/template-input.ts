import type { SchemaError } from '../../contract/schema.ts';
import type { Call } from '../call.ts';
import type { Fault } from '../fault.ts';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import { type BodyRules, override } from '../rules.ts';
import { asForm, asJson, onPut, type Where } from './where.ts';

/** Sections 2.1 and 4.1: what an update may be made of. */

const defaults = { enrollment_message: '{{code}}', verification_message: '{{code}}' };

/** Changes how the update's body is read. */
const reads = (
  name: string,
  breaks: string,
  says: string,
  change: (usual: BodyRules) => Partial<BodyRules>,
): Fault => ({ name, breaks, says, rules: (rules) => override(rules, 'body', change) });

/** Changes the value of the body before it is judged. */
const takes = (
  name: string,
  breaks: string,
  says: string,
  where: Where,
  change: (value: unknown) => unknown,
): Fault =>
  reads(name, breaks, says, (usual) => ({
    value(value, mediaType, call) {
      const given = usual.value(value, mediaType, call);
      return onPut(call) && where(call) ? change(given) : given;
    },
  }));

/** Changes one field before it is judged. */
const takesField = (field: string, name: string, says: string, change: (value: unknown) => unknown): Fault =>
  takes(
    name,
    `4.1/${field === 'enrollment_message' ? 'enrollment' : 'verification'}-type`,
    says,
    asJson,
    (value) => (isObject(value) && field in value ? { ...value, [field]: change(value[field]) } : value),
  );

/** Fills in what is missing. */
const fills = (name: string, breaks: string, says: string, where: Where, missing: JsonObject): Fault =>
  takes(name, breaks, says, where, (value) =>
    isObject(value) && Object.keys(value).length > 0 ? { ...missing, ...value } : value,
  );

/** Fields beside the two that are dropped before the body is judged. */
const drops = (
  name: string,
  breaks: string,
  says: string,
  where: Where,
  dropped: (name: string, value: unknown) => boolean,
): Fault =>
  takes(name, breaks, says, where, (value) =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).filter(([each, field]) => each in defaults || !dropped(each, field)),
        )
      : value,
  );

/** Reads what is no JSON as the JSON that it may have been meant to be. */
const repairs = (name: string, says: string, repair: (text: string) => string): Fault =>
  reads(name, '4.1/body-malformed', says, (usual) => ({
    parsed: (text, mediaType, call) =>
      usual.parsed(text, mediaType, call) ?? (asJson(call) ? parseJson(repair(text)) : undefined),
  }));

/** A refusal of the body has another status where this holds. */
const refusedWith = (name: string, breaks: string, says: string, status: number, told: RegExp): Fault => ({
  name,
  breaks,
  says,
  rules: (rules) =>
    override(rules, 'answers', (usual) => ({
      refusal(refusal, call) {
        const given = usual.refusal(refusal, call);
        return onPut(call) && asJson(call) && given.status === 400 && told.test(given.message)
          ? { ...given, status }
          : given;
      },
    })),
});

/** Takes other media types for JSON. */
const mediaTypes = (name: string, says: string, taken: (sent: string) => boolean): Fault =>
  reads(name, '4.1/media-type', says, (usual) => ({
    mediaType: (sent, operation, call) =>
      usual.mediaType(sent, operation, call) ??
      (taken(sent ?? '')
        ? operation.body?.content.find(({ mediaType }) => mediaType === 'application/json')
        : undefined),
  }));

const without = (keyword: string) => (found: readonly SchemaError[]) =>
  found.filter((error) => error.keyword !== keyword);

/** An empty body is read as this text. */
const emptyBody = (name: string, says: string, text: string): Fault => ({
  name,
  breaks: '4.1/body-required',
  says,
  rules: (rules) =>
    override(rules, 'payload', (usual) => ({
      received(body, call: Call) {
        const given = usual.received(body, call);
        return onPut(call) && asJson(call) && !given.tooLarge && given.bytes.length === 0
          ? { ...given, bytes: new TextEncoder().encode(text) }
          : given;
      },
    })),
});

const additional: readonly Fault[] = [
  drops(
    'additional-fields-dropped',
    '2.1/additional-field',
    'Fields that the update does not have are left out silently.',
    asJson,
    () => true,
  ),
  drops(
    'additional-null-dropped',
    '2.1/additional-field',
    'Additional fields of null are left out silently.',
    asJson,
    (_name, value) => value === null,
  ),
  drops(
    'additional-numbers-dropped',
    '2.1/additional-field',
    'Additional fields of another type than string are left out silently.',
    asJson,
    (_name, value) => typeof value === 'number',
  ),
  drops(
    'field-names-in-any-case',
    '2.1/additional-field',
    'A field in another case counts as the field itself.',
    asJson,
    (name) => name.toLowerCase() in defaults,
  ),
  drops(
    'inherited-names-dropped',
    '2.1/additional-field',
    'A field that every object inherits is not seen.',
    asJson,
    (name) => name in {},
  ),
  drops(
    'empty-name-dropped',
    '2.1/additional-field',
    'A field with an empty name is not seen.',
    asJson,
    (name) => name === '',
  ),
  reads(
    'additional-properties-allowed',
    '2.1/additional-field',
    'The schema of JSON allows additional properties.',
    (usual) => ({
      violations: (found, value, call) =>
        usual.violations(asJson(call) ? without('additionalProperties')(found) : found, value, call),
    }),
  ),
  drops(
    'form-fields-dropped',
    '2.1/additional-field-form',
    'Fields of a form that the update does not have are left out silently.',
    asForm,
    () => true,
  ),
  drops(
    'form-names-in-any-case',
    '2.1/additional-field-form',
    'A field of a form in another case counts as the field itself.',
    asForm,
    (name) => name.toLowerCase() in defaults,
  ),
  drops(
    'form-short-names-dropped',
    '2.1/additional-field-form',
    'A form may carry what a client library adds, such as code.',
    asForm,
    (name) => name === 'code',
  ),
];

const required: readonly Fault[] = [
  fills(
    'enrollment-defaulted',
    '4.1/enrollment-required',
    'A missing enrollment_message is the default one.',
    asJson,
    { enrollment_message: defaults.enrollment_message },
  ),
  fills(
    'verification-defaulted',
    '4.1/verification-required',
    'A missing verification_message is the default one.',
    asJson,
    { verification_message: defaults.verification_message },
  ),
  takes(
    'verification-from-enrollment',
    '4.1/verification-required',
    'A missing verification_message is the enrollment_message.',
    asJson,
    (value) =>
      isObject(value) && value.enrollment_message !== undefined
        ? { verification_message: value.enrollment_message, ...value }
        : value,
  ),
  fills('form-defaulted', '4.1/form-required', 'What a form lacks is the default message.', asForm, defaults),
  fills(
    'form-verification-defaulted',
    '4.1/form-required',
    'The second field of a form may be missing.',
    asForm,
    { verification_message: '' },
  ),
  refusedWith(
    'missing-field-422',
    '4.1/enrollment-required',
    'A missing enrollment_message is answered 422.',
    422,
    /required property 'enrollment_message'/,
  ),
  refusedWith(
    'missing-verification-500',
    '4.1/verification-required',
    'A missing verification_message is answered 500.',
    500,
    /required property 'verification_message'/,
  ),
];

const isPrimitive = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean';

const types: readonly Fault[] = [
  takesField(
    'enrollment_message',
    'enrollment-null-to-text',
    'null becomes the text null in enrollment_message.',
    (value) => (value === null ? 'null' : value),
  ),
  takesField(
    'enrollment_message',
    'enrollment-null-to-empty',
    'null becomes an empty enrollment_message.',
    (value) => value ?? '',
  ),
  takesField(
    'enrollment_message',
    'enrollment-coerced',
    'Numbers and booleans become the text of enrollment_message.',
    (value) => (isPrimitive(value) ? String(value) : value),
  ),
  takesField(
    'enrollment_message',
    'enrollment-falsy-defaulted',
    'A falsy enrollment_message counts as absent and defaults.',
    (value) => value || 'x',
  ),
  takesField(
    'enrollment_message',
    'enrollment-array-of-one',
    'An array of one string is taken for enrollment_message.',
    (value) => (Array.isArray(value) && value.length === 1 ? String(value[0]) : value),
  ),
  takesField(
    'verification_message',
    'verification-coerced',
    'Numbers and booleans become the text of verification_message.',
    (value) => (isPrimitive(value) ? String(value) : value),
  ),
  takesField(
    'verification_message',
    'verification-null-to-text',
    'null becomes the text null in verification_message.',
    (value) => (value === null ? 'null' : value),
  ),
  takesField(
    'verification_message',
    'verification-object-to-text',
    'An object becomes a text in verification_message.',
    (value) => (isObject(value) ? JSON.stringify(value) : value),
  ),
  takesField(
    'verification_message',
    'verification-array-joined',
    'An array is joined to a verification_message.',
    (value) => (Array.isArray(value) ? value.join() : value),
  ),
  takesField(
    'verification_message',
    'verification-zero',
    'A verification_message of 0 becomes a text.',
    (value) => (value === 0 ? '0' : value),
  ),
  refusedWith(
    'wrong-type-422',
    '4.1/enrollment-type',
    'A message that is no string is answered 422.',
    422,
    /enrollment_message must be string/,
  ),
];

const bodies: readonly Fault[] = [
  emptyBody('empty-body-defaults', 'An empty body sets the default messages.', JSON.stringify(defaults)),
  refusedWith(
    'empty-body-411',
    '4.1/body-required',
    'An empty body is answered 411.',
    411,
    /body: it is missing/,
  ),
  refusedWith(
    'empty-body-500',
    '4.1/body-required',
    'An empty body is answered 500.',
    500,
    /body: it is missing/,
  ),

  repairs('json-trailing-comma', 'A comma before the closing brace is taken.', (text) =>
    text.replace(/,(\s*[}\]])/g, '$1'),
  ),
  repairs('json-single-quotes', 'JSON may have single quotes.', (text) => text.replaceAll("'", '"')),
  repairs('json-unclosed', 'A missing closing brace is put in.', (text) => `${text}}`),
  repairs('json-trailing-text', 'What follows the JSON value is not read.', (text) =>
    text.slice(0, text.lastIndexOf('}') + 1),
  ),
  refusedWith(
    'malformed-422',
    '4.1/body-malformed',
    'A body that is no JSON is answered 422.',
    422,
    /it is not application\/json/,
  ),
  refusedWith(
    'malformed-500',
    '4.1/body-malformed',
    'A body that is no JSON is answered 500.',
    500,
    /it is not application\/json/,
  ),
  repairs('malformed-as-defaults', 'A body that is only words is taken for no change.', (text) =>
    /^\w+$/.test(text) ? JSON.stringify(defaults) : text,
  ),

  takes(
    'array-of-one-update',
    '4.1/body-object',
    'An array with one update in it is taken for the update.',
    asJson,
    (value) => (Array.isArray(value) && value.length === 1 ? value[0] : value),
  ),
  takes(
    'empty-array-is-object',
    '4.1/body-object',
    'An empty array is an empty object, and that changes nothing.',
    asJson,
    (value) => (Array.isArray(value) && value.length === 0 ? defaults : value),
  ),
  takes('null-changes-nothing', '4.1/body-object', 'A body of null changes nothing.', asJson, (value) =>
    value === null ? defaults : value,
  ),
  takes(
    'empty-object-changes-nothing',
    '4.1/body-object',
    'An empty object changes nothing.',
    asJson,
    (value) => (isObject(value) && Object.keys(value).length === 0 ? defaults : value),
  ),
  takes('text-for-both', '4.1/body-object', 'A string is taken for both messages.', asJson, (value) =>
    typeof value === 'string' ? { enrollment_message: value, verification_message: value } : value,
  ),
  takes(
    'primitive-changes-nothing',
    '4.1/body-object',
    'A number or true has no fields, and so nothing is checked.',
    asJson,
    (value) => (isPrimitive(value) ? defaults : value),
  ),

  mediaTypes('any-media-type', 'A body of any media type is read as JSON.', () => true),
  mediaTypes('text-plain-as-json', 'text/plain is read as JSON.', (sent) => sent === 'text/plain'),
  mediaTypes(
    'binary-as-json',
    'application/octet-stream is read as JSON.',
    (sent) => sent === 'application/octet-stream',
  ),
  mediaTypes('multipart-as-json', 'A multipart body is handed on as it is.', (sent) =>
    sent.startsWith('multipart/'),
  ),
];

/** Faults of sections 2.1 and 4.1 about the input. */
export const templateInputFaults: readonly Fault[] = [...additional, ...required, ...types, ...bodies];
