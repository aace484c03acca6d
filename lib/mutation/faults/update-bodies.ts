import { isObject, type JsonObject, parseJson } from '../../contract/json.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { update } from '../builders/on.ts';
import { isForm, isJson } from '../builders/predicates.ts';
import { transformAt } from '../builders/values.ts';
import { type Fault, faultsOf } from '../fault.ts';

const json = update.when(isJson);
const form = update.when(isForm);
/** Messages that replace missing ones. */
const defaults: JsonObject = { enrollment_message: '{{code}}', verification_message: '{{code}}' };

/** Malformed JSON is repaired. */
const repaired = (repair: (text: string) => string): RulesOverride =>
  json.after('body.parsed', (value, text) => value ?? parseJson(repair(text)));

/** The body without the undeclared fields that meet the condition. */
const dropped =
  (condition: (name: string, value: unknown) => boolean) =>
  (body: unknown): unknown => {
    const kept = ([name, value]: [string, unknown]) =>
      Object.hasOwn(defaults, name) || !condition(name, value);
    return isObject(body) ? Object.fromEntries(Object.entries(body).filter(kept)) : body;
  };

/** The body with missing fields added, unless it is empty. */
const filled =
  (missing: JsonObject) =>
  (body: unknown): unknown =>
    isObject(body) && Object.keys(body).length > 0 ? { ...missing, ...body } : body;

/** Faults of one message field. */
function fieldFaults(word: 'enrollment' | 'verification') {
  const field = `${word}_message`;
  const coerced = (coerce: (value: unknown) => unknown) =>
    json.coercesBody((body) =>
      transformAt(body, field, (value) => (value === undefined ? undefined : coerce(value))),
    );
  return {
    [`4.1/${word}-required`]: { [`${word}-defaulted`]: json.coercesBody(filled({ [field]: '{{code}}' })) },
    [`4.1/${word}-type`]: {
      [`${word}-coerced`]: coerced((value) =>
        isObject(value) || Array.isArray(value) ? value : String(value),
      ),
      [`${word}-object-to-text`]: coerced((value) => (isObject(value) ? JSON.stringify(value) : value)),
    },
  };
}

/** The request body of an update and its fields (sections 2.1 and 4.1). */
export const updateBodyFaults: readonly Fault[] = faultsOf({
  ...fieldFaults('enrollment'),
  ...fieldFaults('verification'),
  '4.1/form-required': { 'form-defaulted': form.coercesBody(filled(defaults)) },
  '4.1/body-required': {
    'empty-body-defaults': json.after('payload.received', (body) =>
      body.tooLarge || body.bytes.length > 0
        ? body
        : { ...body, bytes: new TextEncoder().encode(JSON.stringify(defaults)) },
    ),
  },
  '4.1/body-required-400': {
    'empty-body-411': json.refusalStatus(411, /^invalid_body$/, ({ message }) =>
      message.endsWith('body: it is missing'),
    ),
  },
  '4.1/body-malformed': { 'json-unclosed': repaired((text) => `${text}}`) },
  '4.1/body-json-extensions': {
    'json-trailing-comma': repaired((text) => text.replace(/,(\s*[}\]])/g, '$1')),
  },
  '4.1/body-object': {
    'array-of-one-update': json.coercesBody((body) =>
      Array.isArray(body) && body.length === 1 ? body[0] : body,
    ),
    'array-of-two-messages': json.coercesBody((body) =>
      Array.isArray(body) && body.length === 2
        ? { enrollment_message: body[0], verification_message: body[1] }
        : body,
    ),
    'null-changes-nothing': json.coercesBody((body) => body ?? defaults),
  },
  '2.1/additional-field': { 'inherited-names-dropped': json.coercesBody(dropped((name) => name in {})) },
  '2.1/additional-field-form': { 'form-fields-dropped': form.coercesBody(dropped(() => true)) },
});
