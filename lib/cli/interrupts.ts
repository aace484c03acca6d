import { oneLine } from './usage.ts';

/** Ctrl-C and its like, as a run wants them. */
export interface Interrupts {
  /** Aborted by the first one. */
  readonly signal: AbortSignal;
  /** True where it was a person who ended the run, not a fault. */
  interrupted(): boolean;
  /** From now on they end the process at once, as without us. */
  end(): void;
}

/**
 * Milliseconds in which another interrupt is the same key press: npm and tsx pass on to their child what the terminal has sent to
 * all of them already.
 */
const samePressMs = 500;

const faults = ['uncaughtException', 'unhandledRejection'] as const;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A fault that nobody caught; the run ends, with a report of what was judged. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/**
 * The first interrupt ends the run in order; a second one ends the process at once. A fault that nobody caught ends the run in
 * order too.
 */
export function watchInterrupts(): Interrupts {
  const controller = new AbortController();
  let firstAt = 0;
  const interrupted = () => {
    const now = Date.now();
    if (controller.signal.aborted && now - firstAt > samePressMs) process.exit(130);
    if (controller.signal.aborted) return;
    firstAt = now;
    process.stderr.write('\ninterrupted: writing the report of what was judged; once more ends at once\n');
    controller.abort();
  };
  const crashed = (error: unknown) =>
    controller.abort(new Crash(`the suite itself broke: ${oneLine(error)}`));
  for (const signal of signals) process.on(signal, interrupted);
  for (const event of faults) process.on(event, crashed);
  return {
    signal: controller.signal,
    interrupted: () => controller.signal.aborted && !(controller.signal.reason instanceof Crash),
    end() {
      for (const signal of signals) process.off(signal, interrupted);
      for (const event of faults) process.off(event, crashed);
    },
  };
}
