import type { JsonObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import { override } from '../../fake/rules.ts';
import type { PhoneTemplates } from '../../fake/tenant.ts';
import type { Fault } from '../fault.ts';
import {
  bmpOnly,
  changesTemplates,
  each,
  latin1,
  oneLineEnd,
  plusKept,
  swapped,
  unescaped,
} from './texts.ts';
import { asForm, asJson, onPut, type Where } from './where.ts';

/** Section 4.1: which messages are accepted, and what is answered. */

type Change = (texts: PhoneTemplates) => JsonObject;

/** The answer carries other texts than the ones that were sent. */
const answers = (
  name: string,
  requirement: string,
  description: string,
  where: Where,
  change: Change,
): Fault =>
  changesTemplates(name, `4.1/${requirement}`, description, (usual) => ({
    answered(sent, held, call) {
      const given = usual.answered(sent, held, call);
      return where(call) ? { ...given, ...change(sent) } : given;
    },
  }));

const echoes = (name: string, description: string, change: Change): Fault =>
  answers(name, 'answer-echoes', description, asJson, change);
const echoesForm = (name: string, description: string, change: Change): Fault =>
  answers(name, 'answer-echoes-form', description, asForm, change);

/** The answer as a whole is another. */
const shape = (name: string, description: string, change: (usual: JsonObject) => JsonObject): Fault =>
  changesTemplates(name, '4.1/answer-fields', description, (usual) => ({
    answered: (sent, held, call) => change(usual.answered(sent, held, call)),
  }));

/** Refuses texts that are valid, or answers a good update otherwise. */
const refuses = (
  name: string,
  requirement: string,
  description: string,
  where: Where,
  refused: (text: string, call: Call) => boolean,
): Fault =>
  changesTemplates(name, requirement, description, (usual) => ({
    problem: (field, text, call) =>
      usual.problem(field, text, call) ??
      (where(call) && refused(text, call) ? 'it is not allowed' : undefined),
  }));

/** A good update is answered with another status. */
const status = (
  name: string,
  requirement: string,
  description: string,
  code: number,
  where: Where,
): Fault => ({
  name,
  requirement,
  description,
  rules: (rules) =>
    override(rules, 'answers', (usual) => ({
      answer(answer, call) {
        const given = usual.answer(answer, call);
        return onPut(call) && given.status === 200 && where(call) ? { ...given, status: code } : given;
      },
    })),
});

const accepted: readonly Fault[] = [
  refuses(
    'blanks-about-a-variable',
    '2.1/defaults-are-valid',
    'Two variables without a character between them are refused.',
    onPut,
    (text) => /\}\}\{\{/.test(text),
  ),
  refuses(
    'variable-alone',
    '2.1/defaults-are-valid',
    'A message that is a variable and nothing else is refused.',
    onPut,
    (text) => text === '{{tenant.friendly_name}}',
  ),
  refuses(
    'json-emoji',
    '4.1/json-accepted',
    'Characters beyond the BMP are refused in JSON.',
    asJson,
    (text) => /[\u{10000}-\u{10ffff}]/u.test(text),
  ),
  refuses(
    'json-markup',
    '4.1/json-accepted',
    'A firewall takes markup in JSON for an attack.',
    asJson,
    (text) => text.includes('<script'),
  ),
  refuses(
    'json-long-message',
    '4.1/json-accepted',
    'Messages of more than 65,535 bytes are refused in JSON.',
    asJson,
    (text) => Buffer.byteLength(text) > 65_535,
  ),
  refuses(
    'json-sms-length',
    '4.1/json-accepted',
    'Messages of more than 1,600 characters are refused in JSON.',
    asJson,
    (text) => text.length > 1600,
  ),
  refuses(
    'json-line-ends',
    '4.1/json-accepted',
    'Messages of several lines are refused in JSON.',
    asJson,
    (text) => /[\r\n]/.test(text),
  ),
  status(
    'json-204',
    '4.1/json-accepted',
    'A JSON update is answered 202.',
    202,
    (call) => asJson(call) && (call.contentLength ?? 0) > 1000,
  ),
  refuses(
    'form-emoji',
    '4.1/form-accepted',
    'Characters beyond the BMP are refused in a form.',
    asForm,
    (text) => /[\u{10000}-\u{10ffff}]/u.test(text),
  ),
  refuses(
    'form-ampersand',
    '4.1/form-accepted',
    'A form is refused where a message holds &.',
    asForm,
    (text) => text.includes('&'),
  ),
  {
    name: 'form-charset-415',
    requirement: '4.1/form-accepted',
    description: 'A form whose media type has a parameter is answered 415.',
    rules: (rules) =>
      override(rules, 'body', (usual) => ({
        mediaType: (sent, operation, call) =>
          asForm(call) && call.headers['content-type']?.includes(';')
            ? undefined
            : usual.mediaType(sent, operation, call),
      })),
  },
  status(
    'form-303',
    '4.1/form-accepted',
    'A form is answered 201.',
    201,
    (call) => asForm(call) && (call.contentLength ?? 0) > 200,
  ),
];

const answered: readonly Fault[] = [
  shape(
    'answer-without-verification',
    'The answer carries the enrollment_message alone.',
    ({ enrollment_message }) => ({ enrollment_message }),
  ),
  shape('answer-empty-object', 'The answer is an empty object.', () => ({})),
  shape('answer-wrapped', 'The answer wraps the messages in data.', (usual) => ({ data: usual })),
  shape('answer-null', 'The verification_message of the answer is null.', (usual) => ({
    ...usual,
    verification_message: null,
  })),
  shape('answer-of-objects', 'The answer carries each message with its language.', (usual) =>
    Object.fromEntries(Object.entries(usual).map(([name, text]) => [name, { en: text }])),
  ),
  shape('answer-camel-case', 'The answer names its fields in camel case.', (usual) => ({
    enrollmentMessage: usual.enrollment_message,
    verificationMessage: usual.verification_message,
  })),

  echoes(
    'answer-trimmed',
    'The answer carries the messages trimmed.',
    each((text) => text.trim()),
  ),
  echoes(
    'answer-nfc',
    'The answer carries the messages in normal form C.',
    each((text) => text.normalize('NFC')),
  ),
  echoes('answer-escaped', 'The answer carries the messages escaped for HTML.', each(unescaped)),
  echoes('answer-astral-lost', 'The answer carries ? for characters beyond the BMP.', each(bmpOnly)),
  echoes('answer-line-ends', 'The answer carries one kind of line end.', each(oneLineEnd)),
  echoes(
    'answer-cut-at-255',
    'The answer carries the first 255 characters.',
    each((text) => text.slice(0, 255)),
  ),
  echoes(
    'answer-cut-at-65535',
    'The answer carries the first 65,535 characters.',
    each((text) => text.slice(0, 65_535)),
  ),
  echoes('answer-swapped', 'The answer carries each message under the name of the other.', swapped),
  echoes(
    'answer-enrollment-twice',
    'The answer carries the enrollment_message twice.',
    ({ enrollment_message: text = '' }) => ({ verification_message: text }),
  ),
  echoes(
    'answer-rendered',
    'The answer carries the messages rendered.',
    each((text) => text.replaceAll('{{code}}', '123456')),
  ),
  changesTemplates(
    'answer-before',
    '4.1/answer-echoes',
    'The answer carries the messages as they were before the update.',
    () => {
      let before: PhoneTemplates | undefined;
      return {
        held(sent, previous) {
          before = previous;
          return sent;
        },
        answered: (sent, _held, call) => (asJson(call) ? (before ?? sent) : sent),
      };
    },
  ),
  echoesForm('form-answer-plus', 'The answer to a form carries + for blanks.', each(plusKept)),
  echoesForm('form-answer-latin1', 'The answer to a form carries UTF-8 read as Latin-1.', each(latin1)),
  echoesForm(
    'form-answer-percent',
    'The answer to a form carries a percent sign percent-encoded.',
    each((text) => text.replaceAll('%', '%25')),
  ),
  echoesForm(
    'form-answer-trimmed',
    'The answer to a form carries the messages trimmed.',
    each((text) => text.trim()),
  ),
  echoesForm(
    'form-answer-up-to-ampersand',
    'The answer to a form carries a message up to its first &.',
    each((text) => text.split('&')[0] ?? ''),
  ),

  answers(
    'answer-with-id',
    'answer-no-third-field',
    'The answer carries an id beside the messages.',
    onPut,
    () => ({ id: 'phone' }),
  ),
  answers(
    'answer-with-update-time',
    'answer-no-third-field',
    'The answer to a form carries the time of the update.',
    asForm,
    () => ({ updated_at: '2026-01-01T00:00:00Z' }),
  ),
];

/** Faults of section 4.1 about accepted updates and their answer. */
export const phoneTemplateFaults: readonly Fault[] = [...accepted, ...answered];
