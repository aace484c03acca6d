import type { Exchange } from '../client/exchange.ts';
import type { Difference } from '../report/report.ts';

/** The one error that is a verdict: the target broke a requirement. Any other error says nothing about the target. */
export class Violation extends Error {
  override name = 'Violation';
  /** What a conforming server may do, in words. */
  readonly expected: string;
  /** What came, in words. */
  readonly got: string;
  /** The exchanges that show it, the decisive one last. */
  readonly exchanges: readonly Exchange[];
  /** The input that shows it, shrunk where a property failed. */
  counterexample: unknown;
  /** Where two values differ, if that is what it is about; else `expected` and `got` say it. */
  readonly difference: Difference | undefined;

  constructor(
    expected: string,
    got: string,
    exchanges: readonly Exchange[] = [],
    counterexample?: unknown,
    difference?: Difference,
  ) {
    super(`expected ${expected}; got ${got}`);
    this.expected = expected;
    this.got = got;
    this.exchanges = exchanges.map(truncateForEvidence);
    this.counterexample = counterexample;
    this.difference = difference;
  }
}

/** A requirement that could not be judged on this target, with what would requiredFlags it. Never counts as passed. */
export class NotJudged extends Error {
  override name = 'NotJudged';
  readonly requiredFlags: readonly string[];

  constructor(reason: string, requiredFlags: readonly string[] = []) {
    super(reason);
    this.requiredFlags = requiredFlags;
  }
}

/** The target gave no response that could be judged: it hung, broke off, or did not speak HTTP. */
export class TargetFailure extends Error {
  override name = 'TargetFailure';
  readonly exchange: Exchange;

  constructor(exchange: Exchange) {
    const { method, url } = exchange.request;
    super(`${method} ${url}: ${exchange.failure?.message ?? 'no response'}`);
    this.exchange = truncateForEvidence(exchange);
  }
}

/** The exchange with a truncated response. */
export function truncateForEvidence({ response, ...exchange }: Exchange): Exchange {
  return { ...exchange, response: response?.truncated() };
}
