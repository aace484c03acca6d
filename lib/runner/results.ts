import type { Exchange } from '../client/exchange.ts';
import type { Contract, Operation } from '../contract/model.ts';
import type { Observation, ScopeRow } from '../report/report.ts';
import type { Applicable } from './applicable.ts';
import { type CheckResult, type OperationResult, unsent } from './result.ts';
import type { Step } from './steps.ts';
import type { Task } from './tasks.ts';
import { truncateForEvidence } from './verdict.ts';

/** What was measured while a task was performed. */
type Measured = Pick<OperationResult, 'requests' | 'exchanges' | 'steps' | 'startedAt' | 'durationMs'>;

/** What came of the requirements and observations of a run so far, each on each of its operations. */
export class Results {
  readonly #results = new Map<string, Map<string | undefined, OperationResult>>();
  /** By operation a valid request that was served. */
  readonly #twins = new Map<string, Exchange>();
  readonly #scopes = new Map<string, ScopeRow>();

  /** Keeps the plainest valid request of each operation that is served, to be shown next to one that fails. */
  recordValid(exchange: Exchange): void {
    const { operation = '', response: { status } = { status: 0 } } = exchange;
    const plainest = this.#twins.get(operation);
    const length = ({ request }: Exchange) =>
      JSON.stringify([request.url, request.headers, request.token?.claims]).length;
    if (status < 200 || status > 299 || (plainest && length(plainest) <= length(exchange))) return;
    this.#twins.set(operation, truncateForEvidence(exchange));
  }

  /** Stores the status that a token of this scope alone got. */
  recordScope(operation: Operation, scope: string, status: number): void {
    const required = operation.scopes.map(({ name }) => name).join(' ');
    const row = this.#scopes.get(operation.id) ?? { required, cells: {} };
    this.#scopes.set(operation.id, { required, cells: { ...row.cells, [scope]: status } });
  }

  /** The scopes sent so far, in the order of the contract's operations. */
  scopeMatrix({ operations }: Contract): Readonly<Record<string, ScopeRow>> {
    const rows = operations.map(({ id }) => [id, this.#scopes.get(id)] as const);
    return Object.fromEntries(rows.filter((row): row is [string, ScopeRow] => row[1] !== undefined));
  }

  /** Stores the result of the task, in place of an earlier one. */
  store({ id, operation }: Task, checked: CheckResult, measured: Measured = unsent): OperationResult {
    const result: OperationResult = { ...checked, operation: operation?.id, ...measured };
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

  /** The results on these operations; without any, that of a check that concerns no operation. */
  of(id: string, operations: readonly string[]): readonly OperationResult[] {
    const results = this.#results.get(id);
    return (operations.length === 0 ? [undefined] : operations).flatMap((each) => {
      const result = results?.get(each);
      return result === undefined ? [] : { ...result, twin: this.#twins.get(each ?? '') };
    });
  }

  /** What led to the violation that was found last; empty where there is none. */
  stepsOfLastViolation(): readonly Step[] {
    const results = [...this.#results.values()].flatMap((each) => [...each.values()]);
    return results.findLast(({ kind }) => kind === 'violation')?.steps ?? [];
  }

  /** What those of these checks that are observations have seen: one value, or one for each operation. */
  observations(checks: Iterable<Applicable>): readonly Observation[] {
    return [...checks].flatMap(({ id, row: { description } }) => {
      const values = [...(this.#results.get(id)?.values() ?? [])].flatMap((each) =>
        each.kind === 'passed' && each.value !== undefined ? [each.value] : [],
      );
      return values.length === 0
        ? []
        : [{ id, description, value: values.length === 1 ? values[0] : values }];
    });
  }

  /** How many requests each check has sent, on average of its operations. */
  requestsPerOperation(): ReadonlyMap<string, number> {
    return new Map(
      [...this.#results].map(([id, results]) => {
        const sent = [...results.values()].reduce((sum, { requests }) => sum + requests, 0);
        return [id, sent / results.size];
      }),
    );
  }
}
