/** The target's now: the real now plus the offset that the control protocol has set (docs/implementers.md). */
export class Clock {
  #offsetSeconds = 0;
  readonly #listeners: (() => void)[] = [];

  /** Seconds by which the target is ahead of the real now. */
  get offsetSeconds(): number {
    return this.#offsetSeconds;
  }

  /** The target's now in whole seconds since the epoch (NumericDate, RFC 7519 section 2). */
  now(): number {
    return Math.floor(Date.now() / 1000 + this.#offsetSeconds);
  }

  /** To be called when the target's clock has been moved, and only then. */
  move(offsetSeconds: number): void {
    if (offsetSeconds === this.#offsetSeconds) return;
    this.#offsetSeconds = offsetSeconds;
    for (const listener of this.#listeners) listener();
  }

  /** Calls the listener after every move. */
  onMove(listener: () => void): void {
    this.#listeners.push(listener);
  }
}
