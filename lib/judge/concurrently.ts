/** How tasks are performed several at a time. */
export interface Crowd<Task> {
  /** Tasks under way at a time. */
  readonly limit: number;
  /** Performed one by one, while the rest goes on, as soon as everything that they wait for has ended. */
  readonly apart?: readonly Task[];
  /** True for a task that those wait for; it goes first. */
  readonly isAwaited?: (task: Task) => boolean;
}

/** Performs the tasks, several at a time; comes back when all have ended. */
export async function concurrently<Task>(
  tasks: readonly Task[],
  perform: (task: Task) => Promise<void>,
  { limit, apart = [], isAwaited = () => false }: Crowd<Task>,
): Promise<void> {
  const awaited = tasks.filter(isAwaited);
  const oneByOne = async (): Promise<void> => {
    for (const task of apart) await perform(task);
  };
  let left = awaited.length;
  const queue = [
    ...awaited.map((task) => async (): Promise<void> => {
      await perform(task);
      left -= 1;
      if (left === 0) queue.unshift(oneByOne);
    }),
    ...tasks.filter((task) => !isAwaited(task)).map((task) => () => perform(task)),
  ];
  if (left === 0) queue.unshift(oneByOne);
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next();
  };
  await Promise.all(Array.from({ length: Math.min(queue.length, limit) }, worker));
}
