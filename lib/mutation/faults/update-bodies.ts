import { isObject, type JsonObject, parseJson } from '../../contract/json.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { update } from '../builders/on.ts';
import { isForm, isJson } from '../builders/predicates.ts';
import { transformAt } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const json = update.when(isJson);
const form = update.when(isForm);
/** Messages that stand in for missing ones. */
const defaults: JsonObject = { enrollment_message: '{{code}}', verification_message: '{{code}}' };

/** Malformed JSON is repaired. */
const repaired = (repair: (text: string) => string): RulesOverride =>
  json.after('body.parsed', (value, text) => value ?? parseJson(repair(text)));

/** The body without some of the fields that an update does not have. */
const dropped =
  (condition: (name: string, value: unknown) => boolean) =>
  (body: unknown): unknown => {
    const kept = ([name, value]: [string, unknown]) =>
      Object.hasOwn(defaults, name) || !condition(name, value);
    return isObject(body) ? Object.fromEntries(Object.entries(body).filter(kept)) : body;
  };

/** The body with these fields where it has some and lacks them. */
const filled =
  (missing: JsonObject) =>
  (body: unknown): unknown =>
    isObject(body) && Object.keys(body).length > 0 ? { ...missing, ...body } : body;

/** Faults of one message. */
function fieldFaults(word: 'enrollment' | 'verification') {
  const field = `${word}_message`;
  const coerced = (name: string, description: string, coerce: (value: unknown) => unknown) =>
    fault(`${word}-${name}`, description).by(
      json.coercesBody((body) =>
        transformAt(body, field, (value) => (value === undefined ? undefined : coerce(value))),
      ),
    );
  return {
    [`4.1/${word}-required`]: fault(`${word}-defaulted`, `A missing ${field} is the default.`).by(
      json.coercesBody(filled({ [field]: '{{code}}' })),
    ),
    [`4.1/${word}-type`]: [
      coerced('coerced', 'Numbers, booleans and null become strings.', (value) =>
        isObject(value) || Array.isArray(value) ? value : String(value),
      ),
      coerced('object-to-text', 'An object becomes a string.', (value) =>
        isObject(value) ? JSON.stringify(value) : value,
      ),
    ],
  };
}

/** The request body of an update and its fields (sections 2.1 and 4.1). */
export const updateBodyFaults: readonly Fault[] = faultsOf({
  ...fieldFaults('enrollment'),
  ...fieldFaults('verification'),
  '4.1/form-required': fault('form-defaulted', 'What a form lacks is the default.').by(
    form.coercesBody(filled(defaults)),
  ),
  '4.1/body-required': fault('empty-body-defaults', 'An empty body sets the default messages.').by(
    json.after('payload.received', (body) =>
      body.tooLarge || body.bytes.length > 0
        ? body
        : { ...body, bytes: new TextEncoder().encode(JSON.stringify(defaults)) },
    ),
  ),
  '4.1/body-required-400': fault('empty-body-411', 'An empty body is answered 411.').by(
    json.refusalStatus(411, /^invalid_body$/, ({ message }) => message.endsWith('body: it is missing')),
  ),
  '4.1/body-malformed': fault('json-unclosed', 'A missing closing brace is accepted.').by(
    repaired((text) => `${text}}`),
  ),
  '4.1/body-json-extensions': fault(
    'json-trailing-comma',
    'A comma before the closing brace is accepted.',
  ).by(repaired((text) => text.replace(/,(\s*[}\]])/g, '$1'))),
  '4.1/body-object': [
    fault('array-of-one-update', 'An array of one update is accepted.').by(
      json.coercesBody((body) => (Array.isArray(body) && body.length === 1 ? body[0] : body)),
    ),
    fault('array-of-two-messages', 'An array of the two messages is accepted.').by(
      json.coercesBody((body) =>
        Array.isArray(body) && body.length === 2
          ? { enrollment_message: body[0], verification_message: body[1] }
          : body,
      ),
    ),
    fault('null-changes-nothing', 'null changes nothing.').by(json.coercesBody((body) => body ?? defaults)),
  ],
  '2.1/additional-field': fault(
    'inherited-names-dropped',
    'A field that every object inherits is ignored.',
  ).by(json.coercesBody(dropped((name) => name in {}))),
  '2.1/additional-field-form': fault('form-fields-dropped', 'Unknown fields are ignored.').by(
    form.coercesBody(dropped(() => true)),
  ),
});
