import type { RulesOverride } from '../../fake/rules.ts';
import type { PhoneTemplates } from '../../fake/tenant.ts';
import type { Builder } from '../builders/builder.ts';
import { update } from '../builders/on.ts';
import { isForm, isJson } from '../builders/predicates.ts';
import {
  blankToPlus,
  bmpOnly,
  crlfToLf,
  escapeHtml,
  mapValues,
  misreadAsLatin1,
  plusToBlank,
  toNfc,
  trim,
  without,
} from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

const json = update.when(isJson);
const form = update.when(isForm);

/** What an update stores and what it answers (section 4.1). */
export const updateMessageFaults: readonly Fault[] = [
  ...faultsOf('4.1/update-is-held', [
    fault('update-of-enrollment-only', 'Only enrollment_message is stored.').by(
      stores(json, (sent, before) => ({ ...before, enrollment_message: sent.enrollment_message ?? '' })),
    ),
    fault('update-of-verification-lost', 'An update with the stored enrollment_message is lost.').by(
      stores(json, storesUnlessEnrollmentChanges),
    ),
    fault('stored-latin1', 'Messages are stored in Latin-1.').by(storesEach(json, misreadAsLatin1)),
  ]),
  ...faultsOf('4.1/update-is-held-form', [
    fault('form-of-verification-lost', 'A form with the stored enrollment_message is lost.').by(
      stores(form, storesUnlessEnrollmentChanges),
    ),
    fault('form-stored-plus', 'Blanks of a form are stored as plus.').by(storesEach(form, blankToPlus)),
  ]),
  ...faultsOf('4.1/refused-changes-nothing', [
    fault('refused-stored-first', 'enrollment_message is stored before the other one is checked.').by(
      update.replace('templates.storedAfterRefusal', (sent, before) => ({
        ...before,
        enrollment_message: sent.enrollment_message ?? '',
      })),
    ),
    fault('refused-field-stored', 'An update with an unknown field is rejected after it was stored.').by(
      json.executesRefused(
        'invalid_body',
        json.acceptsBody(({ keyword }) => keyword === 'additionalProperties'),
      ),
    ),
  ]),
  ...faultsOf('4.1/answer-fields', [
    fault('answer-without-verification', 'verification_message is missing in the response.').by(
      update.after('templates.answered', (usual) => without(usual, 'verification_message')),
    ),
  ]),
  ...faultsOf('4.1/answer-echoes', [
    fault('answer-trimmed', 'The response is trimmed.').by(echoesEach(json, trim)),
    fault('answer-escaped', 'The response is escaped for HTML.').by(echoesEach(json, escapeHtml)),
  ]),
  ...faultsOf('4.1/answer-echoes-form', [
    fault('form-answer-plus', 'A form is answered with + for blanks.').by(echoesEach(form, blankToPlus)),
  ]),
  ...faultsOf('4.1/answer-no-third-field', [
    fault('answer-with-id', 'The response has id.').by(
      update.after('templates.answered', (usual) => ({ ...usual, id: 'phone' })),
    ),
  ]),
  ...faultsOf('4.1/any-text-is-held', [
    fault('stored-nfc', 'Messages are stored in normal form C.').by(storesEach(json, toNfc)),
    fault('stored-astral-lost', 'Only the BMP is stored, as with utf8mb3.').by(storesEach(json, bmpOnly)),
    fault('stored-line-ends', 'CRLF is stored as a line feed.').by(storesEach(json, crlfToLf)),
    fault('form-stored-plus-lost', 'A form is percent-decoded twice.').by(storesEach(form, plusToBlank)),
    fault('form-stored-up-to-semicolon', 'A semicolon separates the fields of a form.').by(
      storesEach(form, (text) => text.split(';')[0] ?? ''),
    ),
  ]),
];

/** The messages before the update where enrollment_message is the same: as if nothing had changed. */
function storesUnlessEnrollmentChanges(sent: PhoneTemplates, before: PhoneTemplates): PhoneTemplates {
  return sent.enrollment_message === before.enrollment_message ? before : sent;
}

/** The tenant contains other messages than the ones that were sent. */
function stores(
  builder: Builder,
  transform: (sent: PhoneTemplates, before: PhoneTemplates) => PhoneTemplates,
): RulesOverride {
  return builder.replace('templates.stored', transform);
}

function storesEach(builder: Builder, transform: (text: string) => string): RulesOverride {
  return stores(builder, (sent) => mapValues(sent, transform));
}

/** The response has other messages than the ones that were sent. */
function echoesEach(builder: Builder, transform: (text: string) => string): RulesOverride {
  return builder.after('templates.answered', (usual, sent) => ({ ...usual, ...mapValues(sent, transform) }));
}
