import type { Exchange } from '../client/exchange.ts';
import type { DataSet, Resources } from '../contract/data-set.ts';
import { resourcesOf } from '../contract/data-set.ts';
import type { Ledger, ObservationRow } from '../contract/ledger.ts';
import type { Operation } from '../contract/model.ts';
import { withCauses } from '../report/causes.ts';
import type { Observation, RecordedExchange, RequirementResult, ScopeRow } from '../report/report.ts';
import { type Representative, representatives } from './alike.ts';
import {
  type Applicable,
  type ApplicableObservation,
  type ApplicableRequirement,
  applicable,
} from './applicable.ts';
import { concurrently } from './concurrently.ts';
import { FullContext, type RunContext } from './context.ts';
import { ExchangeObserver } from './exchange-checks.ts';
import { lacking } from './needs.ts';
import type { Check, Observation as ObservationCheck, RequirementCheck } from './requirement.ts';
import { createResourcePool } from './resource-pool.ts';
import { errorOf, type OperationResult, recorded, resultOf } from './result.ts';
import type { RunOptions } from './run-options.ts';
import { saveCheckpoints } from './saved-checkpoints.ts';
import { movesClock, scheduleOf } from './schedule.ts';
import { VirtualTime } from './shared-clock.ts';
import type { Target } from './target.ts';
import { NotJudged, TargetFailure, Violation } from './verdict.ts';
import type { Visualizations } from './visualizations.ts';

/** What a run found, in the report's terms. */
export interface Findings {
  readonly requirements: readonly RequirementResult[];
  readonly observations: readonly Observation[];
  readonly scopeMatrix: Readonly<Record<string, ScopeRow>>;
  readonly pictures: Visualizations;
  /** Everything that was sent, where it was asked for. */
  readonly exchanges?: readonly RecordedExchange[];
}

/** One requirement or observation on one operation. */
interface Task {
  readonly row: ObservationRow;
  readonly operation: Operation | undefined;
  /** Operations for which this one stands, in a sample; else 1. */
  readonly standsFor: number;
  readonly check: RequirementCheck | ObservationCheck;
}

/**
 * Judges the target by every entry of the suite, each on every operation that its row names.
 * Order: everything that shares the tenant, then what deletes and what seeds, then what moves the clock, then what must be alone.
 */
export async function runSuite(
  target: Target,
  ledger: Ledger,
  suite: readonly Check[],
  options: RunOptions,
): Promise<Findings> {
  const state = new RunState(target, ledger, suite, options);
  const putBack = await state.begin();
  try {
    await state.judgeAll();
  } finally {
    // What was found stands, even where the target died or refuses its own data.
    await putBack().catch((error: unknown) =>
      options.onTrouble?.(`the tenant could not be put back as it was: ${errorOf(error)}`),
    );
  }
  return state.findings();
}

class RunState {
  readonly #target: Target;
  readonly #options: RunOptions;
  readonly #tasks: readonly Task[];
  readonly #requirements: readonly ApplicableRequirement[];
  readonly #observations: readonly ApplicableObservation[];
  readonly #cases = new Map<string, OperationResult[]>();
  readonly #observed = new Map<string, unknown[]>();
  readonly #matrix = new Map<string, { required: string; cells: Record<string, number> }>();
  readonly #watch: ExchangeObserver;
  readonly #pictures: Visualizations = { walks: [], checkpoints: [] };
  readonly #claimed = new Set<number>();
  readonly #clock: VirtualTime;
  readonly #exchanges: RecordedExchange[] = [];
  #renewals = 0;
  #run: RunContext;
  #done = 0;
  /** Exchanges in a row that got no answer: a target that died must not hold the run up. */
  #silent = 0;

