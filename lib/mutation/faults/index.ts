import type { Fault } from '../fault.ts';
import { dataFaults } from './data.ts';
import { historyFaults } from './history.ts';
import { requestFaults } from './requests.ts';

/** Every fault: for each requirement at least one way of breaking it. */
export const faults: readonly Fault[] = [...requestFaults, ...dataFaults, ...historyFaults];
