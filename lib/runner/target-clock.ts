/** The target's clock. Only one requirement at a time moves it, and it is reset to the real time after each. */
export class TargetClock {
  readonly #move: (offsetSeconds: number) => Promise<void>;
  #offsetSeconds = 0;

  /** @param move sets the target's clock this many seconds ahead of the real time */
  constructor(move: (offsetSeconds: number) => Promise<void>) {
    this.#move = move;
  }

  /** Seconds by which the target's clock is ahead of the real time. */
  get offsetSeconds(): number {
    return this.#offsetSeconds;
  }

  /** The target's time, in seconds since the epoch. */
  now(): number {
    return Date.now() / 1000 + this.#offsetSeconds;
  }

  /** Moves the clock forward to this time, in seconds since the epoch, or up to a second later. Never moves it back. */
  async moveTo(time: number): Promise<void> {
    const offsetSeconds = Math.ceil(time - Date.now() / 1000);
    if (offsetSeconds <= this.#offsetSeconds) return;
    await this.#move(offsetSeconds);
    this.#offsetSeconds = offsetSeconds;
  }

  /** Resets the target's clock to the real time. */
  async reset(): Promise<void> {
    await this.#move(0);
    this.#offsetSeconds = 0;
  }
}
