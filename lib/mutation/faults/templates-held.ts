import { override } from '../../fake/rules.ts';
import type { PhoneTemplates } from '../../fake/tenant.ts';
import type { Fault } from '../fault.ts';
import {
  bmpOnly,
  changesTemplates,
  each,
  latin1,
  one,
  oneLineEnd,
  plusKept,
  swapped,
  unescaped,
} from './texts.ts';
import { asForm, asJson, onPut } from './where.ts';

/** Section 4.1: what the tenant holds after an update. */

/** The tenant holds other texts than the ones that were sent. */
const holds = (
  name: string,
  description: string,
  change: (sent: PhoneTemplates, before: PhoneTemplates) => PhoneTemplates,
): Fault =>
  changesTemplates(name, '4.1/update-is-held', description, (usual) => ({
    held: (sent, before, call) => (asJson(call) ? change(sent, before) : usual.held(sent, before, call)),
  }));
const holdsForm = (
  name: string,
  description: string,
  change: (sent: PhoneTemplates, before: PhoneTemplates) => PhoneTemplates,
): Fault =>
  changesTemplates(name, '4.1/update-is-held-form', description, (usual) => ({
    held: (sent, before, call) => (asForm(call) ? change(sent, before) : usual.held(sent, before, call)),
  }));

export const templatesHeldFaults: readonly Fault[] = [
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

  changesTemplates(
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
  changesTemplates(
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
  changesTemplates(
    'refused-held-both',
    '4.1/refused-changes-nothing',
    'Both messages are held although one is refused.',
    () => ({ heldAfterRefusal: (sent) => sent }),
  ),
  {
    name: 'refused-field-held',
    requirement: '4.1/refused-changes-nothing',
    description: 'An update with an additional field is refused after it was written.',
    rules: (rules) => {
      const lenient = override(rules, 'body', {
        violations: (found) => found.filter(({ keyword }) => keyword !== 'additionalProperties'),
      });
      return override(rules, 'answers', {
        executedAfterRefusal: ({ code }, call) =>
          onPut(call) && code === 'invalid_body' ? lenient : undefined,
      });
    },
  },
  {
    name: 'refused-form-held',
    requirement: '4.1/refused-changes-nothing',
    description: 'A form that lacks a field is refused after the other one was written.',
    rules: (rules) => {
      const lenient = override(override(rules, 'body', { violations: () => [] }), 'templates', {
        checked: () => [],
        held: (sent, before) => ({ ...before, ...sent }),
      });
      return override(rules, 'answers', {
        executedAfterRefusal: ({ code }, call) =>
          asForm(call) && code === 'invalid_body' ? lenient : undefined,
      });
    },
  },
];
