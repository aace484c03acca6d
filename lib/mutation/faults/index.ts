import type { Fault } from '../fault.ts';
import { variants } from '../variants/index.ts';
import { authenticationFaults } from './authentication.ts';
import { checkpointFaults } from './checkpoints.ts';
import { clientCredentialsFaults } from './client-credentials.ts';
import { correlationFaults } from './correlation.ts';
import { customTextFaults } from './custom-text.ts';
import { experimentFaults } from './experiments.ts';
import { payloadFaults } from './payload-limit.ts';
import { policyFaults } from './rate-limit-policies.ts';
import { responseFaults } from './responses.ts';
import { scopeFaults } from './scopes.ts';
import { tokenFaults } from './tokens.ts';
import { updateFaults } from './updates.ts';
import { versionFaults } from './versions.ts';

/** A variant that requirements warn about counts as a fault of the first of them, an inferred one. */
const ofVariants = variants.flatMap(({ name, warns: [requirement], rules }) =>
  requirement === undefined ? [] : [{ name, requirement, rules }],
);

/** Every fault: for each requirement at least one way of breaking it. */
export const faults: readonly Fault[] = [
  ...authenticationFaults,
  ...clientCredentialsFaults,
  ...correlationFaults,
  ...payloadFaults,
  ...scopeFaults,
  ...tokenFaults,
  ...updateFaults,
  ...experimentFaults,
  ...checkpointFaults,
  ...versionFaults,
  ...policyFaults,
  ...customTextFaults,
  ...responseFaults,
  ...ofVariants,
];
