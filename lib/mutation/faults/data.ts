import type { Fault } from '../fault.ts';
import { answerFaults } from './answers.ts';
import { checkpointFaults } from './checkpoints.ts';
import { textFaults } from './custom-text.ts';
import { experimentContent } from './experiment-content.ts';
import { experimentFilters } from './experiment-filters.ts';
import { experimentTakes } from './experiment-takes.ts';
import { policyFaults } from './rate-limit-policies.ts';
import { versionContent } from './version-content.ts';
import { versionPages } from './version-pages.ts';
import { versionParameters } from './version-parameters.ts';
import { walks } from './walks.ts';

/** Faults of what the tenant holds and how it is read. */
export const dataFaults: readonly Fault[] = [
  ...experimentTakes,
  ...experimentFilters,
  ...experimentContent,
  ...walks,
  ...checkpointFaults,
  ...versionPages,
  ...versionParameters,
  ...versionContent,
  ...policyFaults,
  ...textFaults,
  ...answerFaults,
];
