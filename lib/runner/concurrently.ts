/** How tasks are performed several at a time. */
export interface Crowd<Task> {
  /** Tasks under way at a time. */
  readonly limit: number;
  /** Performed one by one, while others go on. */
  readonly apart?: readonly Task[];
  /** True for a task that may not run beside those: it waits until they have ended. */
  readonly isHeld?: (task: Task) => boolean;
}

/** Performs the tasks in their order, several at a time; comes back when all have ended. */
export async function concurrently<Task>(
  tasks: readonly Task[],
  perform: (task: Task) => Promise<void>,
  { limit, apart = [], isHeld = () => false }: Crowd<Task>,
): Promise<void> {
  const several = async (queue: Task[]): Promise<void> => {
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await perform(next);
    };
    await Promise.all(Array.from({ length: Math.min(queue.length, limit) }, worker));
  };
  const oneByOne = async (): Promise<void> => {
    for (const task of apart) await perform(task);
    await several(tasks.filter(isHeld));
  };
  await Promise.all([oneByOne(), several(tasks.filter((task) => !isHeld(task)))]);
}
