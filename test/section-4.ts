import { loadContract } from '../lib/contract/load.ts';

/** The operations of section 4. The servers of the examples have these; one that is added to the contract, only the fake has. */
export const operationsOfSection4: readonly string[] = [
  'put_factor_phone_templates',
  'listExperiments',
  'deleteRateLimitPolicy',
  'listActionVersions',
  'getSelfServiceProfileCustomText',
];

const { operations } = await loadContract();

/** The operations that were added to the contract. */
export const addedOperations: readonly string[] = operations
  .map(({ id }) => id)
  .filter((id) => !operationsOfSection4.includes(id));
