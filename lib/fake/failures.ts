import type { Call, FakeResponse } from './call.ts';
import type { Rules } from './rules.ts';

/** A failure that a test plans for the next requests. */
export interface PlannedFailure {
  /** Operation id, or `token` for the token endpoint. Default: any request. */
  readonly operation?: string;
  /** How many requests fail. Default 1. */
  readonly times?: number;
  /** Status of the response. Default 503. */
  readonly status?: number;
  /** True (the default) fails before the request has any effect, false after its effect. */
  readonly before?: boolean;
  /** Added to the response: `{ 'retry-after': '1' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True closes the connection instead of responding. */
  readonly close?: boolean;
  /** Milliseconds before the response. */
  readonly delayMs?: number;
}

/** The failures that are still planned, in the order in which they were planned. */
export class Failures {
  #planned: { failure: PlannedFailure; left: number }[] = [];

  add(failure: PlannedFailure): void {
    this.#planned.push({ failure, left: failure.times ?? 1 });
  }

  /** Takes the failure planned for this request. */
  next({ endpoint }: Call): PlannedFailure | undefined {
    const found = this.#planned.find(({ failure }) => (failure.operation ?? endpoint) === endpoint);
    if (found === undefined) return undefined;
    found.left -= 1;
    this.#planned = this.#planned.filter(({ left }) => left > 0);
    return found.failure;
  }

  clear(): void {
    this.#planned = [];
  }
}

/** The response of a planned failure. */
export function failureResponse(failure: PlannedFailure, call: Call, { responses }: Rules): FakeResponse {
  const { status = 503, headers = {} } = failure;
  const refusal = { status, code: 'planned_failure', message: 'This failure was planned by the test' };
  return { status, headers: Object.entries(headers), body: responses.error(refusal, call) };
}
