import { settleAll } from './settle-all.ts';

/** Seconds within which two times count as one, so that the clock is moved once for both. */
const tolerance = 1;

interface Waiting {
  /** Seconds since the epoch. */
  readonly time: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The target's clock as a requirement uses it. */
export type TargetClock = Pick<VirtualTime, 'now' | 'waitUntil'>;

/**
 * The target's clock, shared by requirements that move the clock. It is moved when all of them wait, to the earliest time that one
 * waits for: so that they go on side by side, and each finds it where it wants it. It only goes forward.
 */
export class VirtualTime {
  readonly #move: (offsetSeconds: number) => Promise<void>;
  #offsetSeconds = 0;
  #running = 0;
  #waiting: readonly Waiting[] = [];

  /** @param move sets the target's clock so many seconds ahead of the real now */
  constructor(move: (offsetSeconds: number) => Promise<void>) {
    this.#move = move;
  }

  /** Seconds by which the target's clock is ahead of the real time. */
  get offsetSeconds(): number {
    return this.#offsetSeconds;
  }

  /** The target's now, in seconds since the epoch. */
  now(): number {
    return Date.now() / 1000 + this.#offsetSeconds;
  }

  /** Sets the target's clock to the real time again. */
  async reset(): Promise<void> {
    await this.#move(0);
    this.#offsetSeconds = 0;
  }

  /** Goes through all of them at once. The clock stands still while one of them does anything but wait for a time. */
  async run(tasks: readonly (() => Promise<void>)[]): Promise<void> {
    this.#running = tasks.length;
    await settleAll(tasks, async (task) => {
      try {
        await task();
      } finally {
        this.#running -= 1;
        this.#advance();
      }
    });
  }

  /** Comes back when the clock shows this time, in seconds since the epoch, or at most two seconds more. Rejects as the move does. */
  waitUntil(time: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting = [...this.#waiting, { time, resolve, reject }];
      this.#advance();
    });
  }

  #advance(): void {
    if (this.#waiting.length === 0 || this.#waiting.length < this.#running) return;
    const earliest = Math.min(...this.#waiting.map(({ time }) => time));
    const due = this.#waiting.filter(({ time }) => time <= earliest + tolerance);
    this.#waiting = this.#waiting.filter((each) => !due.includes(each));
    const last = Math.max(...due.map(({ time }) => time));
    this.#moveTo(last).then(
      () => {
        for (const { resolve } of due) resolve();
      },
      (error: unknown) => {
        for (const { reject } of due) reject(error);
      },
    );
  }

  async #moveTo(time: number): Promise<void> {
    const offsetSeconds = Math.ceil(time - Date.now() / 1000);
    if (offsetSeconds <= this.#offsetSeconds) return;
    await this.#move(offsetSeconds);
    this.#offsetSeconds = offsetSeconds;
  }
}
