import { setTimeout as sleep } from 'node:timers/promises';
import type { WireResponse } from './wire.ts';

/**
 * Limits how many callers acquire it at a time. Among those that wait, the owner with the fewest callers goes first, so that an
 * owner that sends one request at a time does not wait for one that sends many. Each owner's callers go in order of arrival.
 */
export class Semaphore {
  #limit: number;
  #acquired = 0;
  readonly #waiting = new Map<unknown, Set<() => void>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many callers may acquire it at a time. */
  get limit(): number {
    return this.#limit;
  }

  /** Halves this limit, unless that was done since it was read. */
  halve(limit: number): void {
    if (limit === this.#limit) this.#limit = Math.max(1, Math.floor(limit / 2));
  }

  /** Runs the action when the caller has acquired the semaphore. Rejects with the signal's reason if it is aborted before. */
  async run<Result>(action: () => Promise<Result>, signal?: AbortSignal, owner?: unknown): Promise<Result> {
    await this.#acquire(signal, owner);
    try {
      return await action();
    } finally {
      this.#release();
    }
  }

  async #acquire(signal: AbortSignal | undefined, owner: unknown): Promise<void> {
    signal?.throwIfAborted();
    if (this.#acquired < this.#limit) {
      this.#acquired++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const stop = () => {
        this.#waiting.get(owner)?.delete(start);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', stop, { once: true });
      this.#waiting.set(owner, (this.#waiting.get(owner) ?? new Set()).add(start));
    });
  }

  #release(): void {
    this.#acquired--;
    while (this.#acquired < this.#limit) {
      const [next] = [...this.#waiting].toSorted(([, one], [, other]) => one.size - other.size);
      if (next === undefined) return;
      const [owner, starts] = next;
      const [start] = starts;
      if (start !== undefined) {
        starts.delete(start);
        this.#acquired++;
        start();
      }
      if (starts.size === 0) this.#waiting.delete(owner);
    }
  }
}

/** When a request may be sent: evenly spaced by the rate, and not while the target asks for a pause. */
export class Pace {
  readonly #intervalMs: number;
  readonly #maximumPauseMs: number;
  #pausedMs = 0;
  #nextAt = 0;
  #resumeAt = 0;

  /**
   * @param rate requests per second; undefined for no limit
   * @param maximumPauseMs milliseconds that all pauses of the run may take together
   */
  constructor(rate: number | undefined, maximumPauseMs: number) {
    this.#intervalMs = rate === undefined ? 0 : 1000 / rate;
    this.#maximumPauseMs = maximumPauseMs;
  }

  /**
   * Resolves when the caller may send. Rejects with AbortError when the signal is aborted.
   * @param ignoresPause true for requests to which the target's pauses do not apply
   */
  async ready(signal: AbortSignal, ignoresPause: boolean): Promise<void> {
    for (;;) {
      const now = Date.now();
      const at = ignoresPause ? this.#nextAt : Math.max(this.#nextAt, this.#resumeAt);
      if (at <= now) {
        this.#nextAt = now + this.#intervalMs;
        return;
      }
      // Meanwhile another caller may go first, or a pause may be prolonged.
      await wait(at - now, signal);
    }
  }

  /** Delays all requests by this time. Returns false, without a pause, when the run's time for pauses is used up. */
  pause(milliseconds: number): boolean {
    const now = Date.now();
    if (!this.spend(Math.max(0, now + milliseconds - Math.max(this.#resumeAt, now)))) return false;
    this.#resumeAt = Math.max(this.#resumeAt, now + milliseconds);
    return true;
  }

  /** Takes one request's own wait from the run's time for pauses. Returns false when too little is left. */
  spend(milliseconds: number): boolean {
    if (this.#pausedMs + milliseconds > this.#maximumPauseMs) return false;
    this.#pausedMs += milliseconds;
    return true;
  }
}

/** Rejects with AbortError when the signal is aborted. */
export async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(1, Math.ceil(milliseconds)), undefined, { signal });
}

/** Milliseconds before a repeat when the response names no time: doubled each time, from the first to the last. */
const backoff = { first: 1000, last: 16_000 };

/** The shortest wait before a repeat, even if the response says 'after 0 seconds'. */
const shortestWaitMs = 50;

/** Repeats of a request that a busy target refused, and milliseconds before the first one, doubled each time. */
const busy = { repeats: 5, firstMs: 100 };

/**
 * How long to wait before a request that a busy target refused, or a gateway could not pass on, is repeated, in milliseconds.
 * Undefined for any other response.
 */
export function busyDelay(status: number, method: string, attempt: number): number | undefined {
  // Servers and proxies limit concurrent connections with 503, and databases refuse one of two overlapping changes.
  const isBusy = status === 503 || (status === 409 && ['PUT', 'DELETE'].includes(method));
  // A gateway may have used a connection that the server was just closing. A second failure has another cause.
  const isGatewayFailure = status === 502 && attempt === 0;
  if (!isGatewayFailure && (!isBusy || attempt >= busy.repeats)) return undefined;
  // At different times, so that requests that were refused together are not sent together again.
  return busy.firstMs * 2 ** attempt * (0.5 + Math.random());
}

/**
 * How long to wait before the request is repeated, in milliseconds: by Retry-After (RFC 9110, section 10.2.3), else
 * X-RateLimit-Reset (epoch seconds), else a doubling delay. Undefined for a response that asks for no repeat.
 *
 * @param attempt repeats so far, from 0
 * @param now milliseconds since the epoch
 */
export function retryDelay(
  response: Pick<WireResponse, 'status' | 'headers'>,
  attempt: number,
  now: number,
): number | undefined {
  const header = (name: string) => response.headers.find(([each]) => each === name)?.[1];
  const retryAfter = header('retry-after');
  if (response.status !== 429 && (response.status !== 503 || retryAfter === undefined)) return undefined;
  // Both times are the server's, so they are compared with its own clock if it sends a Date.
  const date = Date.parse(header('date') ?? '');
  const theirNow = Number.isNaN(date) ? now : date;
  const requested =
    parseRetryAfter(retryAfter, theirNow) ?? parseReset(header('x-ratelimit-reset'), theirNow);
  if (requested !== undefined) return Math.max(requested, shortestWaitMs * 2 ** Math.min(attempt, 4));
  return Math.min(backoff.first * 2 ** attempt, backoff.last);
}

/** True for header fields that name a time at which the request may be repeated. */
export function namesTime(headers: WireResponse['headers'] = []): boolean {
  return headers.some(([name]) => name === 'retry-after' || name === 'x-ratelimit-reset');
}

function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date - now;
}

function parseReset(value: string | undefined, now: number): number | undefined {
  if (value === undefined || !/^\d+(\.\d+)?$/.test(value)) return undefined;
  // Envoy gives the seconds that are left, others the time.
  return Number(value) < 1e8 ? Number(value) * 1000 : Number(value) * 1000 - now;
}
