import type { Ledger } from '../contract/ledger.ts';
import type { Contract } from '../contract/model.ts';

/** Short titles of the sections that are about no single operation. */
const titles: Readonly<Record<string, string>> = {
  '1': 'The service',
  '2': 'Resources',
  '2.1': 'Phone factor templates',
  '2.2': 'Experiment',
  '2.3': 'Action version',
  '2.4': 'Rate limit policy',
  '2.5': 'Custom text',
  '3': 'States',
  '4': 'Endpoints',
  '5': 'Authentication',
  '5.1': 'Bearer token',
  '5.2': 'Scopes claim',
  '5.3': 'Permission',
  '5.4': 'Client credentials',
  '5.5': 'Scope catalogue',
  '6': 'Events',
  '7': 'Errors',
  '8': 'Limits and pagination',
  '9': 'Versioning',
};

/** A title for each section of the ledger: an operation's method and path where the section is about one. */
export function sectionTitles(contract: Contract, ledger: Ledger): Record<string, string> {
  const found: Record<string, string> = { ...titles };
  for (const { section, operations } of ledger.requirements) {
    const [id] = typeof operations === 'string' ? [] : operations;
    const operation = contract.operations.find((each) => each.id === id);
    if (operation !== undefined && section.startsWith('4.'))
      found[section] ??= `${operation.method} ${operation.path}`;
  }
  return found;
}
