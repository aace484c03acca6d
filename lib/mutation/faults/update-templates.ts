import { isObject } from '../../contract/json.ts';
import { update } from '../builders/on.ts';
import { isForm, isJson } from '../builders/predicates.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const json = update.when(isJson);
const form = update.when(isForm);
const enrollment = 'enrollment_message';
const verification = 'verification_message';

/** Which messages an update accepts, and the message about an invalid template (section 4.1). */
export const updateTemplateFaults: readonly Fault[] = [
  ...faultsOf('2.1/defaults-are-valid', [
    fault('dotted-variable-rejected', 'A variable with a dot is rejected.').by(
      update.rejectsTemplate((text) => text.includes('{{tenant.')),
    ),
  ]),
  ...faultsOf('4.1/json-accepted', [
    fault('json-202', 'A JSON update is answered 202.').by(json.status(202)),
  ]),
  ...faultsOf('4.1/form-accepted', [
    fault('form-201', 'A form of more than 200 bytes is answered 201.').by(
      form.status(201, (_response, { contentLength = 0 }) => contentLength > 200),
    ),
  ]),
  ...faultsOf('4.1/invalid-enrollment-template', [
    fault('template-at-end-unchecked', 'An opening at the end of enrollment_message is accepted.').by(
      json.acceptsTemplate((field, text) => field === enrollment && text.endsWith('{{')),
    ),
    fault('template-at-start-only', 'Only a variable at the beginning of enrollment_message is checked.').by(
      json.acceptsTemplate((field, text) => field === enrollment && !text.startsWith('{{')),
    ),
  ]),
  ...faultsOf('4.1/invalid-verification-template', [
    fault('template-by-first-variable', 'verification_message is valid if it has one whole variable.').by(
      json.acceptsTemplate((field, text) => field === verification && /\{\{[^{}]*\}\}/.test(text)),
    ),
    fault('template-single-brace', 'One closing brace is enough in verification_message.').by(
      json.acceptsTemplate((field, text) => field === verification && /\{\{\w+\}(?!\})/.test(text)),
    ),
  ]),
  ...faultsOf('4.1/invalid-template-form', [
    fault('form-verification-unchecked', 'Of a form only the first message is checked.').by(
      form.acceptsTemplate((field) => field === verification),
    ),
  ]),
  ...faultsOf('4.1/invalid-templates-both', [
    fault('two-problems-pass', 'Two invalid templates are accepted.').by(
      update.coercesBody((body) =>
        isObject(body) && Object.values(body).every((text) => /\{\{[^}]*$/.test(String(text)))
          ? { [enrollment]: '', [verification]: '' }
          : body,
      ),
    ),
  ]),
  ...messageFaults('enrollment', enrollment, verification),
  ...messageFaults('verification', verification, enrollment),
  ...faultsOf('4.1/template-message-details', [
    fault('details-empty', 'The message has no details.').by(
      update.replace('templates.message', (field) => `Invalid ${field} template: .`),
    ),
  ]),
  ...faultsOf('4.1/template-message-dot', [
    fault('dot-missing-in-form', 'The message about a form has no full stop.').by(
      form.after('templates.message', (usual) => usual.slice(0, -1)),
    ),
  ]),
  ...faultsOf('4.1/any-text-accepted', [
    fault('json-emoji', 'Characters beyond the BMP are rejected.').by(
      json.rejectsTemplate((text) => /[\u{10000}-\u{10ffff}]/u.test(text)),
    ),
    fault('json-long-message', 'Messages of more than 65,535 bytes are rejected.').by(
      json.rejectsTemplate((text) => Buffer.byteLength(text) > 65_535),
    ),
  ]),
  ...faultsOf('4.1/any-text-accepted-form', [
    fault('form-ampersand', 'A form is rejected where a message contains &.').by(
      form.rejectsTemplate((text) => text.includes('&')),
    ),
  ]),
  ...faultsOf('4.1/charset-accepted', [
    fault('form-charset-415', 'A form whose media type has a parameter is answered 415.').by(
      form.around('body.mediaType', (usual, sent, operation, call) =>
        call.headers['content-type']?.includes(';') ? undefined : usual(sent, operation, call),
      ),
    ),
  ]),
];

/** Faults of the message about one field. */
function messageFaults(word: string, field: string, other: string): readonly Fault[] {
  const about = (name: string, description: string, transform: (message: string) => string) =>
    fault(`${word}-${name}`, description).by(
      update.after('templates.message', (usual, each) => (each === field ? transform(usual) : usual)),
    );
  return faultsOf(`4.1/${word}-template-message`, [
    about('named-other', `The message about ${field} names the other field.`, (message) =>
      message.replace(field, other),
    ),
    about('message-without-word', `The message about ${field} lacks the word template.`, (message) =>
      message.replace(' template', ''),
    ),
  ]);
}
