import { isObject, type JsonObject, parseJson } from '../../contract/json.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { update } from '../builders/on.ts';
import { isForm, isJson } from '../builders/predicates.ts';
import { transformAt } from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const json = update.when(isJson);
const form = update.when(isForm);
const enrollment = 'enrollment_message';
const verification = 'verification_message';
/** Messages that stand in for missing ones. */
const defaults: JsonObject = { [enrollment]: '{{code}}', [verification]: '{{code}}' };

/** The request body of an update and its fields (sections 2.1 and 4.1). */
export const updateBodyFaults: readonly Fault[] = [
  ...faultsOf('4.1/body-required', [
    fault('empty-body-defaults', 'An empty body sets the default messages.').by(
      json.after('payload.received', (body) =>
        body.tooLarge || body.bytes.length > 0
          ? body
          : { ...body, bytes: new TextEncoder().encode(JSON.stringify(defaults)) },
      ),
    ),
  ]),
  ...faultsOf('4.1/body-malformed', [
    fault('json-trailing-comma', 'A comma before the closing brace is accepted.').by(
      repaired((text) => text.replace(/,(\s*[}\]])/g, '$1')),
    ),
    fault('json-unclosed', 'A missing closing brace is accepted.').by(repaired((text) => `${text}}`)),
  ]),
  ...faultsOf('4.1/body-object', [
    fault('array-of-one-update', 'An array of one update is accepted.').by(
      json.coercesBody((body) => (Array.isArray(body) && body.length === 1 ? body[0] : body)),
    ),
    fault('array-of-two-messages', 'An array of the two messages is accepted.').by(
      json.coercesBody((body) =>
        Array.isArray(body) && body.length === 2 ? { [enrollment]: body[0], [verification]: body[1] } : body,
      ),
    ),
    fault('null-changes-nothing', 'null changes nothing.').by(json.coercesBody((body) => body ?? defaults)),
  ]),
  ...faultsOf('4.1/media-type', [
    fault('text-plain-as-json', 'text/plain is read as JSON.').by(
      update.before('body.mediaType', (sent) => (sent === 'text/plain' ? 'application/json' : sent)),
    ),
  ]),
  ...faultsOf('2.1/additional-field', [
    fault('inherited-names-dropped', 'A field that every object inherits is ignored.').by(
      json.coercesBody(dropped((name) => name in {})),
    ),
  ]),
  ...faultsOf('2.1/additional-field-form', [
    fault('form-fields-dropped', 'Unknown fields are ignored.').by(form.coercesBody(dropped(() => true))),
    fault('empty-form-fields-dropped', 'Unknown fields without a value are ignored.').by(
      form.coercesBody(dropped((_name, value) => value === '')),
    ),
  ]),
  ...faultsOf('4.1/enrollment-required', [
    fault('enrollment-defaulted', 'A missing enrollment_message is the default.').by(
      json.coercesBody(filled({ [enrollment]: '{{code}}' })),
    ),
  ]),
  ...faultsOf('4.1/verification-required', [
    fault('verification-defaulted', 'A missing verification_message is the default.').by(
      json.coercesBody(filled({ [verification]: '{{code}}' })),
    ),
  ]),
  ...faultsOf('4.1/form-required', [
    fault('form-defaulted', 'What a form lacks is the default.').by(form.coercesBody(filled(defaults))),
  ]),
  ...faultsOf('4.1/enrollment-type', [
    fault('enrollment-null-to-text', 'null becomes the string null.').by(
      coercesField(enrollment, (value) => (value === null ? 'null' : value)),
    ),
  ]),
  ...faultsOf('4.1/verification-type', [
    fault('verification-coerced', 'Numbers and booleans become strings.').by(
      coercesField(verification, (value) => (typeof value === 'object' ? value : String(value))),
    ),
    fault('verification-object-to-text', 'An object becomes a string.').by(
      coercesField(verification, (value) => (isObject(value) ? JSON.stringify(value) : value)),
    ),
  ]),
  ...faultsOf('4.1/body-required-400', [
    fault('empty-body-411', 'An empty body is answered 411.').by(refusedWith(411, /body: it is missing/)),
  ]),
  ...faultsOf('4.1/body-trailing-text', [
    fault('json-trailing-text', 'What follows the JSON value is ignored.').by(
      repaired((text) => text.slice(0, text.lastIndexOf('}') + 1)),
    ),
  ]),
  ...faultsOf('4.1/body-malformed-400', [
    fault('malformed-422', 'Malformed JSON is 422.').by(refusedWith(422, /it is not application\/json/)),
  ]),
  ...faultsOf('2.1/field-name-case', [
    fault('field-name-case-ignored', 'The case of field names is ignored.').by(
      json.coercesBody((body) =>
        isObject(body)
          ? Object.fromEntries(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]))
          : body,
      ),
    ),
  ]),
];

/** An invalid body that is refused with such a message has another status. */
function refusedWith(status: number, message: RegExp): RulesOverride {
  return json.refusalStatus(
    status,
    /^/,
    (refusal) => refusal.status === 400 && message.test(refusal.message),
  );
}

/** Malformed JSON is repaired. */
function repaired(repair: (text: string) => string): RulesOverride {
  return json.after('body.parsed', (value, text) => value ?? parseJson(repair(text)));
}

/** The body without some of the fields that an update does not have. */
function dropped(condition: (name: string, value: unknown) => boolean): (body: unknown) => unknown {
  return (body) => {
    const kept = ([name, value]: [string, unknown]) =>
      Object.hasOwn(defaults, name) || !condition(name, value);
    return isObject(body) ? Object.fromEntries(Object.entries(body).filter(kept)) : body;
  };
}

/** The body with these fields where it has some and lacks them. */
function filled(missing: JsonObject): (body: unknown) => unknown {
  return (body) => (isObject(body) && Object.keys(body).length > 0 ? { ...missing, ...body } : body);
}

/** One field of a JSON body is coerced before validation. */
function coercesField(field: string, coerce: (value: unknown) => unknown): RulesOverride {
  return json.coercesBody((body) =>
    transformAt(body, field, (value) => (value === undefined ? undefined : coerce(value))),
  );
}
