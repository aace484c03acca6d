import type { Fault } from '../fault.ts';

export const requestFaults: readonly Fault[] = [];
