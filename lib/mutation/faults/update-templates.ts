import { isObject } from '../../contract/json.ts';
import { update } from '../builders/on.ts';
import { isForm, isJson } from '../builders/predicates.ts';
import { type Fault, faultsOf } from '../fault.ts';

const json = update.when(isJson);
const form = update.when(isForm);
const fields = { enrollment: 'enrollment_message', verification: 'verification_message' };

/** Faults of the template in one message, and of the message about it. */
function fieldFaults(word: keyof typeof fields) {
  const field = fields[word];
  const other = fields[word === 'enrollment' ? 'verification' : 'enrollment'];
  const unchecked = (isValid: (text: string) => boolean) =>
    json.acceptsTemplate((each, text) => each === field && isValid(text));
  const message = (transform: (message: string) => string) =>
    update.after('templates.message', (usual, each) => (each === field ? transform(usual) : usual));
  return {
    [`4.1/invalid-${word}-template`]: {
      [`${word}-opening-at-end`]: unchecked((text) => text.endsWith('{{')),
      [`${word}-checked-at-start`]: unchecked((text) => !text.startsWith('{{')),
      [`${word}-by-first-variable`]: unchecked((text) => /\{\{[^{}]*\}\}/.test(text)),
      [`${word}-single-brace`]: unchecked((text) => /\{\{\w+\}(?!\})/.test(text)),
    },
    [`4.1/${word}-template-message`]: {
      [`${word}-named-other`]: message((text) => text.replace(field, other)),
      [`${word}-message-without-word`]: message((text) => text.replace(' template', '')),
    },
  };
}

/** Which messages an update accepts, and the message about an invalid template (section 4.1). */
export const updateTemplateFaults: readonly Fault[] = faultsOf({
  ...fieldFaults('enrollment'),
  ...fieldFaults('verification'),
  '2.1/defaults-are-valid': {
    'dotted-variable-rejected': update.rejectsTemplate((text) => text.includes('{{tenant.')),
  },
  '4.1/json-accepted': { 'json-202': json.status(202) },
  '4.1/form-accepted': { 'form-201': form.status(201) },
  '4.1/invalid-template-form': {
    'form-verification-unchecked': form.acceptsTemplate((field) => field === fields.verification),
  },
  '4.1/invalid-templates-both': {
    'two-problems-pass': update.coercesBody((body) =>
      isObject(body) && Object.values(body).every((text) => /\{\{[^}]*$/.test(String(text)))
        ? { [fields.enrollment]: '', [fields.verification]: '' }
        : body,
    ),
  },
  '4.1/template-message-details': {
    'details-empty': update.replace('templates.message', (field) => `Invalid ${field} template: .`),
  },
  '4.1/template-message-dot': {
    'dot-missing-in-form': form.after('templates.message', (usual) => usual.slice(0, -1)),
    'dot-missing-for-verification': update.after('templates.message', (usual) =>
      usual.includes('verification') ? usual.slice(0, -1) : usual,
    ),
  },
  '4.1/any-text-accepted': {
    'json-long-message': json.rejectsTemplate((text) => Buffer.byteLength(text) > 65_535),
  },
  '4.1/any-text-accepted-form': { 'form-ampersand': form.rejectsTemplate((text) => text.includes('&')) },
});
