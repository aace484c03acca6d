import type { Exchange } from '../client/exchange.ts';
import { differenceLine } from '../report/difference.ts';
import type { Difference } from '../report/report.ts';

/** What a conforming server may do, `400`, and why: `take=51 is above its maximum`. */
export type Expectation = string | { readonly expected: string; readonly because?: string | undefined };

/** The expectation with its reason, if it has one. */
export function reasoned(expectation: Expectation): Exclude<Expectation, string> {
  return typeof expectation === 'string' ? { expected: expectation } : expectation;
}

/** The one error that is a verdict: the target broke a requirement. Any other error says nothing about the target. */
export class Violation extends Error {
  override name = 'Violation';
  readonly difference: Difference;
  /** The exchanges that show the violation, the decisive one last. */
  readonly exchanges: readonly Exchange[];
  /** The input that shows the violation, shrunk if a property failed. */
  counterexample: unknown;

  /**
   * @param received what the target did
   * @param difference for two unequal values, where they differ
   */
  constructor(
    expectation: Expectation,
    received: string,
    exchanges: readonly Exchange[] = [],
    difference?: Difference,
  ) {
    const { expected, because } = reasoned(expectation);
    const shown = difference ?? { expected, received, ...(because !== undefined && { because }) };
    super(differenceLine(shown));
    this.difference = shown;
    this.exchanges = exchanges.map(truncateForEvidence);
  }
}

/** The requirement could not be judged on this target; `requiredFlags` would change that. Never counts as passed. */
export class NotJudged extends Error {
  override name = 'NotJudged';
  readonly requiredFlags: readonly string[];

  constructor(reason: string, requiredFlags: readonly string[] = []) {
    super(reason);
    this.requiredFlags = requiredFlags;
  }
}

/** For a part that a requirement can do without: rethrows every error but NotJudged. */
export function ignoreNotJudged(error: unknown): void {
  if (!(error instanceof NotJudged)) throw error;
}

/** The target sent no response that could be judged: it hung, closed the connection, or did not speak HTTP. */
export class TargetFailure extends Error {
  readonly exchange: Exchange;

  constructor(exchange: Exchange) {
    const { method, url } = exchange.request;
    const { kind, message = 'no response' } = exchange.failure ?? {};
    // A worker that waits for the next request of a connection serves no other one; an unread body hides the request that follows it.
    const causes = 'fewer workers than --concurrency, or an unread body of an earlier request';
    const hint = kind === 'timeout' ? `; possible causes: ${causes}` : '';
    super(`${message} (${method} ${url})${hint}`);
    this.exchange = truncateForEvidence(exchange);
  }
}

/** The exchange with a truncated response. */
export function truncateForEvidence(exchange: Exchange): Exchange {
  const response = exchange.response?.truncated();
  return response === exchange.response ? exchange : { ...exchange, response };
}
