import type { Call } from '../call.ts';
import type { Fault } from '../fault.ts';
import type { JsonObject } from '../json.ts';
import { override, type TemplateRules } from '../rules.ts';
import type { PhoneTemplates } from '../tenant.ts';
import { asForm, asJson, onPut, type Where } from './where.ts';

/** Section 4.1: what becomes of the two messages. */

/** Changes the rules of templates. */
const changes = (
  name: string,
  breaks: string,
  says: string,
  change: (usual: TemplateRules) => Partial<TemplateRules>,
): Fault => ({ name, breaks, says, rules: (rules) => override(rules, 'templates', change) });

type Change = (texts: PhoneTemplates) => JsonObject;

/** Rewrites each text. */
const each =
  (change: (text: string) => string): ((texts: PhoneTemplates) => PhoneTemplates) =>
  (texts) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]));

/** Rewrites one text. */
const one =
  (field: string, change: (text: string) => string): ((texts: PhoneTemplates) => PhoneTemplates) =>
  (texts) => ({ ...texts, [field]: change(texts[field] ?? '') });

const swapped = (texts: PhoneTemplates): PhoneTemplates => ({
  enrollment_message: texts.verification_message ?? '',
  verification_message: texts.enrollment_message ?? '',
});

/** The answer carries other texts than the ones that were sent. */
const answers = (name: string, breaks: string, says: string, where: Where, change: Change): Fault =>
  changes(name, `4.1/${breaks}`, says, (usual) => ({
    answered(sent, held, call) {
      const given = usual.answered(sent, held, call);
      return where(call) ? { ...given, ...change(sent) } : given;
    },
  }));

const echoes = (name: string, says: string, change: Change): Fault =>
  answers(name, 'answer-echoes', says, asJson, change);
const echoesForm = (name: string, says: string, change: Change): Fault =>
  answers(name, 'answer-echoes-form', says, asForm, change);

/** The answer as a whole is another. */
const shape = (name: string, says: string, change: (usual: JsonObject) => JsonObject): Fault =>
  changes(name, '4.1/answer-fields', says, (usual) => ({
    answered: (sent, held, call) => change(usual.answered(sent, held, call)),
  }));

/** The tenant holds other texts than the ones that were sent. */
const holds = (
  name: string,
  says: string,
  change: (sent: PhoneTemplates, before: PhoneTemplates) => PhoneTemplates,
): Fault =>
  changes(name, '4.1/update-is-held', says, (usual) => ({
    held: (sent, before, call) => (asJson(call) ? change(sent, before) : usual.held(sent, before, call)),
  }));
const holdsForm = (
  name: string,
  says: string,
  change: (sent: PhoneTemplates, before: PhoneTemplates) => PhoneTemplates,
): Fault =>
  changes(name, '4.1/update-is-held-form', says, (usual) => ({
    held: (sent, before, call) => (asForm(call) ? change(sent, before) : usual.held(sent, before, call)),
  }));

/** Refuses texts that are valid, or answers a good update otherwise. */
const refuses = (
  name: string,
  breaks: string,
  says: string,
  where: Where,
  refused: (text: string, call: Call) => boolean,
): Fault =>
  changes(name, breaks, says, (usual) => ({
    problem: (field, text, call) =>
      usual.problem(field, text, call) ??
      (where(call) && refused(text, call) ? 'it is not allowed' : undefined),
  }));

/** A good update is answered with another status. */
const status = (name: string, breaks: string, says: string, code: number, where: Where): Fault => ({
  name,
  breaks,
  says,
  rules: (rules) =>
    override(rules, 'answers', (usual) => ({
      answer(answer, call) {
        const given = usual.answer(answer, call);
        return onPut(call) && given.status === 200 && where(call) ? { ...given, status: code } : given;
      },
    })),
});

const unescaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const bmpOnly = (text: string): string => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?');
const oneLineEnd = (text: string): string => text.replaceAll('\r\n', '\n');
const plusKept = (text: string): string => text.replaceAll(' ', '+');

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
    breaks: '4.1/form-accepted',
    says: 'A form whose media type has a parameter is answered 415.',
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
  changes(
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

const held: readonly Fault[] = [
  holds('update-forgotten', 'The update is answered and forgotten.', (_sent, before) => before),
  holds(
    'update-of-enrollment-only',
    'Only the enrollment_message is held.',
    ({ enrollment_message: text = '' }, before) => ({ ...before, enrollment_message: text }),
  ),
  holds(
    'update-of-verification-only',
    'Only the verification_message is held.',
    ({ verification_message: text = '' }, before) => ({ ...before, verification_message: text }),
  ),
  holds('held-swapped', 'Each message is held as the other.', swapped),
  holds(
    'held-trimmed',
    'The messages are held trimmed.',
    each((text) => text.trim()),
  ),
  holds(
    'held-verification-trimmed',
    'The verification_message is held without blanks at its end.',
    one('verification_message', (text) => text.trimEnd()),
  ),
  holds(
    'held-nfc',
    'The messages are held in normal form C.',
    each((text) => text.normalize('NFC')),
  ),
  holds(
    'held-nfkc',
    'The messages are held in normal form KC.',
    each((text) => text.normalize('NFKC')),
  ),
  holds('held-escaped', 'The messages are held escaped for HTML.', each(unescaped)),
  holds('held-astral-lost', 'Characters beyond the BMP are held as ?, as with utf8mb3.', each(bmpOnly)),
  holds('held-latin1', 'The enrollment_message is held in Latin-1.', one('enrollment_message', latin1)),
  holds('held-line-ends', 'One kind of line end is held.', each(oneLineEnd)),
  holds(
    'held-cut-at-160',
    'The first 160 characters are held, as many as an SMS has.',
    each((text) => text.slice(0, 160)),
  ),
  holds(
    'held-cut-at-65535',
    'The first 65,535 characters are held.',
    each((text) => text.slice(0, 65_535)),
  ),
  holds(
    'held-no-zero-width',
    'Characters without width are not held.',
    each((text) => text.replace(/[\u200b\ufeff]/g, '')),
  ),
  holds(
    'held-blanks-collapsed',
    'Tabs are held as blanks.',
    each((text) => text.replaceAll('\t', ' ')),
  ),
  holdsForm(
    'form-update-forgotten',
    'An update by a form is answered and forgotten.',
    (_sent, before) => before,
  ),
  holdsForm('form-held-plus', 'A form is held with + for blanks.', each(plusKept)),
  holdsForm('form-held-latin1', 'A form is held as UTF-8 read as Latin-1.', each(latin1)),
  holdsForm('form-held-swapped', 'The fields of a form are held by their order, the second first.', swapped),
  holdsForm(
    'form-held-plus-lost',
    'A plus in a form, %2B, is decoded twice and held as a blank.',
    each((text) => text.replaceAll('+', ' ')),
  ),
  holdsForm('form-held-line-ends', 'A form is held with one kind of line end.', each(oneLineEnd)),
  holdsForm(
    'form-held-up-to-semicolon',
    'A semicolon parts fields in a form.',
    each((text) => text.split(';')[0] ?? ''),
  ),

  changes(
    'refused-held-first',
    '4.1/refused-changes-nothing',
    'The enrollment_message is held before the other one is checked.',
    () => ({
      heldAfterRefusal: ({ enrollment_message: text = '' }, before) => ({
        ...before,
        enrollment_message: text,
      }),
    }),
  ),
  changes(
    'refused-held-second',
    '4.1/refused-changes-nothing',
    'The verification_message is held where the other one is refused.',
    (usual) => ({
      heldAfterRefusal: (sent, before, call) =>
        usual.problem('enrollment_message', sent.enrollment_message ?? '', call) === undefined
          ? before
          : { ...before, verification_message: sent.verification_message ?? '' },
    }),
  ),
  changes(
    'refused-held-both',
    '4.1/refused-changes-nothing',
    'Both messages are held although one is refused.',
    () => ({ heldAfterRefusal: (sent) => sent }),
  ),
  {
    name: 'refused-field-held',
    breaks: '4.1/refused-changes-nothing',
    says: 'An update with an additional field is refused after it was written.',
    rules: (rules) => {
      const lenient = override(rules, 'body', {
        violations: (found) => found.filter(({ keyword }) => keyword !== 'additionalProperties'),
      });
      return override(rules, 'answers', {
        carriedOut: ({ code }, call) => (onPut(call) && code === 'invalid_body' ? lenient : undefined),
      });
    },
  },
  {
    name: 'refused-form-held',
    breaks: '4.1/refused-changes-nothing',
    says: 'A form that lacks a field is refused after the other one was written.',
    rules: (rules) => {
      const lenient = override(rules, 'body', { violations: () => [] });
      return override(rules, 'answers', {
        carriedOut: ({ code }, call) => (asForm(call) && code === 'invalid_body' ? lenient : undefined),
      });
    },
  },
];

/** Faults of section 4.1 about the messages. */
export const phoneTemplateFaults: readonly Fault[] = [...accepted, ...answered, ...held];
