import type { Ledger } from '../contract/ledger.ts';
import type { Contract } from '../contract/model.ts';

/** A title for each section of the ledger: an operation's method and path where the section is about one. */
export function sectionTitles(contract: Contract, ledger: Ledger): Record<string, string> {
  const found = { ...ledger.sections };
  for (const { section, operations } of ledger.requirements) {
    const [id] = typeof operations === 'string' ? [] : operations;
    const operation = contract.operations.find((each) => each.id === id);
    if (operation !== undefined && section.startsWith('4.'))
      found[section] ??= `${operation.method} ${operation.path}`;
  }
  return found;
}
