import { isObject } from '../../contract/json.ts';
import { refuse } from '../../fake/call.ts';
import { OffsetBuilder } from '../builders/listings.ts';
import { everywhere } from '../builders/on.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

/** Faults of requirements that only operations of another contract have. They are run on such a contract. */
export const genericFaults: readonly Fault[] = faultsOf({
  '8/checkpoint-size-bounds': fault(
    'generic-take-not-bounded',
    'A take above its declared maximum is accepted.',
  ).by(everywhere.integer('take').accepts()),
  '8/offset-size-bounds': fault(
    'generic-page-size-from-its-beginning',
    'What follows the digits of per_page is ignored.',
  ).by(everywhere.integer('per_page').parses((text) => Number.parseInt(text, 10))),
  '8/offset-pages-tile': fault(
    'generic-pages-overlap',
    'Later pages begin with the last item of the page before.',
  ).by(new OffsetBuilder(everywhere.condition).start(({ page, perPage }) => Math.max(0, page * perPage - 1))),
  '9/answer-schema': fault(
    'generic-answer-of-another-type',
    'A name is a number where one thing is read.',
  ).by(
    everywhere.response((response) =>
      isObject(response.body) && response.status < 300 && Object.hasOwn(response.body, 'name')
        ? { ...response, body: { ...response.body, name: 1 } }
        : response,
    ),
  ),
  '9/invalid-parameter': fault('generic-enum-ignored', 'Parameters are not checked against their enum.').by(
    everywhere.after('parameters.violations', (found) => found.filter(({ keyword }) => keyword !== 'enum')),
  ),
  '9/invalid-body': fault(
    'generic-required-member-missing',
    'A body without a required member is accepted.',
  ).by(everywhere.after('body.violations', (found) => found.filter(({ keyword }) => keyword !== 'required'))),
  '9/valid-request': fault('generic-valid-body-refused', 'A body with enabled is answered 415.').by(
    everywhere.coercesBody((body) =>
      isObject(body) && typeof body.enabled === 'boolean' ? refuse(415, 'unsupported', 'Unsupported') : body,
    ),
  ),
});
