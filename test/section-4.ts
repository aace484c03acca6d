/** The operations of section 4. The servers of the examples have these; one that is added to the contract, only the fake has. */
export const operationsOfSection4: readonly string[] = [
  'put_factor_phone_templates',
  'listExperiments',
  'deleteRateLimitPolicy',
  'listActionVersions',
  'getSelfServiceProfileCustomText',
];
