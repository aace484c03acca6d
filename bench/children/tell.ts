import type { ResolvedOptions } from '../child.ts';

/** Tells the parent process. */
export function tell(told: ResolvedOptions): void {
  process.send?.(told);
}

/** Answers each of the parent's messages; the process ends when the parent lets go of it. */
export function answer(respond: (asked: ResolvedOptions) => Promise<ResolvedOptions>): void {
  process.on('message', (asked: ResolvedOptions) => {
    respond(asked).then(tell, (error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  });
  process.on('disconnect', () => process.exit());
}

/** CPU time of this process so far, user and system, in seconds. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** The most memory that this process has had, in MB. */
export function peakMegabytes(): number {
  return (process.resourceUsage().maxRSS * 1024) / 1_000_000;
}
