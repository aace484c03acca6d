import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../client/exchange.ts';
import { oneLine } from '../contract/one-line.ts';
import { ControlError } from '../control/control.ts';
import { line, plural } from '../report/text.ts';

/** Consecutive timeouts after which the target counts as hung. */
const silentLimit = 30;

/** A target that has not responded to any request for this many milliseconds hangs. */
const silentMs = 60_000;

/** Consecutive responses of 500 or above, from more than one operation, after which the target counts as broken down. */
const failingLimit = 40;

/** Restarts of the target that a run tolerates. A target that keeps restarting cannot be judged. */
const maximumRestarts = 2;

/** Milliseconds between two checks whether the target is back. */
const pollMs = 250;

/** Options of `Availability`. */
export interface AvailabilityOptions {
  /** True if the target sends any response. */
  readonly isReachable: () => Promise<boolean>;
  /** Milliseconds to wait for an unavailable target. */
  readonly waitMs: number;
  /** Called when the target is back, before interrupted checks are run again. Called again after a ControlError. */
  readonly onReturn: () => Promise<void>;
  /**
   * Called once when the run stops because the target is unavailable, with the reason in one line.
   * @param since number of the exchange from which on the target has failed every request, or not responded; undefined if unknown
   */
  readonly onUnavailable: (why: string, since?: number) => void;
  /** Called after each restart, with a note of one line. */
  readonly onRestart: (note: string) => void;
}

/** Detects that the target is unavailable, and waits for it to come back. */
export class Availability {
  readonly #options: AvailabilityOptions;
  #timeouts = 0;
  /** The first exchange without a response since the last one with a response. */
  #silentFrom: number | undefined;
  /** When the first request since the last response was sent, in milliseconds since the epoch. */
  #silentSince: number | undefined;
  /**
   * The exchange with which the target began to fail every request, when that ended, in milliseconds since the run's start, how
   * many it has failed, and on which operations.
   */
  #failing:
    | {
        readonly since: number;
        readonly endedAt: number;
        count: number;
        /** True if a valid request was among them: a broken check of tokens may fail every request that is to be refused. */
        hasValid: boolean;
        readonly operations: Set<string | undefined>;
      }
    | undefined;
  /** The largest request since then, on which the target may hang, and the requirement that sent it. */
  #largest: { readonly request: Exchange['request']; readonly sentBy: string } | undefined;
  #recovery: Promise<void> | undefined;
  /** Why the run has given the target up; undefined if it has not. */
  unavailableReason: string | undefined;
  /** Restarts so far. */
  restarts = 0;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  /** True while the run waits for the target or resets it: the target may contain other data than the run's. */
  get isRecovering(): boolean {
    return this.#recovery !== undefined;
  }

  /**
   * Detects from an exchange whether the target is unavailable.
   * @param sentBy id of the requirement
   * @param isValid true if the request must be served
   */
  record(exchange: Exchange, sentBy: string, isValid: boolean): void {
    const { number, request, response, failure, durationMs } = exchange;
    this.#recordFailing(exchange, isValid);
    if (response === undefined) this.#silentFrom ??= number;
    if (response !== undefined) this.#endSilence();
    else if (failure?.kind === 'refused') void this.#startRecovery(true);
    else if (failure?.kind === 'timeout') {
      this.#timeouts += 1;
      this.#silentSince ??= Date.now() - durationMs;
      if (this.#largest === undefined || request.bodyBytes > this.#largest.request.bodyBytes)
        this.#largest = { request, sentBy };
      const silentFor = Date.now() - this.#silentSince;
      if (this.#timeouts >= silentLimit || silentFor >= silentMs)
        this.#giveUp(
          `the target has not responded for ${Math.round(silentFor / 1000)} s; ${describe(this.#largest)}`,
        );
    }
  }

