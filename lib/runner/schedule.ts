import type { ObservationRow, RequirementRow } from '../contract/ledger.ts';
import type { Operation } from '../contract/model.ts';

/** One requirement or observation on one operation, as far as its time hangs on them. */
export interface Timed {
  readonly row: RequirementRow | ObservationRow;
  readonly operation: Operation | undefined;
}

/** Where in a run a task has its place. */
type Place = keyof Schedule<unknown>;

/** The tasks of a run by their places, which are named in their order. */
export interface Schedule<Task> {
  /** Share the tenant, the long ones first. */
  readonly together: readonly Task[];
  /** One by one beside those, with nothing else on their operation. */
  readonly apart: readonly Task[];
  /** Delete what nothing reads any more. */
  readonly consuming: readonly Task[];
  /** One by one: each fills the tenant with data of its own, or looks at all that a deletion leaves. */
  readonly changing: readonly Task[];
  /** Beside what deletes and what changes all data, whenever that has no request to send. */
  readonly anyData: readonly Task[];
  /** All at once: they share the clock. */
  readonly clock: readonly Task[];
  /** One by one, with nothing beside them. */
  readonly alone: readonly Task[];
}

/** When each task is to be performed. */
export function scheduleOf<Task extends Timed>(tasks: readonly Task[]): Schedule<Task> {
  const at = (place: Place) => tasks.filter((task) => placeOf(task) === place);
  const together = at('together');
  return {
    together: [...together.filter(({ row }) => isChain(row)), ...together.filter(({ row }) => !isChain(row))],
    apart: at('apart'),
    consuming: at('consuming'),
    changing: at('changing'),
    anyData: at('anyData'),
    clock: at('clock'),
    alone: at('alone'),
  };
}

/** True for what lets time pass on the target. */
export function movesClock({ needs }: Timed['row']): boolean {
  return needs.includes('clock') || needs.includes('checkpoint_age');
}

function placeOf({ row, operation }: Timed): Place {
  const seeds = row.needs.includes('seed');
  if (movesClock(row)) return seeds ? 'alone' : 'clock';
  if (seeds) return 'changing';
  const alone = 'alone' in row && row.alone;
  if (row.consumes !== undefined) return alone === true ? 'changing' : 'consuming';
  if (alone !== false) return alone === 'operation' ? 'apart' : 'alone';
  return 'anyData' in row && row.anyData && !namesData(operation) ? 'anyData' : 'together';
}

/** True where the path names a resource, which must be there. */
function namesData(operation: Operation | undefined): boolean {
  return operation?.parameters.some((parameter) => parameter.in === 'path') === true;
}

/** True for what makes one request after another, so that others wait for it, or for its end: those go before all that wait. */
function isChain(row: Timed['row']): boolean {
  return 'long' in row && (row.long || row.alone === 'operation');
}
