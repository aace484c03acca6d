import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ConnectedTarget } from '../runner/connect.ts';
import { type Holdings, readHoldings } from './inventory.ts';
import type { Plan } from './plan.ts';
import { rehearse } from './rehearsal.ts';
import type { ResolvedOptions } from './settings.ts';
import { suiteOptions } from './suite-options.ts';

/** Examples of a property that are rehearsed: the requests of all follow from theirs. */
const examples = 5;

/** Milliseconds after which the rehearsal of a huge contract is given up: then nothing is foretold. */
const limitMs = 20_000;

/**
 * How many requests the run will take, by rehearsing it; undefined where that can't be told. It is what a server needs that
 * answers as it should and holds what this one's listings show: one that is broken costs more (shrinking) or less (what follows
 * from a refusal is not asked).
 */
export async function foretellRequests(
  told: ResolvedOptions,
  plan: Plan,
  target: ConnectedTarget,
  interrupt?: AbortSignal,
): Promise<number | undefined> {
  const timer = AbortSignal.timeout(limitMs);
  const signal = interrupt === undefined ? timer : AbortSignal.any([interrupt, timer]);
  const chosen = plan.chosen.flatMap(({ operations }) => operations.map(({ id }) => id));
  try {
    // A read that hangs is not waited for when the run is interrupted.
    const holdings = await Promise.race([
      readHoldings(target, chosen, { rate: told.settings.rate, signal }),
      once(signal, 'abort').then((): Holdings => ({})),
    ]);
    let leftOut = 0;
    const suite = {
      ...suiteOptions(told, plan, target.capabilities.has('seed')),
      sample: {
        examples,
        leftOut: (requests: number) => {
          leftOut += requests;
        },
      },
      // Entries of a log stand at once in the fake: who waits for one waits in vain.
      logWaitMs: 200,
      // Few at a time take little memory.
      concurrency: 2,
      signal,
    };
    const { requests } = await rehearse(plan, { known: target, holdings, suite, signal });
    return signal.aborted ? undefined : Math.round(requests + leftOut);
  } catch {
    // Whatever the fake can't hold or serve, the run itself is not the worse for it.
    return undefined;
  } finally {
    collectGarbage();
  }
}

/** The rehearsal's fake and all that it answered go at once, so that they take no memory from the run. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
