import { realNow } from './real-time.ts';

/** A fake's time: the real time plus an offset, for tokens as well as checkpoints. */
export interface Clock {
  /** Seconds between the real time and the fake's. */
  readonly offsetSeconds: number;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Sets the offset, in seconds; 0 resets the clock. @throws TypeError for anything but a finite number within the range of dates */
  move(offsetSeconds: number): void;
}

/** Largest time value of a `Date`, in milliseconds (ECMAScript, section 21.4.1.1). */
const latestTime = 8.64e15;

/** True for an offset in seconds that keeps the clock within the range of dates. */
export function isOffset(seconds: unknown): seconds is number {
  return typeof seconds === 'number' && Math.abs(realNow() + seconds * 1000) <= latestTime;
}

/**
 * Creates a clock at the real time.
 * @param kind `own`: fake timers have no effect; `Date`: follows `Date.now()`, and with it `vi.setSystemTime()` and the like
 */
export function createClock(kind: 'own' | 'Date' = 'own'): Clock {
  const base = kind === 'own' ? realNow : () => Date.now();
  let offset = 0;
  return {
    get offsetSeconds() {
      return offset;
    },
    now: () => base() + offset * 1000,
    move(offsetSeconds) {
      if (!isOffset(offsetSeconds))
        throw new TypeError(`clock.move(): the offset must be a number of seconds, not ${offsetSeconds}`);
      offset = offsetSeconds;
    },
  };
}
