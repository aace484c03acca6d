import type { EventEmitter } from 'node:events';

/**
 * The platform's clock and timers as they are when this module is loaded: fake timers that a test installs later
 * (`vi.useFakeTimers()`, sinon, `node:test`) do not stop the fake.
 */
export const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** Milliseconds since the epoch. */
export const realNow: () => number = Date.now;

/** Milliseconds from a fixed point, for durations. */
export const elapsed: () => number = performance.now.bind(performance);

/** Resolves after this many milliseconds, or as soon as `source` emits `close`. */
export function wait(milliseconds: number, source: EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stopTimer(timer);
      source.off('close', done);
      resolve();
    };
    const timer = startTimer(done, milliseconds);
    source.once('close', done);
  });
}
