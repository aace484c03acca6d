import type { Operation } from '../contract/model.ts';
import { type Applicable, judgedOn } from './applicable.ts';
import type { SendingCheck } from './requirement.ts';
import { settleAll } from './settle-all.ts';

/** One requirement or observation on one operation. */
export interface Task {
  readonly id: string;
  readonly operation: Operation | undefined;
  readonly check: SendingCheck;
}

/** One task for each operation; none for an exchange check, which sends nothing. */
export function tasksOf({ id, check, operations }: Applicable): Task[] {
  if (check.kind === 'exchange') return [];
  return judgedOn(operations).map((operation) => ({ id, check, operation }));
}

/**
 * Sorts the tasks in an order that keeps connections busy: lane `operation` first, then `parallel`, then deletions, so that all
 * others find their data, and lane `exclusive` last.
 * @param isSeeded true if there is enough data: then one deletion comes first, to find defects that a deletion causes
 */
export function orderByLane(tasks: readonly Task[], isSeeded: boolean): readonly Task[] {
  const first = tasks.find(({ check, operation }) => {
    const isDestructive = check.lane === 'operation' && check.needs.includes('rate_limit_policy');
    return isSeeded && operation?.method === 'DELETE' && isDestructive;
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

/** Maximum tasks that are in progress or wait for their lane: a large contract has tens of thousands. */
const maximumWaiting = 256;

/** Performs the tasks in order, up to `maximumWaiting` at a time. */
export async function runPool(tasks: readonly Task[], perform: (task: Task) => Promise<void>): Promise<void> {
  const remaining = tasks.values();
  await settleAll(Array(maximumWaiting).keys(), async () => {
    for (const task of remaining) await perform(task);
  });
}
