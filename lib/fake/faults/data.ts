import type { Fault } from '../fault.ts';

export const dataFaults: readonly Fault[] = [];
