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
  without,
} from '../builders/values.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { compose } from '../rule-overrides.ts';

const json = update.when(isJson);
const form = update.when(isForm);

/** Each message is changed in the response. */
const echoesEach = (builder: Builder, transform: (text: string) => string): RulesOverride =>
  builder.after('templates.answered', (usual, sent) => ({ ...usual, ...mapValues(sent, transform) }));

/** Only one message is stored. */
const enrollmentOnly = (sent: PhoneTemplates, before: PhoneTemplates): PhoneTemplates => ({
  ...before,
  enrollment_message: sent.enrollment_message ?? '',
});

/** What an update stores and what it answers (section 4.1). */
export const updateMessageFaults: readonly Fault[] = faultsOf({
  '4.1/update-is-held': [
    fault('update-of-enrollment-only', 'Only enrollment_message is stored.').by(
      json.replace('templates.stored', enrollmentOnly),
    ),
    fault('stored-latin1', 'Messages are stored in Latin-1.').by(json.storesEach(misreadAsLatin1)),
  ],
  '4.1/update-is-held-form': fault('form-stored-plus', 'Blanks of a form are stored as plus.').by(
    form.storesEach(blankToPlus),
  ),
  '4.1/refused-changes-nothing': [
    fault('refused-stored-first', 'enrollment_message is stored before the other one is checked.').by(
      update.executesRefused(
        'invalid_template',
        compose(update.acceptsTemplate(), update.replace('templates.stored', enrollmentOnly)),
      ),
    ),
    fault('refused-field-stored', 'An update with an unknown field is rejected after it was stored.').by(
      json.executesRefused(
        'invalid_body',
        json.after('body.violations', (found) =>
          found.filter(({ keyword }) => keyword !== 'additionalProperties'),
        ),
      ),
    ),
  ],
  '4.1/answer-fields': fault(
    'answer-without-verification',
    'verification_message is missing in the response.',
  ).by(update.after('templates.answered', (usual) => without(usual, 'verification_message'))),
  '4.1/answer-echoes': fault('answer-escaped', 'The response is escaped for HTML.').by(
    echoesEach(json, escapeHtml),
  ),
  '4.1/answer-echoes-form': fault('form-answer-plus', 'A form is answered with + for blanks.').by(
    echoesEach(form, blankToPlus),
  ),
  '4.1/answer-no-third-field': fault('answer-with-id', 'The response has id.').by(
    update.after('templates.answered', (usual) => ({ ...usual, id: 'phone' })),
  ),
  '4.1/any-text-is-held': [
    fault('stored-astral-lost', 'Only the BMP is stored, as with utf8mb3.').by(json.storesEach(bmpOnly)),
    fault('stored-line-ends', 'CRLF is stored as a line feed.').by(json.storesEach(crlfToLf)),
    fault('form-stored-plus-lost', 'A form is percent-decoded twice.').by(form.storesEach(plusToBlank)),
    fault('form-stored-up-to-semicolon', 'A semicolon separates the fields of a form.').by(
      form.storesEach((text) => text.split(';')[0] ?? ''),
    ),
  ],
});
