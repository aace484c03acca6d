import { type Exchange, requestLength } from '../client/exchange.ts';
import { nameOf } from '../report/summary.ts';
import type { ApplicableRequirement } from './applicable.ts';
import type { Unmet } from './needs.ts';
import type { Check, ExchangeContext } from './requirement.ts';
import { errorOf, type OperationResult, unsent } from './result.ts';
import type { Steps } from './steps.ts';
import { truncateForEvidence, Violation } from './verdict.ts';

const unseenReason = 'no exchange of the run was relevant';

/** Broken exchanges that are kept for each check and operation. The report shows one that no other requirement reports. */
const maximumBroken = 100;

/** Applies the exchange checks to every exchange of the run. */
export class ExchangeObserver {
  readonly #watched: readonly ApplicableRequirement[];
  /** The broken exchanges as results of each requirement on each operation; an empty list if all exchanges passed. */
  readonly #seen = new Map<string, OperationResult[]>();

  constructor(requirements: readonly ApplicableRequirement[]) {
    this.#watched = requirements.filter(({ check }) => check.judgeExchange !== undefined);
  }

  /** @param sent the steps of the requirement that sent the exchange */
  observe(exchange: Exchange, seenIn: Omit<ExchangeContext, 'operation'>, sent: Steps): void {
    const operation = seenIn.contract.operations.find(({ id }) => id === exchange.operation);
    if (operation === undefined || exchange.response === undefined || exchange.response.status === 429)
      return;
    const ctx = { ...seenIn, operation };
    for (const { id, check, operations } of this.#watched) {
      if (!operations.includes(operation)) continue;
      const name = nameOf({ id, operation: operation.id });
      const broken = this.#seen.get(name) ?? [];
      try {
        if (check.judgeExchange?.(exchange, ctx)) this.#seen.set(name, broken);
      } catch (error) {
        this.#seen.set(name, broken);
        if (broken.length < maximumBroken) broken.push(brokenResult(error, exchange, check, ctx, sent));
      }
    }
  }

  /** The results of one requirement on each operation, without the exchanges that were attributed to another requirement. */
  results(id: string, attributed: ReadonlySet<number>, unmet: Unmet | undefined): OperationResult[] {
    const { operations = [] } = this.#watched.find((each) => each.id === id) ?? {};
    return operations.map(({ id: operation }) => {
      const result = { ...unsent, operation };
      const seen = this.#seen.get(nameOf({ id, operation }));
      if (seen === undefined)
        return { ...result, kind: 'not-judged', ...(unmet ?? { reason: unseenReason, requiredFlags: [] }) };
      const isNew = ({ exchanges }: OperationResult) =>
        exchanges.every(({ number }) => !attributed.has(number));
      const length = ({ exchanges }: OperationResult) =>
        exchanges.reduce((sum, exchange) => sum + requestLength(exchange), 0);
      // Of several violations, the one with the shortest request is the easiest to read.
      const [first] = seen.filter(isNew).toSorted((one, other) => length(one) - length(other));
      return first ?? { ...result, kind: 'passed' };
    });
  }
}

function brokenResult(
  error: unknown,
  exchange: Exchange,
  check: Check,
  { operation, sentBy }: ExchangeContext,
  sent: Steps,
): OperationResult {
  const exchanges = [truncateForEvidence(exchange)];
  const result = { ...unsent, operation: operation.id, exchanges, steps: sent.leadingTo([exchange]) };
  if (!(error instanceof Violation)) return { ...result, kind: 'error', error: errorOf(error) };
  if (check.kind === 'exchange') error.stack = `${error.stack}\n${check.definition}`;
  return { ...result, kind: 'violation', violation: error, shownBy: sentBy };
}
