import { count, cut, duration, fitted, visible } from './text.ts';

/** Where progress is shown: `process.stderr`. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** What a run knows of itself at a moment. */
export interface ProgressState {
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  /** Ids of what runs now. */
  readonly running: readonly string[];
  /** Estimated requests of the whole run, where known: a better base for the remaining time than the number of requirements. */
  readonly expectedRequests?: number;
}

/** How far the run is: one line at a terminal that is redrawn, elsewhere a line every ten seconds. */
export interface Progress {
  update(state: ProgressState): void;
  /** Takes the terminal's line away, so that other text can be printed. */
  clear(): void;
  /** No line comes after this. */
  end(): void;
}

/** Redrawing more often than this is only flicker. */
const redrawMs = 100;

/** Between two lines where there is no terminal: a pipeline shows that the run is alive, and its log stays short. */
const lineMs = 10_000;

/** No estimate before this share is done: it would be a guess. */
const leastShare = 0.05;

/** Progress on the stream. `now` is the clock, in milliseconds. */
export function startProgress(stream: ProgressStream, now: () => number = Date.now): Progress {
  return stream.isTTY === true ? redrawn(stream, now) : logged(stream, now);
}

function logged(stream: ProgressStream, now: () => number): Progress {
  const started = now();
  let latest: ProgressState | undefined;
  const timer = setInterval(() => {
    if (latest !== undefined) stream.write(`${progressLine(latest, now() - started, 120)}\n`);
  }, lineMs);
  timer.unref();
  return {
    update(state) {
      latest = state;
    },
    clear() {},
    end: () => clearInterval(timer),
  };
}

function redrawn(stream: ProgressStream, now: () => number): Progress {
  const started = now();
  let drawnAt = Number.NEGATIVE_INFINITY;
  let shown = false;
  const clear = () => {
    if (shown) stream.write('\r\u001b[2K');
    shown = false;
  };
  return {
    update(state) {
      if (now() - drawnAt < redrawMs && state.done < state.total) return;
      drawnAt = now();
      shown = true;
      // One column stays free: a full line would wrap and could not be taken back.
      stream.write(`\r\u001b[2K${progressLine(state, now() - started, (stream.columns ?? 80) - 1)}`);
    },
    clear,
    end: clear,
  };
}

/** `37/142  4,210 requests  about 12 s left  4.2/take-maximum and 3 more`, within so many columns. */
export function progressLine(state: ProgressState, elapsedMs: number, width: number): string {
  const parts = [`${count(state.done)}/${count(state.total)}`, `${count(state.requests)} requests`];
  const left = remainingMs(state, elapsedMs);
  parts.push(left === undefined ? `${duration(elapsedMs)} so far` : `about ${duration(roundUp(left))} left`);
  const [first] = state.running;
  const rest = state.running.length - 1;
  if (first !== undefined) parts.push(`${visible(cut(first, 60))}${rest > 0 ? ` and ${rest} more` : ''}`);
  return fitted(parts.join('  '), width);
}

/** By requests where their number was estimated, else by requirements; undefined while too little is done to tell. */
function remainingMs(state: ProgressState, elapsedMs: number): number | undefined {
  const share =
    state.expectedRequests !== undefined && state.expectedRequests > 0
      ? state.requests / state.expectedRequests
      : state.done / state.total;
  if (!(share >= leastShare)) return undefined;
  return (elapsedMs / Math.min(share, 1)) * (1 - Math.min(share, 1));
}

/** Whole seconds, and above a minute steps of ten: not more exact than it is. */
function roundUp(milliseconds: number): number {
  const step = milliseconds > 60_000 ? 10_000 : 1_000;
  return Math.max(1_000, Math.ceil(milliseconds / step) * step);
}
