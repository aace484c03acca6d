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

/** The planned failures in their order, each with the number of requests that it is still for. */
export type PlannedFailures = Map<PlannedFailure, number>;

/** Takes the failure that is planned for this request. */
export function takeFailure(planned: PlannedFailures, { endpoint }: Call): PlannedFailure | undefined {
  for (const [failure, left] of planned) {
    if ((failure.operation ?? endpoint) !== endpoint) continue;
    if (left > 1) planned.set(failure, left - 1);
    else planned.delete(failure);
    return failure;
  }
  return undefined;
}

/** The response of a planned failure. */
export function failureResponse(failure: PlannedFailure, call: Call, { responses }: Rules): FakeResponse {
  const { status = 503, headers = {} } = failure;
  const refusal = { status, code: 'planned_failure', message: 'This failure was planned by the test' };
  return { status, headers: Object.entries(headers), body: responses.error(refusal, call) };
}
