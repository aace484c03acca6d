import type { Fault } from '../fault.ts';
import { checkpointFaults } from './checkpoints.ts';
import { experimentFilters } from './experiment-filters.ts';
import { experimentTakes } from './experiment-takes.ts';
import { walks } from './walks.ts';

/** Faults of what the tenant holds and how it is read. */
export const dataFaults: readonly Fault[] = [
  ...experimentTakes,
  ...experimentFilters,
  ...walks,
  ...checkpointFaults,
];
