import type { Exchange } from '../client/exchange.ts';
import { nameOf } from '../report/summary.ts';
import type { ApplicableRequirement } from './applicable.ts';
import { forgetValidation } from './exchange-checks.ts';
import type { Unmet } from './needs.ts';
import type { ExchangeContext } from './requirement.ts';
import { errorOf, type OperationResult, unsent } from './result.ts';
import type { Step, Steps } from './steps.ts';
import { truncateForEvidence, Violation } from './verdict.ts';

const unseenReason = 'no exchange of the run shows it';

/** Broken exchanges that are kept for each check and operation. The report shows the first that no other requirement reports. */
const maximumBroken = 100;

interface BrokenExchange {
  readonly exchange: Exchange;
  readonly error: unknown;
  /** Id of the requirement that sent the exchange. */
  readonly sentBy: string;
  /** The steps of that requirement that led to the exchange. */
  readonly steps: readonly Step[];
}

/** Applies the exchange checks to every exchange of the run. */
export class ExchangeObserver {
  readonly #watched: readonly ApplicableRequirement[];
  /** What broke each requirement on each operation; an empty list if all exchanges passed. */
  readonly #seen = new Map<string, BrokenExchange[]>();

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
        if (error instanceof Violation && check.kind === 'exchange')
          error.stack = `${error.stack}\n${check.definition}`;
        if (broken.length >= maximumBroken) continue;
        const steps = sent.leadingTo([exchange]);
        broken.push({ exchange: truncateForEvidence(exchange), error, sentBy: ctx.sentBy, steps });
      }
    }
    forgetValidation(exchange);
  }

  /** The results of one requirement on each operation, without the exchanges that were attributed to another requirement. */
  results(id: string, attributed: ReadonlySet<number>, unmet: Unmet | undefined): OperationResult[] {
    const { operations = [] } = this.#watched.find((each) => each.id === id) ?? {};
    return operations.map(({ id: operation }) => {
      const result = { ...unsent, operation };
      const seen = this.#seen.get(nameOf({ id, operation }));
      if (seen === undefined)
        return { ...result, kind: 'not-judged', ...(unmet ?? { reason: unseenReason, requiredFlags: [] }) };
      const broken = seen.find(({ exchange }) => !attributed.has(exchange.number));
      if (broken === undefined) return { ...result, kind: 'passed' };
      const { error, exchange, sentBy, steps } = broken;
      const shown = { ...result, exchanges: [exchange], steps };
      if (error instanceof Violation)
        return { ...shown, kind: 'violation', violation: error, shownBy: sentBy };
      return { ...shown, kind: 'error', error: errorOf(error) };
    });
  }
}
