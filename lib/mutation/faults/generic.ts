import { isObject } from '../../contract/json.ts';
import type { FakeResponse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { everywhere } from '../builders/on.ts';
import { type Fault, faultsOf } from '../fault.ts';

/** Overrides these members of successful responses. */
const succeedsWith = (members: Partial<FakeResponse>): RulesOverride =>
  everywhere.response((response) => (response.status < 400 ? { ...response, ...members } : response));

/** Turns refusals with one of these codes into successes. */
const serves = (...codes: readonly string[]): RulesOverride =>
  everywhere.response((response, { operation }) => {
    const code = isObject(response.body) ? response.body.errorCode : undefined;
    const status = Number(operation?.success[0]?.status) || 200;
    return codes.some((each) => each === code) ? { status, headers: [], body: {} } : response;
  });

/** Faults of requirements that apply only to operations of other contracts. They are run with such a contract. */
export const genericFaults: readonly Fault[] = faultsOf({
  '9/answer-schema': { 'any-answer-is-text': succeedsWith({ body: 'text' }) },
  '9/answer-media-type': { 'any-other-media-type': everywhere.mediaType('application/x-conformance') },
  '9/invalid-parameter': { 'any-parameters-not-checked': serves('invalid_query_string', 'invalid_uri') },
  '9/invalid-body': { 'any-body-not-checked': serves('invalid_body') },
  '9/valid-request': { 'any-valid-body-refused': succeedsWith({ status: 415 }) },
  '8/checkpoint-size-bounds': { 'generic-take-not-bounded': everywhere.integer('take').accepts() },
  '8/offset-size-bounds': {
    'generic-page-size-from-its-beginning': everywhere
      .integer('per_page')
      .parses((text) => Number.parseInt(text, 10)),
  },
  '8/offset-pages-tile': {
    'generic-pages-overlap': everywhere.start(({ page, perPage }) => Math.max(0, page * perPage - 1)),
  },
});
