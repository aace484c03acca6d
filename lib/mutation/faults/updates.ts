import { isObject, type JsonObject, mapValues, parseJson } from '../../contract/json.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { PhoneTemplates } from '../../fake/tenant.ts';
import { type Builder, compose } from '../builders/builder.ts';
import { overlapping, stateful, update } from '../builders/on.ts';
import { isForm, isJson, query } from '../builders/predicates.ts';
import {
  blankToPlus,
  bmpOnly,
  crlfToLf,
  escapeHtml,
  misreadAsLatin1,
  plusToBlank,
  transformAt,
  without,
} from '../builders/values.ts';
import { type Fault, faultsOf } from '../fault.ts';

const json = update.when(isJson);
const form = update.when(isForm);
/** Updates with neither a body nor a media type. */
const bare = update.when(
  ({ mediaType, contentLength = 0 }) => mediaType === undefined && contentLength === 0,
);
const [enrollment, verification] = ['enrollment_message', 'verification_message'] as const;
/** A template whose error details contain it. */
const unclosed = '{{both';
/** Messages that replace missing ones. */
const defaults: JsonObject = { [enrollment]: '{{code}}', [verification]: '{{code}}' };

/** True if both messages end with an unclosed opening. */
const areBothUnclosed = (body: unknown): boolean =>
  isObject(body) && Object.values(body).every((text) => /\{\{[^}]*$/.test(String(text)));

/** Stores an update that is refused for an additional field. */
const storesAdditional = (builder: Builder): RulesOverride =>
  builder.executesRefused(
    'invalid_body',
    builder.after('body.violations', (found) =>
      found.filter(({ keyword }) => keyword !== 'additionalProperties'),
    ),
  );

/** The body without the undeclared fields that meet the condition. */
const dropped =
  (condition: (name: string) => boolean) =>
  (body: unknown): unknown => {
    const kept = ([name]: [string, unknown]) => Object.hasOwn(defaults, name) || !condition(name);
    return isObject(body) ? Object.fromEntries(Object.entries(body).filter(kept)) : body;
  };

/** The body with missing fields added, unless it is empty. */
const filled =
  (missing: JsonObject) =>
  (body: unknown): unknown =>
    isObject(body) && Object.keys(body).length > 0 ? { ...missing, ...body } : body;

/** Changes each message in the response. */
const echoesEach = (builder: Builder, transform: (text: string) => string): RulesOverride =>
  builder.after('templates.responseBody', (usual, sent) => ({ ...usual, ...mapValues(sent, transform) }));

/** Only one message is stored. */
const enrollmentOnly = (sent: PhoneTemplates, before: PhoneTemplates): PhoneTemplates => ({
  ...before,
  enrollment_message: sent.enrollment_message ?? '',
});

/** Of an update that is received while another one is under way, only one message is stored. */
const mixedUpdates = overlapping(update, (isLate) =>
  update.after('templates.stored', (stored, sent, previous, call) =>
    isLate(call) ? enrollmentOnly(sent, previous) : stored,
  ),
);

/** A JSON update that follows one that breaks the schema is not stored. */
const lostAfterInvalid = stateful(() => {
  let wasInvalid = false;
  return compose(
    json.observe('body.violations', (found) => {
      wasInvalid ||= found.length > 0;
    }),
    json.after('templates.stored', (stored, _sent, previous) => {
      const isLost = wasInvalid;
      wasInvalid = false;
      return isLost ? previous : stored;
    }),
  );
});

/** A missing message of a JSON update has a default. */
const defaulted = (field: string): RulesOverride => json.coercesBody(filled({ [field]: '{{code}}' }));

/** One message of a JSON update is coerced. */
const coerced = (field: string, coerce: (value: unknown) => unknown): RulesOverride =>
  json.coercesBody((body) =>
    transformAt(body, field, (value) => (value === undefined ? undefined : coerce(value))),
  );

const scalarToText = (value: unknown): unknown => (typeof value === 'object' ? value : String(value));

/** Templates in one message of a JSON update are not checked if they meet the condition. */
const unchecked = (field: string, condition: (text: string) => boolean): RulesOverride =>
  json.acceptsTemplate((each, text) => each === field && condition(text));

/** The response about an invalid template in one message is changed. */
const message = (field: string, transform: (message: string) => string): RulesOverride =>
  update.after('templates.message', (usual, each) => (each === field ? transform(usual) : usual));

/** As Fastify did, which looked up the schema by the text before the first semicolon of the Content-Type. */
const uncheckedAfterType = (blank: string): RulesOverride =>
  json
    .when(({ headers }) => headers['content-type']?.includes(`${blank};`) === true)
    .coercesBody(dropped(() => true));

/** Templates are not checked in a body with two members of the same name. */
const uncheckedIfRepeated = stateful(() => {
  let isRepeated = false;
  return compose(
    json.observe('body.parsed', (_value, text) => {
      isRepeated = text.split(`"${enrollment}"`).length > 2;
    }),
    json.acceptsTemplate(() => isRepeated),
  );
});

/** The update of the phone templates (sections 2.1 and 4.1). */
export const updateFaults: readonly Fault[] = faultsOf({
  '4.1/enrollment-required': { 'enrollment-defaulted': defaulted(enrollment) },
  '4.1/verification-required': { 'verification-defaulted': defaulted(verification) },
  '4.1/enrollment-type': {
    'enrollment-coerced': coerced(enrollment, scalarToText),
    'enrollment-object-to-text': coerced(enrollment, (value) =>
      isObject(value) ? JSON.stringify(value) : value,
    ),
  },
  '4.1/verification-type': {
    'verification-coerced': coerced(verification, scalarToText),
    'verification-of-an-object': coerced(verification, (value) => (isObject(value) ? value.text : value)),
  },
  '4.1/invalid-enrollment-template': {
    'enrollment-opening-at-end': unchecked(enrollment, (text) => text.endsWith('{{')),
    'enrollment-checked-at-start': unchecked(enrollment, (text) => !text.startsWith('{{')),
    'enrollment-by-first-variable': unchecked(enrollment, (text) => /\{\{[^{}]*\}\}/.test(text)),
    'enrollment-by-count-of-braces': unchecked(
      enrollment,
      (text) => text.split('}}').length > text.split('{{').length,
    ),
    'enrollment-single-brace': unchecked(enrollment, (text) => /\{\{\w+\}(?!\})/.test(text)),
    'enrollment-unchecked-after-separator-or-nul': unchecked(enrollment, (text) =>
      /[\u2028\0].*\{\{/.test(text),
    ),
  },
  '4.1/invalid-verification-template': {
    'verification-opening-at-end': unchecked(verification, (text) => text.endsWith('{{')),
  },
  '4.1/enrollment-template-message': {
    'enrollment-unchecked-if-names-are-equal': unchecked(enrollment, (text) =>
      /\{\{code \{\{code $/.test(text),
    ),
    'enrollment-named-other': message(enrollment, (text) => text.replace(enrollment, verification)),
    'enrollment-message-without-word': message(enrollment, (text) => text.replace(' template', '')),
  },
  '4.1/verification-template-message': {
    'verification-unchecked-before-a-no-break-space': unchecked(verification, (text) =>
      text.includes('{{\u00a0'),
    ),
    'verification-named-other': message(verification, (text) => text.replace(verification, enrollment)),
  },
  '4.1/form-required': { 'form-defaulted': form.coercesBody(filled(defaults)) },
  '4.1/field-in-query': {
    'missing-field-from-the-query': update.after('body.parsed', (value, _text, _media, call) => {
      const inQuery = (call.query ?? []).filter(([name]) => Object.hasOwn(defaults, name));
      return isObject(value) ? { ...Object.fromEntries(inQuery), ...value } : value;
    }),
    'field-replaced-by-the-query': form.after('body.parsed', (value, _text, _media, call) => {
      const enrollment_message = query(call, 'enrollment_message');
      const isReplaced = isObject(value) && 'enrollment_message' in value && enrollment_message !== undefined;
      return isReplaced ? { ...value, enrollment_message } : value;
    }),
  },
  '4.1/body-required': {
    'nothing-without-media-type-accepted': compose(
      bare.after('payload.received', (body) => ({ ...body, bytes: Buffer.from(JSON.stringify(defaults)) })),
      bare.after('body.mediaType', (_media, _sent, operation) => operation.body?.content[0]),
    ),
    'empty-body-defaults': json.after('payload.received', (body) =>
      body.tooLarge || body.bytes.length > 0
        ? body
        : { ...body, bytes: Buffer.from(JSON.stringify(defaults)) },
    ),
  },
  '4.1/body-required-400': {
    'empty-body-411': json.refusalStatus(411, /^invalid_body$/, ({ message }) =>
      message.endsWith('body: it is missing'),
    ),
  },
  '4.1/body-malformed': {
    'json-unclosed': json.after('body.parsed', (value, text) => value ?? parseJson(`${text}}`)),
    'json-or-form': json.after(
      'body.parsed',
      (value, text) => value ?? Object.fromEntries(new URLSearchParams(text)),
    ),
  },
  '4.1/body-object': {
    'array-of-one-update': json.coercesBody((body) =>
      Array.isArray(body) && body.length === 1 ? body[0] : body,
    ),
    'null-changes-nothing': json.coercesBody((body) => body ?? defaults),
  },
  '2.1/additional-field': {
    'schema-reference-dropped': json.coercesBody(dropped((name) => name === '$schema')),
    'compatible-names-dropped': json.coercesBody(
      dropped((name) => Object.hasOwn(defaults, name.normalize('NFKC'))),
    ),
    'names-with-nul-dropped': json.coercesBody(dropped((name) => name.includes('\0'))),
    'undeclared-unchecked-if-a-blank-follows-the-type': uncheckedAfterType(' '),
    'undeclared-unchecked-if-a-tab-follows-the-type': uncheckedAfterType('\t'),
    'fields-beyond-ten-dropped': json.coercesBody((body) =>
      isObject(body) && Object.keys(body).length > 10 ? dropped(() => true)(body) : body,
    ),
  },
  '2.1/additional-field-form': {
    'csrf-token-dropped': form.coercesBody(dropped((name) => name === 'csrf_token')),
    'form-names-with-dots-dropped': form.coercesBody(dropped((name) => name.includes('.'))),
  },
  '2.1/field-name-case': {
    'camel-case-dropped': json.coercesBody(dropped((name) => name === 'enrollmentMessage')),
    'form-names-with-brackets-dropped': form.coercesBody(dropped((name) => name.endsWith('[]'))),
  },
  '2.1/additional-field-prototype': {
    'proto-dropped': json.coercesBody(dropped((name) => name === '__proto__')),
    // As the class-transformer of NestJS does.
    'inherited-names-dropped': json.coercesBody(dropped((name) => name in {})),
  },
  '4.1/update-is-stored': {
    'update-of-equal-enrollment-skipped': json.replace('templates.stored', (sent, before) =>
      sent.enrollment_message === before.enrollment_message ? before : sent,
    ),
    'stored-latin1': json.storesEach(misreadAsLatin1),
    'update-after-an-invalid-one-lost': lostAfterInvalid,
  },
  '4.1/update-is-stored-form': { 'form-stored-plus': form.storesEach(blankToPlus) },
  '4.1/refused-changes-nothing': {
    'refused-stored-first': update.executesRefused(
      'invalid_template',
      compose(update.acceptsTemplate(), update.replace('templates.stored', enrollmentOnly)),
    ),
  },
  '4.1/concurrent-updates': { 'concurrent-updates-mixed': mixedUpdates },
  '4.1/refused-not-stored': {
    'refused-field-stored': storesAdditional(json),
    'repeated-fields-unchecked': uncheckedIfRepeated,
    'refused-field-stored-form': storesAdditional(form),
    'checked-after-storing': json.executesRefused(
      'invalid_template',
      json.acceptsTemplate((field) => field === 'verification_message'),
    ),
  },
  '4.1/answer-fields': {
    'answer-without-verification': update.after('templates.responseBody', (usual) =>
      without(usual, 'verification_message'),
    ),
  },
  '4.1/answer-echoes': { 'answer-escaped': echoesEach(json, escapeHtml) },
  '4.1/answer-echoes-form': { 'form-answer-plus': echoesEach(form, blankToPlus) },
  '4.1/answer-no-third-field': {
    'answer-with-id': update.after('templates.responseBody', (usual) => ({ ...usual, id: 'phone' })),
  },
  '4.1/any-text-is-stored': {
    'stored-astral-lost': json.storesEach(bmpOnly),
    'stored-double-quotes-merged': json.storesEach((text) => text.replaceAll('""', '"')),
    'stored-line-ends': json.storesEach(crlfToLf),
    'form-stored-plus-lost': form.storesEach(plusToBlank),
    'form-stored-up-to-semicolon': form.storesEach((text) => text.split(';')[0] ?? ''),
  },
  '2.1/defaults-are-valid': {
    'dotted-variable-rejected': update.rejectsTemplate((text) => text.includes('{{tenant.')),
  },
  '4.1/json-accepted': { 'json-202': json.status(202) },
  '4.1/form-accepted': {
    'form-201': form.status(201),
    'form-octets-in-lower-case-refused': form.after('body.parsed', (value, text) =>
      /%[\da-f]?[a-f]/.test(text) ? undefined : value,
    ),
    'form-of-equal-messages-204': form.status(
      204,
      ({ body }) => isObject(body) && body[enrollment] === body[verification],
    ),
  },
  '4.1/invalid-template-form': {
    'form-verification-unchecked': form.acceptsTemplate((field) => field === verification),
    'quoted-template-unchecked': form.acceptsTemplate((_field, text) => /'\{\{code'/.test(text)),
  },
  '4.1/invalid-templates-both': {
    'two-problems-pass': update.coercesBody((body) =>
      areBothUnclosed(body) ? { [enrollment]: '', [verification]: '' } : body,
    ),
  },
  '4.1/template-message-details': {
    'details-empty': update.replace('templates.message', (field) => `Invalid ${field} template: .`),
    'details-lost-if-both-are-invalid': compose(
      update.coercesBody((body) => (areBothUnclosed(body) ? mapValues(defaults, () => unclosed) : body)),
      update.after('templates.message', (usual, field) =>
        usual.includes(unclosed) ? `Invalid ${field} template: .` : usual,
      ),
    ),
  },
  '4.1/template-message-dot': {
    'dot-missing-for-verification': update.after('templates.message', (usual) =>
      usual.includes('verification') ? usual.slice(0, -1) : usual,
    ),
  },
  '4.1/any-text-accepted': {
    'json-long-message': json.rejectsTemplate((text) => Buffer.byteLength(text) > 65_535),
  },
  '4.1/any-text-accepted-form': {
    'form-ampersand': form.rejectsTemplate((text) => text.includes('&')),
    // As a form parser that converts values does.
    'form-text-read-as-boolean': form.rejectsTemplate((text) => text === 'true'),
  },
});
