import { OffsetBuilder } from '../builders/listings.ts';
import { everywhere } from '../builders/on.ts';
import { anyContractFaults } from '../families.ts';
import { type Fault, faultsOf } from '../fault.ts';

/** Faults of requirements that apply only to operations of other contracts. They are run with such a contract. */
export const genericFaults: readonly Fault[] = [
  ...anyContractFaults.filter(({ requirement }) => requirement.startsWith('9/')),
  ...faultsOf({
    '8/checkpoint-size-bounds': { 'generic-take-not-bounded': everywhere.integer('take').accepts() },
    '8/offset-size-bounds': {
      'generic-page-size-from-its-beginning': everywhere
        .integer('per_page')
        .parses((text) => Number.parseInt(text, 10)),
    },
    '8/offset-pages-tile': {
      'generic-pages-overlap': new OffsetBuilder(everywhere.condition).start(({ page, perPage }) =>
        Math.max(0, page * perPage - 1),
      ),
    },
  }),
];
