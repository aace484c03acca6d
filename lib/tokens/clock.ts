/** The target's time: the real time plus the offset that the control protocol has set (docs/implementers.md). */
export class Clock {
  /** Seconds by which the target is ahead of the real time. Set only when its clock has been moved. */
  offsetSeconds = 0;

  /** The target's time in whole seconds since the epoch (NumericDate, RFC 7519 section 2). */
  now(): number {
    return Math.floor(Date.now() / 1000 + this.offsetSeconds);
  }
}
