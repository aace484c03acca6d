import type { Call } from '../../fake/call.ts';
import { override, type TemplateRules } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { asForm, asJson } from './where.ts';

/** Section 4.1: the check of the templates and its message. */

const enrollment = 'enrollment_message';
const verification = 'verification_message';

/** Changes the rules of templates. */
const changes = (
  name: string,
  requirement: string,
  description: string,
  change: (usual: TemplateRules) => Partial<TemplateRules>,
): Fault => ({
  name,
  requirement: `4.1/${requirement}`,
  description,
  rules: (rules) => override(rules, 'templates', change),
});

/** Passes these templates. */
const passes = (
  name: string,
  requirement: string,
  description: string,
  passed: (field: string, text: string, call: Call) => boolean,
): Fault =>
  changes(name, requirement, description, (usual) => ({
    problem: (field, text, call) =>
      passed(field, text, call) ? undefined : usual.problem(field, text, call),
  }));

/** Writes another message about a field. */
const writes = (
  name: string,
  requirement: string,
  description: string,
  message: (field: string, details: string, usual: string) => string,
): Fault =>
  changes(name, requirement, description, (usual) => ({
    message: (field, details, call) => message(field, details, usual.message(field, details, call)),
  }));

/** A refusal of a template has another status. */
const refusedWith = (
  name: string,
  requirement: string,
  description: string,
  status: number,
  where: (message: string, call: Call) => boolean,
): Fault => ({
  name,
  requirement: `4.1/${requirement}`,
  description,
  rules: (rules) =>
    override(rules, 'answers', (usual) => ({
      refusal(refusal, call) {
        const given = usual.refusal(refusal, call);
        return given.code === 'invalid_template' && where(given.message, call) ? { ...given, status } : given;
      },
    })),
});

/** What is answered where both templates are invalid; where one is, the answer is as usual. */
const both = (
  name: string,
  description: string,
  problem: (first: string, second: string) => string | undefined,
  written?: string,
): Fault =>
  changes(name, 'invalid-templates-both', description, (usual) => {
    // The handler asks for one field after the other without a pause, so that no other request comes between.
    let first: string | undefined;
    let second: string | undefined;
    return {
      checked: () => [enrollment, verification],
      problem(field, text, call) {
        const found = usual.problem(field, text, call);
        if (field === enrollment) {
          first = found;
          return undefined;
        }
        second = found;
        return first !== undefined && second !== undefined ? problem(first, second) : (first ?? second);
      },
      message: (_field, details, call) =>
        first !== undefined && second !== undefined && written !== undefined
          ? `${written}: ${details}.`
          : usual.message(first === undefined ? verification : enrollment, details, call),
    };
  });

const other = (field: string): string => (field === enrollment ? verification : enrollment);

const inJson =
  (field: string) =>
  (each: string, _text: string, call: Call): boolean =>
    each === field && asJson(call);

const checks: readonly Fault[] = [
  passes(
    'enrollment-unchecked',
    'invalid-enrollment-template',
    'The enrollment_message is not checked.',
    inJson(enrollment),
  ),
  passes(
    'verification-unchecked',
    'invalid-verification-template',
    'Only the first of the two messages is checked.',
    inJson(verification),
  ),
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
  refusedWith(
    'invalid-enrollment-422',
    'invalid-enrollment-template',
    'An invalid enrollment_message is answered 422.',
    422,
    (message, call) => asJson(call) && message.startsWith(`Invalid ${enrollment}`),
  ),
  refusedWith(
    'invalid-verification-500',
    'invalid-verification-template',
    'An invalid verification_message is answered 500.',
    500,
    (message, call) => asJson(call) && message.startsWith(`Invalid ${verification}`),
  ),
  passes(
    'form-unchecked',
    'invalid-template-form',
    'The messages of a form are not checked.',
    (_field, _text, call) => asForm(call),
  ),
  passes(
    'form-verification-unchecked',
    'invalid-template-form',
    'Of a form only the first message is checked.',
    (field, _text, call) => asForm(call) && field === verification,
  ),
  refusedWith(
    'invalid-form-422',
    'invalid-template-form',
    'An invalid template in a form is answered 422.',
    422,
    (_message, call) => asForm(call),
  ),
];

