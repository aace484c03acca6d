import type { Call } from '../call.ts';
import type { Fault } from '../fault.ts';
import { override, type TemplateRules } from '../rules.ts';
import { asForm, asJson, onPut } from './where.ts';

/** Section 4.1: the check of the templates and its message. */

const enrollment = 'enrollment_message';
const verification = 'verification_message';

/** Changes the rules of templates. */
const changes = (
  name: string,
  breaks: string,
  says: string,
  change: (usual: TemplateRules) => Partial<TemplateRules>,
): Fault => ({ name, breaks: `4.1/${breaks}`, says, rules: (rules) => override(rules, 'templates', change) });

/** Passes these templates. */
const passes = (
  name: string,
  breaks: string,
  says: string,
  passed: (field: string, text: string, call: Call) => boolean,
): Fault =>
  changes(name, breaks, says, (usual) => ({
    problem: (field, text, call) => (passed(field, text, call) ? undefined : usual.problem(field, text, call)),
  }));

/** Writes another message about a field. */
const writes = (
  name: string,
  breaks: string,
  says: string,
  message: (field: string, details: string, usual: string) => string,
): Fault =>
  changes(name, breaks, says, (usual) => ({
    message: (field, details, call) => message(field, details, usual.message(field, details, call)),
  }));

/** A refusal of a template has another status. */
const refusedWith = (
  name: string,
  breaks: string,
  says: string,
  status: number,
  where: (message: string, call: Call) => boolean,
): Fault => ({
  name,
  breaks: `4.1/${breaks}`,
  says,
  rules: (rules) =>
    override(rules, 'answers', (usual) => ({
      refusal(refusal, call) {
        const given = usual.refusal(refusal, call);
        return given.code === 'invalid_template' && where(given.message, call) ? { ...given, status } : given;
      },
    })),
});

/** Counts the requests' fields that have a problem, so that two of them are told from one. */
const twoProblems = (name: string, says: string, change: (usual: TemplateRules) => Partial<TemplateRules>): Fault =>
  changes(name, 'invalid-templates-both', says, change);

const other = (field: string): string => (field === enrollment ? verification : enrollment);

/** The texts that are refused in one field only; two broken messages are another matter. */
const inJson = (field: string) => (each: string, _text: string, call: Call): boolean => each === field && asJson(call);

const checks: readonly Fault[] = [
  passes('enrollment-unchecked', 'invalid-enrollment-template', 'The enrollment_message is not checked.', inJson(enrollment)),
  passes('verification-unchecked', 'invalid-verification-template', 'Only the first of the two messages is checked.', inJson(verification)),
  passes(
    'template-at-end-unchecked',
    'invalid-enrollment-template',
    'An opening at the very end of the enrollment_message is not seen.',
    (field, text, call) => inJson(enrollment)(field, text, call) && text.endsWith('{{'),
  ),
  passes(
    'template-by-first-variable',
    'invalid-verification-template',
    'A verification_message is valid once one whole variable is found in it.',
    (field, text, call) => inJson(verification)(field, text, call) && /\{\{[^{}]*\}\}/.test(text),
  ),
  passes(
    'template-single-brace',
    'invalid-verification-template',
    'One closing brace is enough in the verification_message.',
    (field, text, call) => inJson(verification)(field, text, call) && /\{\{\w+\}(?!\})/.test(text),
  ),
  passes(
    'template-at-start-only',
    'invalid-enrollment-template',
    'Only a variable at the beginning of the enrollment_message is checked.',
    (field, text, call) => inJson(enrollment)(field, text, call) && !text.startsWith('{{'),
  ),
  passes(
    'template-dotted-unchecked',
    'invalid-enrollment-template',
    'Variables with a dot are not checked in the enrollment_message.',
    (field, text, call) => inJson(enrollment)(field, text, call) && text.includes('{{tenant.friendly_name'),
  ),
  refusedWith('invalid-enrollment-422', 'invalid-enrollment-template', 'An invalid enrollment_message is answered 422.', 422, (message, call) => asJson(call) && message.startsWith(`Invalid ${enrollment}`)),
  refusedWith('invalid-verification-500', 'invalid-verification-template', 'An invalid verification_message is answered 500.', 500, (message, call) => asJson(call) && message.startsWith(`Invalid ${verification}`)),
  passes('form-unchecked', 'invalid-template-form', 'The messages of a form are not checked.', (_field, _text, call) => asForm(call)),
  passes('form-verification-unchecked', 'invalid-template-form', 'Of a form only the first message is checked.', (field, _text, call) => asForm(call) && field === verification),
  refusedWith('invalid-form-422', 'invalid-template-form', 'An invalid template in a form is answered 422.', 422, (_message, call) => asForm(call)),
];

const together: readonly Fault[] = [
  twoProblems('two-problems-pass', 'Two invalid templates cancel one another out.', (usual) => {
    const broken = new Map<number, string>();
    return {
      checked: (fields) => [...fields, verification],
      problem(field, text, call) {
        const found = usual.problem(field, text, call);
        const seen = broken.get(call.number);
        if (field === enrollment) {
          if (found !== undefined) broken.set(call.number, found);
          return undefined;
        }
        broken.delete(call.number);
        return seen !== undefined && found !== undefined ? undefined : (found ?? seen);
      },
      message: (_field, details, call) => usual.message(enrollment, details, call),
    };
  }),
];

const messages: readonly Fault[] = [];

/** Faults of section 4.1 about the check of the templates. */
export const templateCheckFaults: readonly Fault[] = [...checks, ...together, ...messages];