  constructor(target: Target, ledger: Ledger, suite: readonly Check[], options: RunOptions) {
    this.#target = target;
    this.#options = options;
    const { selected } = options;
    const all = applicable(ledger, suite, target.contract, target.cloud);
    const isSelected = ({ id }: { readonly id: string }) => selected?.has(id) ?? true;
    this.#requirements = all.requirements.filter(isSelected);
    this.#observations = all.observations.filter(isSelected);
    const tasksOf = ({ row, check, operations }: Applicable): Task[] => {
      if (check.kind === 'exchange') return [];
      if (operations.length === 0) return [{ row, check, operation: undefined, standsFor: 1 }];
      const chosen: readonly Representative[] =
        options.sample === undefined
          ? operations.map((operation) => ({ operation, standsFor: 1 }))
          : representatives(target.contract, operations);
      return chosen.map((each) => ({ row, check, ...each }));
    };
    this.#tasks = [...this.#requirements, ...this.#observations].flatMap(tasksOf);
    this.#watch = new ExchangeObserver(
      this.#requirements.flatMap(({ row, check, operations }) =>
        check.kind === 'exchange'
          ? [{ row, check, operations: new Set(operations.map(({ id }) => id)) }]
          : [],
      ),
      target.contract,
    );
    this.#clock = new VirtualTime(async (offsetSeconds) => target.control?.moveClock(offsetSeconds));
    this.#run = this.#newRun(undefined);
  }

  /** @param resources ids that requests may name: those of the data set, where it is the suite's own */
  #newRun(
    dataSet: DataSet | undefined,
    resources: Resources = dataSet ? resourcesOf(dataSet) : this.#target.resources,
  ): RunContext {
    return {
      target: this.#target,
      stock: createResourcePool(resources),
      seed: this.#options.seed,
      runs: this.#options.runs ?? 40,
      tried: this.#options.sample?.examples ?? Number.POSITIVE_INFINITY,
      logWaitMs: this.#options.logWaitMs ?? 10_000,
      dataSet,
      clock: this.#clock,
      matrix:
        this.#options.matrix ??
        (this.#target.contract.operations.length > fullMatrixOperations ? 'grouped' : 'full'),
      kept: this.#options.kept ?? { resumed: [], saves: false, issued: [] },
      pictures: this.#pictures,
      mayRenew: () => this.#target.tokens.minter === undefined && this.#renewals++ < maximumRenewals,
      record: (exchange) => {
        this.#silent =
          exchange.failure?.kind === 'refused' || exchange.failure?.kind === 'timeout' ? this.#silent + 1 : 0;
        this.#watch.see(exchange);
      },
      claim: (exchanges) => {
        for (const exchange of exchanges) this.#claimed.add(exchange.number);
      },
      cell: (operation, scope, status) => {
        const row = this.#matrix.get(operation.id) ?? {
          required: operation.scopes.map((each) => each.name).join(' '),
          cells: {},
        };
        row.cells[scope] = status;
        this.#matrix.set(operation.id, row);
      },
    };
  }

  /** Fills the tenant with the run's data; what comes back puts everything as it was. */
  async begin(): Promise<() => Promise<void>> {
    const { control } = this.#target;
    const can = (capability: 'seed' | 'inspect' | 'clock') => this.#target.capabilities.has(capability);
    if (control === undefined || !this.#tasks.some((task) => this.#reach(task) === undefined))
      return async () => {};
    const before = can('inspect') ? await control.inspect() : undefined;
    const seeds = can('seed') && this.#options.dataSet !== undefined;
    if (seeds && this.#options.dataSet) {
      await control.seed(this.#options.dataSet);
      this.#run = this.#newRun(this.#options.dataSet);
    } else if (before !== undefined) this.#run = this.#newRun(before, this.#target.resources);
    return async () => {
      if (can('clock')) await control.moveClock(0);
      if (seeds && before !== undefined) await control.seed(before);
    };
  }

  async judgeAll(): Promise<void> {
    const { together, apart, consuming, changing, clock, alone } = scheduleOf(this.#tasks);
    const operations = new Set(apart.map(({ operation }) => operation?.id));
    const limit = this.#options.concurrency ?? 32;
    const perform = (task: Task) => this.#perform(task);
    const oneByOne = async (tasks: readonly Task[]): Promise<void> => {
      for (const task of tasks) {
        await this.#perform(task);
        await this.#restore(task);
      }
    };
    const isHeld = ({ operation }: Task): boolean =>
      apart.length > 0 && (operation === undefined || operations.has(operation.id));
    await concurrently(together, perform, { limit, apart, isHeld });
    await concurrently(consuming, perform, { limit });
    await oneByOne(changing);
    await this.#clock.share(clock.map((task) => () => perform(task)));
    const [oneOfThem] = clock;
    if (oneOfThem !== undefined) await this.#restore(oneOfThem);
    await oneByOne(alone);
    // At the very end, when nothing that this run does can void them.
    if (this.#options.signal?.aborted !== true)
      await saveCheckpoints(this.#run, (message) => this.#options.onTrouble?.(message));
  }

  /** After a requirement that moved the clock, seeded or deleted: the run's data and the real time again. */
  async #restore({ row, check }: Task): Promise<void> {
    const { control } = this.#target;
    // What an interrupted run puts back is put back once, at its end.
    if (control === undefined || this.#options.signal?.aborted) return;
    const seeds = this.#target.capabilities.has('seed') && this.#run.dataSet !== undefined;
    try {
      if (movesClock(check) && this.#target.capabilities.has('clock')) await control.moveClock(0);
      if (
        seeds &&
        this.#run.dataSet &&
        (check.needs.includes('seed') || check.needs.includes('rate_limit_policy'))
      ) {
        await control.seed(this.#run.dataSet);
        this.#run = this.#newRun(this.#run.dataSet);
      }
    } catch (error) {
      // What follows would be judged on data that nobody knows; each of them says so by itself.
      this.#case(row.id, {
        operation: undefined,
        kind: 'error',
        error: errorOf(error),
        requests: 0,
        exchanges: [],
        startedAt: 0,
        durationMs: 0,
      });
    }
  }

  /** Why the task cannot be judged at all, or undefined. */
  #reach({ check }: { readonly check: Check }): { reason: string; unlock: readonly string[] } | undefined {
    if (this.#options.signal?.aborted) return { reason: 'the run was interrupted', unlock: [] };
    return lacking(this.#target, check.needs);
  }

  async #perform(task: Task): Promise<void> {
    const { row, operation, check } = task;
    const ctx = new FullContext(this.#run, row.id, operation);
    const began = performance.now();
    this.#options.onProgress?.({ done: this.#done, total: this.#tasks.length, current: row.id });
    const found = await this.#outcome(task, ctx);
    this.#done += 1;
    if (this.#options.recordExchanges === true)
      for (const exchange of ctx.exchanges)
        this.#exchanges.push({ ...recorded(exchange), requirement: row.id });
    const { length } = ctx.exchanges;
    this.#options.sample?.leftOut((length + ctx.untried) * task.standsFor - length);
    if (check.kind === 'observation') {
      if (found.kind === 'passed' && found.value !== undefined) {
        const values = this.#observed.get(row.id) ?? [];
        this.#observed.set(row.id, [...values, found.value]);
      }
      return;
    }
    if (found.kind === 'violation') this.#run.claim(found.violation.exchanges);
    this.#case(row.id, {
      ...found,
      operation: operation?.id,
      requests: ctx.exchanges.length,
      exchanges: found.kind === 'passed' ? [] : ctx.exchanges.slice(-keptExchanges),
      startedAt: ctx.exchanges[0]?.startedAt ?? 0,
      durationMs: performance.now() - began,
    });
  }

  async #outcome({ check }: Task, ctx: FullContext): Promise<Outcome> {
    const lack = this.#reach({ check });
    if (lack !== undefined) return { kind: 'not-judged', ...lack };
    if (this.#silent >= silentLimit) {
      return {
        kind: 'error',
        error: `the target stopped answering: ${this.#silent} requests in a row got no answer`,
      };
    }
    try {
      if (check.kind === 'observation') return { kind: 'passed', value: await check.observe(ctx) };
      await check.judge(ctx);
      return { kind: 'passed' };
    } catch (error) {
      if (error instanceof Violation) return { kind: 'violation', violation: error };
      if (error instanceof NotJudged)
        return { kind: 'not-judged', reason: error.message, unlock: error.unlock };
      return {
        kind: 'error',
        error: errorOf(error),
        ...(error instanceof TargetFailure && { exchange: error.exchange }),
      };
    }
  }

  #case(id: string, found: OperationResult): void {
    this.#cases.set(id, [...(this.#cases.get(id) ?? []), found]);
  }

  findings(): Findings {
    const requirements = this.#requirements.map(({ id, row, check, operations }) => {
      const results = check.kind === 'exchange' ? this.#exchangeResults(id, check) : this.#cases.get(id);
      const ids = operations.map((each) => each.id);
      return resultOf(row, ids, results ?? [], this.#options.rerun?.(id));
    });
    const observations = this.#observations.flatMap(({ id, row }): Observation[] => {
      const values = this.#observed.get(id);
      if (values === undefined) return [];
      return [{ id, description: row.description, value: values.length === 1 ? values[0] : values }];
    });
    return {
      requirements: withCauses(
        requirements,
        this.#requirements.map(({ row }) => row),
      ),
      observations,
      scopeMatrix: Object.fromEntries(this.#matrix),
      pictures: this.#pictures,
      ...(this.#options.recordExchanges === true && { exchanges: this.#exchanges }),
    };
  }

  #exchangeResults(id: string, check: Check): OperationResult[] {
    return this.#watch.cases(id, this.#claimed, this.#reach({ check }));
  }
}

/** What came of one task. */
type Outcome =
  | { readonly kind: 'passed'; readonly value?: unknown }
  | { readonly kind: 'violation'; readonly violation: Violation }
  | { readonly kind: 'not-judged'; readonly reason: string; readonly unlock: readonly string[] }
  | { readonly kind: 'error'; readonly error: string; readonly exchange?: Exchange };

/** Operations of a contract up to which each scope of the matrix gets a request of its own. */
const fullMatrixOperations = 20;

/** Renewals of refused tokens in a run: a server that refuses them all must not double the requests. */
const maximumRenewals = 3;

/** Exchanges that are kept of a requirement that did not pass. */
const keptExchanges = 20;

/** Requests in a row without an answer after which the target counts as dead. */
const silentLimit = 30;
