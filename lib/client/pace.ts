import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Turn } from './exchange.ts';

/** Requests that wait, by who sends them: each sender's in the order in which they came. */
interface Line {
  /** Senders that have nothing under way. */
  readonly idle: Map<object, (() => void)[]>;
  /** The others, who take turns. */
  readonly busy: Map<object, (() => void)[]>;
}

const line = (): Line => ({ idle: new Map(), busy: new Map() });

/**
 * At most so many at a time: by their turns; of one turn first those whose sender has nothing under way, so that a chain of requests
 * never waits behind a crowd of them.
 */
export class Semaphore {
  #size: number;
  /** Below none after it was narrowed, until enough of what is under way has ended. */
  #free: number;
  readonly #waiting: Readonly<Record<Turn, Line>> = { first: line(), usual: line(), last: line() };
  /** How many each sender has under way; none stands for 0. */
  readonly #underWay = new Map<object, number>();

  constructor(size: number) {
    this.#size = size;
    this.#free = size;
  }

  /** From now on at most so many at a time. */
  narrow(size: number): void {
    const less = Math.max(0, this.#size - size);
    this.#size -= less;
    this.#free -= less;
  }

  /** @param sender who sends the request; the same for `release` */
  async acquire(turn: Turn = 'usual', sender: object = this): Promise<void> {
    if (this.#free > 0) return this.#begin(sender);
    const { idle, busy } = this.#waiting[turn];
    const queue = idle.get(sender) ?? busy.get(sender) ?? [];
    if (queue.length === 0) (this.#underWay.has(sender) ? busy : idle).set(sender, queue);
    await new Promise<void>((resolve) => queue.push(resolve));
  }

  release(sender: object = this): void {
    const { first, usual, last } = this.#waiting;
    const left = (this.#underWay.get(sender) ?? 1) - 1;
    if (left > 0) this.#underWay.set(sender, left);
    else {
      this.#underWay.delete(sender);
      for (const { idle, busy } of [first, usual, last]) move(sender, busy, idle);
    }
    this.#free++;
    if (this.#free <= 0) return;
    const next = this.#nextOf(first) ?? this.#nextOf(usual) ?? this.#nextOf(last);
    next?.();
  }

  #begin(sender: object): void {
    this.#free--;
    this.#underWay.set(sender, (this.#underWay.get(sender) ?? 0) + 1);
  }

  #nextOf({ idle, busy }: Line): (() => void) | undefined {
    const waiting = idle.size > 0 ? idle : busy;
    const [longest] = waiting;
    if (longest === undefined) return undefined;
    const [sender, queue] = longest;
    const next = queue.shift();
    waiting.delete(sender);
    if (queue.length > 0) busy.set(sender, queue);
    this.#begin(sender);
    return next;
  }
}

function move<Key, Value>(key: Key, from: Map<Key, Value>, to: Map<Key, Value>): void {
  const value = from.get(key);
  if (value === undefined) return;
  from.delete(key);
  to.set(key, value);
}

/** When a request may go out: evenly spaced by the rate, and not before the target has said that it wants more. */
export class Pace {
  readonly #intervalMs: number;
  #leftMs: number;
  #nextAt = 0;
  #resumeAt = 0;
  readonly #closing = new AbortController();

  /**
   * @param rate requests a second; undefined for as many as come.
   * @param maximumPauseMs milliseconds for which all pauses of the run together may hold it up.
   */
  constructor(rate: number | undefined, maximumPauseMs: number) {
    this.#intervalMs = rate === undefined ? 0 : 1000 / rate;
    this.#leftMs = maximumPauseMs;
    // Every request that waits listens.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Resolves when the caller's turn has come. Rejects with AbortError once closed. */
  async turn(): Promise<void> {
    this.#closing.signal.throwIfAborted();
    // A pause may be prolonged while it is waited out.
    while (this.#resumeAt > Date.now()) await this.wait(this.#resumeAt - Date.now());
    if (this.#intervalMs === 0) return;
    const at = Math.max(Date.now(), this.#nextAt);
    this.#nextAt = at + this.#intervalMs;
    if (at > Date.now()) await this.wait(at - Date.now());
  }

  /** Nobody's turn comes for so long. False, and no pause, where the run has no time left for it. */
  pause(milliseconds: number): boolean {
    const now = Date.now();
    const prolongation = Math.max(0, now + milliseconds - Math.max(this.#resumeAt, now));
    if (prolongation > this.#leftMs) return false;
    this.#leftMs -= prolongation;
    this.#resumeAt = Math.max(this.#resumeAt, now + milliseconds);
    return true;
  }

  /** Takes the time for one request's own wait from what all waits together may last; false where too little is left. */
  afford(milliseconds: number): boolean {
    if (milliseconds > this.#leftMs) return false;
    this.#leftMs -= milliseconds;
    return true;
  }

  /** Rejects with AbortError once closed. */
  async wait(milliseconds: number): Promise<void> {
    await sleep(Math.max(1, Math.ceil(milliseconds)), undefined, { signal: this.#closing.signal });
  }

  close(): void {
    this.#closing.abort();
  }
}

/** Milliseconds between repeats where the target names no time: doubled each time, from the first to the last. */
const backoff = { first: 1000, last: 16_000 };

/** No target may have its requests repeated without a breath, even if it says 'after 0 seconds'. */
const shortestWaitMs = 50;

/**
 * How long an answer asks to wait before the request is repeated, in milliseconds: by Retry-After (RFC 9110, section
 * 10.2.3), else X-RateLimit-Reset (epoch seconds), else by a doubling delay. Undefined where it asks for no repeat.
 *
 * @param attempt repeats so far, from 0.
 * @param now milliseconds since the epoch.
 */
export function askedWait(
  response: { readonly status: number; header(name: string): string | undefined },
  attempt: number,
  now: number,
): number | undefined {
  const retryAfter = response.header('retry-after');
  if (response.status !== 429 && (response.status !== 503 || retryAfter === undefined)) return undefined;
  // Both points of time are the server's, so they are measured by its own clock where it tells it.
  const date = Date.parse(response.header('date') ?? '');
  const theirNow = Number.isNaN(date) ? now : date;
  const asked =
    parseRetryAfter(retryAfter, theirNow) ?? parseReset(response.header('x-ratelimit-reset'), theirNow);
  const breath = shortestWaitMs * 2 ** Math.min(attempt, 4);
  if (asked !== undefined) return Math.max(asked, breath);
  return Math.min(backoff.first * 2 ** attempt, backoff.last);
}

function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date - now;
}

function parseReset(value: string | undefined, now: number): number | undefined {
  return value !== undefined && /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 - now : undefined;
}
