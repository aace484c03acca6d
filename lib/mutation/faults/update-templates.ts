import { isObject } from '../../contract/json.ts';
import { update } from '../builders/on.ts';
import { isForm, isJson } from '../builders/predicates.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const json = update.when(isJson);
const form = update.when(isForm);
const fields = { enrollment: 'enrollment_message', verification: 'verification_message' };

/** Faults of the template in one message, and of the message about it. */
function fieldFaults(word: keyof typeof fields) {
  const field = fields[word];
  const other = fields[word === 'enrollment' ? 'verification' : 'enrollment'];
  const unchecked = (name: string, description: string, isValid: (text: string) => boolean) =>
    fault(`${word}-${name}`, description).by(
      json.acceptsTemplate((each, text) => each === field && isValid(text)),
    );
  const about = (name: string, description: string, transform: (message: string) => string) =>
    fault(`${word}-${name}`, description).by(
      update.after('templates.message', (usual, each) => (each === field ? transform(usual) : usual)),
    );
  return {
    [`4.1/invalid-${word}-template`]: [
      unchecked('opening-at-end', 'An opening at the end is accepted.', (text) => text.endsWith('{{')),
      unchecked(
        'checked-at-start',
        'Only a variable at the start is checked.',
        (text) => !text.startsWith('{{'),
      ),
      unchecked('by-first-variable', 'A text with a whole variable is valid.', (text) =>
        /\{\{[^{}]*\}\}/.test(text),
      ),
      unchecked('single-brace', 'One closing brace is enough.', (text) => /\{\{\w+\}(?!\})/.test(text)),
    ],
    [`4.1/${word}-template-message`]: [
      about('named-other', `The message about ${field} names the other field.`, (message) =>
        message.replace(field, other),
      ),
      about('message-without-word', `The message about ${field} lacks the word template.`, (message) =>
        message.replace(' template', ''),
      ),
    ],
  };
}

/** Which messages an update accepts, and the message about an invalid template (section 4.1). */
export const updateTemplateFaults: readonly Fault[] = faultsOf({
  ...fieldFaults('enrollment'),
  ...fieldFaults('verification'),
  '2.1/defaults-are-valid': fault('dotted-variable-rejected', 'A variable with a dot is rejected.').by(
    update.rejectsTemplate((text) => text.includes('{{tenant.')),
  ),
  '4.1/json-accepted': fault('json-202', 'A JSON update is answered 202.').by(json.status(202)),
  '4.1/form-accepted': fault('form-201', 'A form is answered 201.').by(form.status(201)),
  '4.1/invalid-template-form': fault(
    'form-verification-unchecked',
    'Of a form only the first message is checked.',
  ).by(form.acceptsTemplate((field) => field === fields.verification)),
  '4.1/invalid-templates-both': fault('two-problems-pass', 'Two invalid templates are accepted.').by(
    update.coercesBody((body) =>
      isObject(body) && Object.values(body).every((text) => /\{\{[^}]*$/.test(String(text)))
        ? { [fields.enrollment]: '', [fields.verification]: '' }
        : body,
    ),
  ),
  '4.1/template-message-details': fault('details-empty', 'The message has no details.').by(
    update.replace('templates.message', (field) => `Invalid ${field} template: .`),
  ),
  '4.1/template-message-dot': fault('dot-missing-in-form', 'The message about a form has no full stop.').by(
    form.after('templates.message', (usual) => usual.slice(0, -1)),
  ),
  '4.1/any-text-accepted': fault('json-long-message', 'Messages of more than 65,535 bytes are rejected.').by(
    json.rejectsTemplate((text) => Buffer.byteLength(text) > 65_535),
  ),
  '4.1/any-text-accepted-form': fault('form-ampersand', 'A form is rejected where a message contains &.').by(
    form.rejectsTemplate((text) => text.includes('&')),
  ),
});
