import type { Execution } from './requirement.ts';

/** One requirement or observation on one operation, as far as its time depends on them. */
interface Timed {
  readonly check: Execution;
}

/** The tasks of a run by their places, which are named in their order. */
export interface Schedule<Task> {
  readonly together: readonly Task[];
  /** One by one beside those, with nothing else on their operation. */
  readonly apart: readonly Task[];
  readonly consuming: readonly Task[];
  /** One by one: each fills the tenant with data of its own, or looks at all that a deletion leaves. */
  readonly changing: readonly Task[];
  /** All at once: they share the clock. */
  readonly clock: readonly Task[];
  /** One by one, with nothing beside them. */
  readonly alone: readonly Task[];
}

/** When each task is to be performed. */
export function scheduleOf<Task extends Timed>(tasks: readonly Task[]): Schedule<Task> {
  const at = (place: keyof Schedule<Task>) => tasks.filter(({ check }) => placeOf(check) === place);
  return {
    together: at('together'),
    apart: at('apart'),
    consuming: at('consuming'),
    changing: at('changing'),
    clock: at('clock'),
    alone: at('alone'),
  };
}

/** True for what lets time pass on the target. */
export function movesClock({ needs }: Execution): boolean {
  return needs.includes('clock') || needs.includes('checkpoint_age');
}

function placeOf(check: Execution): keyof Schedule<unknown> {
  if (movesClock(check)) return check.needs.includes('seed') ? 'alone' : 'clock';
  if (check.lane === 'exclusive') return 'changing';
  if (check.lane === 'operation') return 'apart';
  return check.needs.includes('rate_limit_policy') || check.needs.includes('logs') ? 'consuming' : 'together';
}
