/** A fake's time: the real now plus an offset (DESIGN, control protocol), for tokens and checkpoints alike. */
export interface Clock {
  /** Seconds between the real now and the fake's. */
  readonly offsetSeconds: number;
  /** How often the clock was moved. */
  readonly moves: number;
  /** Milliseconds since the epoch. */
  now(): number;
  /** The offset from now on; 0 puts the clock back. */
  move(offsetSeconds: number): void;
}

/** A clock of its own, at the real time. */
export function createClock(realNow: () => number = Date.now): Clock {
  let offset = 0;
  let moves = 0;
  return {
    get offsetSeconds() {
      return offset;
    },
    get moves() {
      return moves;
    },
    now: () => realNow() + offset * 1000,
    move(offsetSeconds) {
      offset = offsetSeconds;
      moves += 1;
    },
  };
}
