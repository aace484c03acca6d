import type { ConnectedTarget } from '../target/connect.ts';
import type { Plan } from './plan.ts';
import type { Told } from './settings.ts';

/** What was found before anything is judged. */
export interface Preflight {
  /** Rows of the screen. */
  readonly facts: readonly (readonly [what: string, found: string])[];
  /** Why nothing can be judged, with the remedy. */
  readonly fatal?: string;
}

export async function preflight(_target: ConnectedTarget, _plan: Plan, _told: Told): Promise<Preflight> {
  return { facts: [] };
}
