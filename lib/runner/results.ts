import { isDeepStrictEqual } from 'node:util';
import { type Exchange, isSuccess } from '../client/exchange.ts';
import type { Contract, Operation } from '../contract/model.ts';
import type { Observation, ScopeRow } from '../report/report.ts';
import { type Applicable, judgedOn } from './applicable.ts';
import { type CheckResult, type OperationResult, unsent } from './result.ts';
import type { Task } from './tasks.ts';
import { truncateForEvidence } from './verdict.ts';

/** The measurements of a task. */
type Measured = Pick<OperationResult, 'requests' | 'exchanges' | 'steps' | 'startedAt' | 'durationMs'>;

/** The results so far of each requirement and observation of a run on each of its operations. */
export class Results {
  readonly #results = new Map<string, Map<string | undefined, OperationResult>>();
  /** A valid request that was served, by operation. */
  readonly #twins = new Map<string, Exchange>();
  /** Statuses by scope, by operation. */
  readonly #scopes = new Map<string, Map<string, number>>();
  /** The exchange since which the target fails every request, and the error that this is. */
  #broken: { readonly since: number; readonly error: string } | undefined;

  /** Keeps the plainest valid request of each operation that was served, to show it next to one that fails. */
  recordValid(exchange: Exchange): void {
    const { operation = '', response: { status } = { status: 0 } } = exchange;
    const plainest = this.#twins.get(operation);
    const length = ({ request }: Exchange) =>
      JSON.stringify([request.url, request.headers, request.token?.claims]).length;
    if (!isSuccess(status) || (plainest && length(plainest) <= length(exchange))) return;
    this.#twins.set(operation, truncateForEvidence(exchange));
  }

  /** Stores the status of a request whose token has only this scope. */
  recordScopeResult(operation: Operation, scope: string, status: number): void {
    const cells = this.#scopes.get(operation.id) ?? new Map<string, number>();
    this.#scopes.set(operation.id, cells.set(scope, status));
  }

  /** The stored statuses, in the order of the contract's operations. */
  scopeMatrix({ operations }: Contract): Readonly<Record<string, ScopeRow>> {
    return Object.fromEntries(
      operations.flatMap(({ id, scopes }) => {
        const cells = this.#scopes.get(id);
        const required = scopes.map(({ name }) => name).join(' ');
        return cells === undefined ? [] : [[id, { required, cells: Object.fromEntries(cells) }]];
      }),
    );
  }

  /** Turns violations into errors if they, too, only show that the target fails every request since this exchange. */
  discardViolations(since: number, error: string): void {
    this.#broken = { since, error };
    for (const results of this.#results.values())
      for (const [operation, result] of results) results.set(operation, this.#withoutBroken(result));
  }

  #withoutBroken<Result extends CheckResult>(result: Result): Result | (Result & CheckResult) {
    const { since = Number.POSITIVE_INFINITY, error = '' } = this.#broken ?? {};
    const isBroken = result.kind === 'violation' && (result.violation.exchanges.at(-1)?.number ?? 0) >= since;
    return isBroken ? { ...result, kind: 'error', error } : result;
  }

  /** Stores the result of the task, replacing an earlier one. */
  store({ id, operation }: Task, checked: CheckResult, measured: Measured = unsent): OperationResult {
    const result: OperationResult = {
      ...this.#withoutBroken(checked),
      operation: operation?.id,
      ...measured,
    };
    const results = this.#results.get(id) ?? new Map();
    this.#results.set(id, results.set(operation?.id, result));
    return result;
  }

  forget({ id, operation }: Task): void {
    this.#results.get(id)?.delete(operation?.id);
  }

  has(id: string): boolean {
    return this.#results.has(id);
  }

  /** The results on these operations; without operations, the result of a check that concerns none. */
  of(id: string, operations: readonly string[]): readonly OperationResult[] {
    const results = this.#results.get(id);
    return judgedOn(operations).flatMap((each) => {
      const result = results?.get(each);
      return result === undefined ? [] : { ...result, twin: this.#twins.get(each ?? '') };
    });
  }

  /** The values of those checks that are observations: one value, or a list of those that differ between operations. */
  observations(checks: Iterable<Applicable>): readonly Observation[] {
    return [...checks].flatMap(({ id, row: { description } }) => {
      const values = [...(this.#results.get(id)?.values() ?? [])].flatMap((each) =>
        each.kind === 'passed' && each.value !== undefined ? [each.value] : [],
      );
      const different = values.filter(
        (value, index) => values.findIndex((other) => isDeepStrictEqual(other, value)) === index,
      );
      return different.length === 0
        ? []
        : [{ id, description, value: different.length === 1 ? different[0] : different }];
    });
  }
}
