import { OffsetBuilder } from '../builders/listings.ts';
import { everywhere } from '../builders/on.ts';
import { anyContractFaults } from '../families.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';

/** Faults of requirements that only operations of another contract have. They are run on such a contract. */
export const genericFaults: readonly Fault[] = [
  ...anyContractFaults.filter(({ requirement }) => requirement.startsWith('9/')),
  ...faultsOf({
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
    ).by(
      new OffsetBuilder(everywhere.condition).start(({ page, perPage }) => Math.max(0, page * perPage - 1)),
    ),
  }),
];
