import { NotJudged } from '../judge/verdict.ts';
import type { Target } from '../target/target.ts';

/**
 * The target, which gives up at once when the signal is aborted: whatever waits for an answer then, or asks for one later, is
 * not judged. The control protocol goes on working, so that clock and data can be put back.
 */
export function interruptible<T extends Target>(target: T, signal: AbortSignal | undefined): T {
  if (signal === undefined) return target;
  const interrupted = () => new NotJudged('the run was interrupted');
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(interrupted()), { once: true });
  });
  // Nobody may be waiting at that moment.
  aborted.catch(() => {});
  return {
    ...target,
    send: (request) => {
      if (signal.aborted) return Promise.reject(interrupted());
      return Promise.race([target.send(request), aborted]);
    },
  };
}
