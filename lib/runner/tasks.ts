import type { Operation } from '../contract/model.ts';
import type { Applicable } from './applicable.ts';
import type { Observation, RequirementCheck } from './requirement.ts';
import { settleAll } from './settle-all.ts';

/** One requirement or observation on one operation. */
export interface Task {
  readonly id: string;
  readonly operation: Operation | undefined;
  readonly check: RequirementCheck | Observation;
}

/** One for each operation; none for what is judged over the exchanges of others. */
export function tasksOf({ id, check, operations }: Applicable): Task[] {
  if (check.kind === 'exchange') return [];
  return (operations.length === 0 ? [undefined] : operations).map((operation) => ({ id, check, operation }));
}

/**
 * The tasks as they ask for their lanes, in an order that keeps connections busy: first what waits for an operation of its own,
 * with it what shares the tenant, then what deletes, so that the others find its data, and last what needs everything for itself.
 * @param isSeeded true where there is data enough: then one deletion comes before everything else, which may break after it
 */
export function inLaneOrder(tasks: readonly Task[], isSeeded: boolean): readonly Task[] {
  const first = tasks.find(({ check, operation }) => {
    const consumes = check.lane === 'operation' && check.needs.includes('rate_limit_policy');
    return isSeeded && operation?.method === 'DELETE' && consumes;
  });
  const rankOf = (task: Task): number => {
    const { lane } = task.check;
    if (task === first) return -1;
    if (lane === 'exclusive') return 3;
    if (lane === 'parallel') return 1;
    return task.operation?.method === 'DELETE' ? 2 : 0;
  };
  return tasks.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** Tasks that wait for their lane at a time: of a large contract there are tens of thousands. */
const waiting = 256;

/** Performs the tasks in their order; later ones begin when earlier ones have ended. */
export async function inTurn(tasks: readonly Task[], perform: (task: Task) => Promise<void>): Promise<void> {
  const left = tasks.values();
  await settleAll(Array(waiting).keys(), async () => {
    for (const task of left) await perform(task);
  });
}
