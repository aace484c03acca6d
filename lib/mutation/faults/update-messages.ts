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
import { type Fault, faultsOf } from '../fault.ts';
import { compose } from '../rule-overrides.ts';

const json = update.when(isJson);
const form = update.when(isForm);

/** Changes each message in the response. */
const echoesEach = (builder: Builder, transform: (text: string) => string): RulesOverride =>
  builder.after('templates.answered', (usual, sent) => ({ ...usual, ...mapValues(sent, transform) }));

/** Only one message is stored. */
const enrollmentOnly = (sent: PhoneTemplates, before: PhoneTemplates): PhoneTemplates => ({
  ...before,
  enrollment_message: sent.enrollment_message ?? '',
});

/** What an update stores, and its response (section 4.1). */
export const updateMessageFaults: readonly Fault[] = faultsOf({
  '4.1/update-is-stored': {
    'update-of-enrollment-only': json.replace('templates.stored', enrollmentOnly),
    'stored-latin1': json.storesEach(misreadAsLatin1),
  },
  '4.1/update-is-stored-form': { 'form-stored-plus': form.storesEach(blankToPlus) },
  '4.1/refused-changes-nothing': {
    'refused-stored-first': update.executesRefused(
      'invalid_template',
      compose(update.acceptsTemplate(), update.replace('templates.stored', enrollmentOnly)),
    ),
    'refused-field-stored': json.executesRefused(
      'invalid_body',
      json.after('body.violations', (found) =>
        found.filter(({ keyword }) => keyword !== 'additionalProperties'),
      ),
    ),
  },
  '4.1/answer-fields': {
    'answer-without-verification': update.after('templates.answered', (usual) =>
      without(usual, 'verification_message'),
    ),
  },
  '4.1/answer-echoes': { 'answer-escaped': echoesEach(json, escapeHtml) },
  '4.1/answer-echoes-form': { 'form-answer-plus': echoesEach(form, blankToPlus) },
  '4.1/answer-no-third-field': {
    'answer-with-id': update.after('templates.answered', (usual) => ({ ...usual, id: 'phone' })),
  },
  '4.1/any-text-is-stored': {
    'stored-astral-lost': json.storesEach(bmpOnly),
    'stored-line-ends': json.storesEach(crlfToLf),
    'form-stored-plus-lost': form.storesEach(plusToBlank),
    'form-stored-up-to-semicolon': form.storesEach((text) => text.split(';')[0] ?? ''),
  },
});