  #recordFailing(exchange: Exchange, isValid: boolean): void {
    const { number, operation, response, failure, startedAt, durationMs } = exchange;
    const isFailing = response === undefined ? failure !== undefined : response.status >= 500;
    const first = { since: number, endedAt: startedAt + durationMs, count: 0, hasValid: false };
    if (isFailing) this.#failing ??= { ...first, operations: new Set() };
    // A request that was sent before the target began to fail does not show that it has recovered.
    else if (this.#failing !== undefined && startedAt >= this.#failing.endedAt) this.#failing = undefined;
    if (this.#failing === undefined || !isFailing || response === undefined) return;
    const { operations, since } = this.#failing;
    const count = ++this.#failing.count;
    this.#failing.hasValid ||= isValid;
    operations.add(operation);
    if (count < failingLimit || operations.size < 2 || !this.#failing.hasValid) return;
    const last = `the last ${count} responses, from ${operations.size} operations, have a status of 500 or above`;
    this.#giveUp(`the target fails every request: ${last} (${response.status})`, since);
  }

  #endSilence(): void {
    this.#timeouts = 0;
    this.#silentSince = undefined;
    this.#silentFrom = undefined;
    this.#largest = undefined;
  }

  /**
   * Waits for the target to come back if a check was interrupted, or if another request found the target unavailable.
   * @param restartsBefore number of restarts when the check began
   * @param isInterrupted true if the target may have been unavailable during the check
   * @returns true if the target was restarted meanwhile, so that everything since then must be repeated
   */
  async recover(restartsBefore: number, isInterrupted: boolean): Promise<boolean> {
    if (isInterrupted) await this.#startRecovery();
    else await this.#recovery;
    return this.restarts > restartsBefore;
  }

  #giveUp(why: string, since = this.#silentFrom): void {
    if (this.unavailableReason !== undefined) return;
    this.unavailableReason = why;
    this.#options.onUnavailable(why, since);
  }

  /** @param wasRefused true if the target refused a connection */
  #startRecovery(wasRefused = false): Promise<void> {
    this.#recovery ??= this.#wait(wasRefused)
      .catch((error: unknown) => this.#giveUp(oneLine(error)))
      .finally(() => {
        this.#recovery = undefined;
      });
    return this.#recovery;
  }

  async #wait(wasRefused: boolean): Promise<void> {
    const { isReachable, waitMs, onRestart } = this.#options;
    if (this.unavailableReason !== undefined) return;
    const mayRestart = this.restarts < maximumRestarts;
    // A target that refused a connection may be back already, with other data.
    if ((await isReachable()) && !(wasRefused && mayRestart)) return;
    if (!mayRestart)
      return this.#giveUp(
        `the target became unavailable again after ${maximumRestarts} restarts; if it allows few connections, lower --concurrency`,
      );
    const began = Date.now();
    do {
      // Other requests may have found meanwhile that the target hangs.
      if (this.unavailableReason !== undefined) return;
      if (Date.now() - began > waitMs)
        return this.#giveUp(
          `the target became unavailable and did not respond again within ${waitMs / 1000} s`,
        );
      await sleep(pollMs);
    } while (!(await isReachable()) || !(await this.#isReset()));
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    this.restarts += 1;
    this.#endSilence();
    onRestart(`the target was unavailable for ${seconds} s; interrupted checks were run again`);
  }

  /** True if the returned target could be reset: its control endpoint may come back later than the service. */
  async #isReset(): Promise<boolean> {
    try {
      await this.#options.onReturn();
      return true;
    } catch (error) {
      if (error instanceof ControlError) return false;
      throw error;
    }
  }
}

/** `the largest request was PUT https://… with 1,000,000 bytes (8/payload-accepted)` */
function describe({ request, sentBy }: { readonly request: Exchange['request']; readonly sentBy: string }) {
  const { method, url, bodyBytes } = request;
  const body = bodyBytes === 0 ? '' : ` with ${plural(bodyBytes, 'byte')}`;
  return `the largest request was ${method} ${line(url, 200)}${body} (${sentBy})`;
}