const together: readonly Fault[] = [
  both('two-problems-pass', 'Two invalid templates cancel one another out.', () => undefined),
  both(
    'two-problems-both-named',
    'The message about two invalid templates names both fields.',
    (first, second) => `${first}; ${second}`,
    `Invalid ${enrollment}, ${verification} template`,
  ),
  both(
    'two-problems-none-named',
    'The message about two invalid templates names no field.',
    (first) => first,
    'Invalid templates',
  ),
  both(
    'two-problems-other-field',
    'The message about two invalid templates is about a field that does not exist.',
    (first) => first,
    'Invalid message template',
  ),
];

/** Faults of the message about one field. */
const about = (field: string, word: string): readonly Fault[] => {
  const of = (
    name: string,
    description: string,
    message: (details: string, usual: string) => string,
  ): Fault =>
    writes(`${word}-${name}`, `${word}-template-message`, description, (each, details, usual) =>
      each === field ? message(details, usual) : usual,
    );
  return [
    of('named-other', `The message about ${field} names the other field.`, (_details, usual) =>
      usual.replace(field, other(field)),
    ),
    of('named-in-words', `The message about ${field} names the field in words.`, (_details, usual) =>
      usual.replace('_', ' '),
    ),
    of(
      'named-in-camel-case',
      `The message about ${field} names the field in camel case.`,
      (details) => `Invalid ${word}Message template: ${details}.`,
    ),
    of('message-lower-case', `The message about ${field} begins in lower case.`, (_details, usual) =>
      usual.replace('Invalid', 'invalid'),
    ),
    of('message-without-word', `The message about ${field} lacks the word template.`, (_details, usual) =>
      usual.replace(' template', ''),
    ),
    of('message-generic', `The message about ${field} is a general one.`, () => 'Payload validation error.'),
  ];
};

const written: readonly Fault[] = [
  ...about(enrollment, 'enrollment'),
  ...about(verification, 'verification'),
  {
    name: 'enrollment-form-named-other',
    requirement: '4.1/enrollment-template-message',
    description: 'The message about the enrollment_message of a form names the other field.',
    rules: (rules) =>
      override(rules, 'templates', (usual) => ({
        message: (field, details, call) =>
          usual.message(asForm(call) && field === enrollment ? other(field) : field, details, call),
      })),
  },
  writes(
    'details-empty',
    'template-message-details',
    'The message holds no details.',
    (field) => `Invalid ${field} template: .`,
  ),
  writes(
    'details-blank',
    'template-message-details',
    'A dash stands for the details.',
    (field) => `Invalid ${field} template: -.`,
  ),
  writes(
    'details-empty-on-verification',
    'template-message-details',
    'The message about verification_message holds no details.',
    (field, _details, usual) => (field === verification ? `Invalid ${field} template: .` : usual),
  ),
  writes('dot-missing', 'template-message-dot', 'The message has no full stop.', (_field, _details, usual) =>
    usual.slice(0, -1),
  ),
  writes(
    'dot-missing-on-verification',
    'template-message-dot',
    'The message about verification_message has no full stop.',
    (field, _details, usual) => (field === verification ? usual.slice(0, -1) : usual),
  ),
  writes(
    'dot-exclaimed',
    'template-message-dot',
    'The message ends with an exclamation mark.',
    (_field, _details, usual) => `${usual.slice(0, -1)}!`,
  ),
  {
    name: 'dot-missing-in-form',
    requirement: '4.1/template-message-dot',
    description: 'The message about a form has no full stop.',
    rules: (rules) =>
      override(rules, 'templates', (usual) => ({
        message: (field, details, call) =>
          usual.message(field, details, call).slice(0, asForm(call) ? -1 : undefined),
      })),
  },
];

/** Faults of section 4.1 about the check of the templates. */
export const templateCheckFaults: readonly Fault[] = [...checks, ...together, ...written];
