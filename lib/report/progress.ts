import { count, duration, truncate, truncateToWidth, visible } from './text.ts';

/** Where progress is shown: `process.stderr`. */
type ProgressStream = Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>> & {
  write(text: string): unknown;
};

/** How far a run is. */
export interface RunProgress {
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  /** Requests that the whole run is estimated to send: a better base for the remaining time than the number of requirements. */
  readonly estimated: number;
  /** The requirement that began last. */
  readonly current: string;
}

/** Milliseconds between redraws, to avoid flicker. */
const redrawMs = 100;

/** Fraction of the run after which the remaining time is estimated. */
const leastShare = 0.05;

/**
 * How far the run is, on one line of a terminal that is redrawn; elsewhere nothing. `clear` takes the line away, so that other text can be
 * printed.
 * @param now the clock, in milliseconds
 */
export function startProgress(stream: ProgressStream, now: () => number = Date.now) {
  const started = now();
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) stream.write('\r\u001b[2K');
    isDrawn = false;
  };
  const update = (state: RunProgress) => {
    if (stream.isTTY !== true || (now() - drawnAt < redrawMs && state.done < state.total)) return;
    drawnAt = now();
    isDrawn = true;
    // Leaves one column free: a full line would wrap and could not be erased.
    stream.write(`\r\u001b[2K${progressLine(state, now() - started, (stream.columns ?? 80) - 1)}`);
  };
  return { update, clear };
}

/** `37/142  4,210 requests  about 12 s left  4.2/take-maximum`, within `width` columns. */
export function progressLine(state: RunProgress, elapsedMs: number, width: number): string {
  const { done, total, requests, estimated, current } = state;
  const share = estimated > 0 ? Math.min(requests / estimated, 1) : done / total;
  const left = elapsedMs / share - elapsedMs;
  // Rounded up to seconds, or to ten seconds above a minute, because it is an estimate.
  const step = left > 60_000 ? 10_000 : 1_000;
  const parts = [
    `${count(done)}/${count(total)}`,
    `${count(requests)} requests`,
    share >= leastShare
      ? `about ${duration(Math.max(1, Math.ceil(left / step)) * step)} left`
      : `${duration(elapsedMs)} so far`,
    visible(truncate(current, 60)),
  ];
  return truncateToWidth(parts.join('  '), width);
}
