import { count, cut, duration, fitted, visible } from './text.ts';

/** Where progress is shown: `process.stderr`. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

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

/** Redrawing more often than this is only flicker. */
const redrawMs = 100;

/** Between two lines where there is no terminal: a pipeline shows that the run is alive, and its log stays short. */
const lineMs = 10_000;

/** No estimate before this share is done: it would be a guess. */
const leastShare = 0.05;

/**
 * How far the run is: one line at a terminal that is redrawn, elsewhere a line every ten seconds; none after `end`. `clear` takes the
 * terminal's line away, so that other text can be printed.
 * @param now the clock, in milliseconds
 */
export function startProgress(stream: ProgressStream, now: () => number = Date.now) {
  const started = now();
  let latest: RunProgress | undefined;
  if (stream.isTTY !== true) {
    const timer = setInterval(() => {
      if (latest !== undefined) stream.write(`${progressLine(latest, now() - started, 120)}\n`);
    }, lineMs).unref();
    const update = (state: RunProgress) => {
      latest = state;
    };
    return { update, clear() {}, end: () => clearInterval(timer) };
  }
  let drawnAt = Number.NEGATIVE_INFINITY;
  const clear = () => {
    if (latest !== undefined) stream.write('\r\u001b[2K');
    latest = undefined;
  };
  const update = (state: RunProgress) => {
    if (now() - drawnAt < redrawMs && state.done < state.total) return;
    drawnAt = now();
    latest = state;
    // One column stays free: a full line would wrap and could not be taken back.
    stream.write(`\r\u001b[2K${progressLine(state, now() - started, (stream.columns ?? 80) - 1)}`);
  };
  return { update, clear, end: clear };
}

/** `37/142  4,210 requests  about 12 s left  4.2/take-maximum`, within so many columns. */
export function progressLine(state: RunProgress, elapsedMs: number, width: number): string {
  const { done, total, requests, estimated, current } = state;
  const share = estimated > 0 ? Math.min(requests / estimated, 1) : done / total;
  const left = elapsedMs / share - elapsedMs;
  // Whole seconds, and above a minute steps of ten: not more exact than it is.
  const step = left > 60_000 ? 10_000 : 1_000;
  const parts = [
    `${count(done)}/${count(total)}`,
    `${count(requests)} requests`,
    share >= leastShare
      ? `about ${duration(Math.max(1, Math.ceil(left / step)) * step)} left`
      : `${duration(elapsedMs)} so far`,
    visible(cut(current, 60)),
  ];
  return fitted(parts.join('  '), width);
}
