/** Ctrl-C and its like, as a run wants them. */
export interface Interrupts {
  /** Aborted by the first one. */
  readonly signal: AbortSignal;
  /** From now on they end the process at once, as without us. */
  end(): void;
}

/**
 * Milliseconds in which another interrupt is the same key press: npm and tsx pass on to their child what the terminal has sent to
 * all of them already.
 */
const samePressMs = 500;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first interrupt ends the run in order; a second one ends the process at once. */
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
  for (const signal of signals) process.on(signal, interrupted);
  return {
    signal: controller.signal,
    end() {
      for (const signal of signals) process.off(signal, interrupted);
    },
  };
}
