import type { Operation } from '../contract/model.ts';
import type { Applicable } from './applicable.ts';
import type { Check, Lane, Observation, RequirementCheck } from './requirement.ts';
import { settleAll } from './settle-all.ts';

/** One requirement or observation on one operation. */
export interface Task {
  readonly id: string;
  readonly operation: Operation | undefined;
  readonly check: RequirementCheck | Observation;
}

/** Tasks that are performed at once. */
export interface Batch {
  readonly lane: Lane;
  readonly operation: string | undefined;
  readonly tasks: readonly Task[];
}

/** One for each operation; none for what is judged over the exchanges of others. */
export function tasksOf({ id, check, operations }: Applicable): Task[] {
  if (check.kind === 'exchange') return [];
  return (operations.length === 0 ? [undefined] : operations).map((operation) => ({ id, check, operation }));
}

/**
 * The tasks as they ask for their lanes, in an order that keeps connections busy: first what waits for an operation of its own,
 * with it what shares the tenant, then what deletes, so that the others find its data, and last what needs everything for itself.
 * What only moves the clock does so together, because each move of the clock takes a request.
 * @param isSeeded true where there is data enough: then one deletion comes before everything else, which may break after it
 */
export function batchesOf(tasks: readonly Task[], isSeeded: boolean): readonly Batch[] {
  const passesTime = ({ needs }: Check) =>
    (needs.includes('clock') || needs.includes('checkpoint_age')) && !needs.includes('seed');
  const first = tasks.find(({ check, operation }) => {
    const consumes = check.lane === 'operation' && check.needs.includes('rate_limit_policy');
    return isSeeded && operation?.method === 'DELETE' && consumes;
  });
  const ranked = tasks.map((task): Batch & { readonly rank: number } => {
    const { lane } = task.check;
    const operation = task.operation?.id;
    const deletes = task.operation?.method === 'DELETE';
    const rank = lane === 'exclusive' ? 3 : lane === 'parallel' ? 1 : deletes ? 2 : 0;
    return { lane, operation, tasks: [task], rank: task === first ? -1 : rank };
  });
  const timed = tasks.filter(({ check }) => passesTime(check));
  return [
    ...ranked.filter(({ tasks: [task] }) => task && !timed.includes(task)),
    ...(timed.length === 0
      ? []
      : [{ lane: 'exclusive' as const, operation: undefined, tasks: timed, rank: 3 }]),
  ].sort((one, other) => one.rank - other.rank);
}

/** Batches that wait for their lane at a time: of a large contract there are tens of thousands. */
const waiting = 256;

/** Performs the batches in their order; later ones begin when earlier ones have ended. */
export async function inTurn(
  batches: readonly Batch[],
  perform: (batch: Batch) => Promise<void>,
): Promise<void> {
  const left = batches.values();
  await settleAll(Array(waiting).keys(), async () => {
    for (const batch of left) await perform(batch);
  });
}
