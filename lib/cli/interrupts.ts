import { oneLine } from '../contract/one-line.ts';
import { printError } from './output.ts';

/** Milliseconds in which another signal is the same key press: npm and tsx forward what the terminal sends to all of them. */
const samePressMs = 500;

const crashEvents = ['uncaughtException', 'unhandledRejection'] as const;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Why a run ends with a report of what was judged so far: an uncaught error, or the time limit. */
export class EndOfRun extends Error {}

/** The first signal ends the run in order, as an uncaught error does; the second one ends the process at once. */
export function watchInterrupts() {
  const controller = new AbortController();
  const signal: AbortSignal = controller.signal;
  let firstAt = 0;
  const interrupted = () => {
    const now = Date.now();
    if (signal.aborted && now - firstAt > samePressMs) process.exit(130);
    if (signal.aborted) return;
    firstAt = now;
    printError('\ninterrupted: restoring the tenant and writing the report; press Ctrl-C again to quit\n');
    controller.abort();
  };
  const crashed = (error: unknown) => controller.abort(new EndOfRun(`internal error: ${oneLine(error)}`));
  for (const name of signals) process.on(name, interrupted);
  for (const event of crashEvents) process.on(event, crashed);
  return {
    /** Aborted by the first signal. */
    signal,
    /** True if a signal ended the run, not an internal error. */
    interrupted: () => signal.aborted && !(signal.reason instanceof EndOfRun),
    /** From now on a signal ends the process at once, as usual. */
    end() {
      for (const name of signals) process.off(name, interrupted);
      for (const event of crashEvents) process.off(event, crashed);
    },
  };
}
