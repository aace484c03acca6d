/** The target's clock. It is moved by one requirement at a time, and set to the real time after each. */
export class TargetClock {
  readonly #move: (offsetSeconds: number) => Promise<void>;
  #offsetSeconds = 0;

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

  /** Moves the clock on to this time, in seconds since the epoch, or at most a second later; never back. */
  async moveTo(time: number): Promise<void> {
    const offsetSeconds = Math.ceil(time - Date.now() / 1000);
    if (offsetSeconds <= this.#offsetSeconds) return;
    await this.#move(offsetSeconds);
    this.#offsetSeconds = offsetSeconds;
  }

  /** Sets the target's clock to the real time again. */
  async reset(): Promise<void> {
    await this.#move(0);
    this.#offsetSeconds = 0;
  }
}
