import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../client/exchange.ts';

/** Requests in a row that time out after which the target counts as hung. */
const silentLimit = 30;

/** Milliseconds without any response, though requests were sent, after which the target counts as hung. */
const silentMs = 60_000;

/** Restarts of the target that a run gets over: one that keeps restarting is not judged by what it answers in between. */
const maximumRestarts = 2;

/** Milliseconds between two looks whether the target is back. */
const pollMs = 250;

/** What the watch on a target needs. */
export interface AvailabilityOptions {
  /** True where the target gives some response. */
  readonly isReachable: () => Promise<boolean>;
  /** Milliseconds to wait for an unavailable target. */
  readonly waitMs: number;
  /** Called when the target is back, before anything is sent to it again. */
  readonly onReturn: () => Promise<void>;
  /** Called with one line on why the target counts as unavailable for good. */
  readonly onUnavailable: (why: string) => void;
  /** Called with one line on each restart. */
  readonly onRestart: (note: string) => void;
}

/** Detects that the target is unavailable, and waits for it to come back. */
export class Availability {
  readonly #options: AvailabilityOptions;
  #timeouts = 0;
  #respondedAt = Date.now();
  #recovery: Promise<void> | undefined;
  #unavailableReason: string | undefined;
  /** Restarts so far. */
  restarts = 0;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  /** Why the target counts as unavailable for good; undefined where it does not. */
  get unavailableReason(): string | undefined {
    return this.#unavailableReason;
  }

  /** Takes note of an exchange. */
  record({ response, failure }: Pick<Exchange, 'response' | 'failure'>): void {
    if (response !== undefined) {
      this.#timeouts = 0;
      this.#respondedAt = Date.now();
    } else if (failure?.kind === 'refused') void this.#startRecovery();
    else if (failure?.kind === 'timeout') {
      this.#timeouts += 1;
      const silentFor = Date.now() - this.#respondedAt;
      if (this.#timeouts >= silentLimit || silentFor >= silentMs)
        this.#giveUp(
          `the target stopped responding: nothing came back for ${Math.round(silentFor / 1000)} s`,
        );
    }
  }

  /**
   * After a request that got no response, or where others have found the target unavailable: waits for it.
   * @param since restarts when the request was sent
   * @returns true where the target was restarted meanwhile, so that everything since is to be done again
   */
  async recover(since: number, failure: Exchange['failure']): Promise<boolean> {
    if (failure?.kind === 'refused' || failure?.kind === 'closed') await this.#startRecovery();
    else await this.#recovery;
    return this.restarts > since;
  }

  #giveUp(why: string): void {
    if (this.#unavailableReason !== undefined) return;
    this.#unavailableReason = why;
    this.#options.onUnavailable(why);
  }

  #startRecovery(): Promise<void> {
    this.#recovery ??= this.#wait().finally(() => {
      this.#recovery = undefined;
    });
    return this.#recovery;
  }

  /** Never rejects. */
  async #wait(): Promise<void> {
    const { isReachable, waitMs, onReturn, onRestart } = this.#options;
    if (this.#unavailableReason !== undefined || (await isReachable())) return;
    if (this.restarts >= maximumRestarts)
      return this.#giveUp(
        `the target went away again, after ${maximumRestarts} restarts; if it allows few connections, lower --concurrency`,
      );
    const began = Date.now();
    do {
      if (Date.now() - began > waitMs)
        return this.#giveUp(`the target went away and did not come back within ${waitMs / 1000} s`);
      await sleep(pollMs);
    } while (!(await isReachable()));
    const away = ((Date.now() - began) / 1000).toFixed(1);
    await onReturn();
    this.restarts += 1;
    this.#timeouts = 0;
    this.#respondedAt = Date.now();
    onRestart(`the target was away for ${away} s; what was under way was run again`);
  }
}
