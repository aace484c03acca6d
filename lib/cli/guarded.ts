import { safeMethods } from '../contract/model.ts';
import type { ConnectedTarget } from '../runner/connect.ts';
import { NotJudged } from '../runner/verdict.ts';

const safe: ReadonlySet<string> = safeMethods;

/**
 * The target as a run may use it. What `--read-only` forbids is not judged, rather than an error. When the signal is aborted,
 * whatever waits for an answer, or asks for one later, is not judged either; the control protocol goes on working, so that clock
 * and data can be put back.
 */
export function guarded(target: ConnectedTarget, signal: AbortSignal | undefined): ConnectedTarget {
  const interrupted = () => new NotJudged('the run was interrupted');
  // Not one promise that all requests race with: it would hold every answer of the run until the end.
  const waiting = new Set<() => void>();
  const stopAll = () => {
    for (const stop of waiting) stop();
  };
  signal?.addEventListener('abort', stopAll, { once: true });
  return {
    ...target,
    async send(request, sending) {
      if (signal?.aborted) throw interrupted();
      // Where a URL stands the request goes to the token endpoint, which changes nothing.
      if (target.readOnly && request.url === undefined && !safe.has(request.method))
        throw new NotJudged('nothing may be changed (--read-only)', ['run without --read-only']);
      return new Promise((resolve, reject) => {
        const stop = () => reject(interrupted());
        waiting.add(stop);
        target.send(request, sending).then(
          (exchange) => {
            waiting.delete(stop);
            resolve(exchange);
          },
          (error: unknown) => {
            waiting.delete(stop);
            reject(error);
          },
        );
      });
    },
  };
}
