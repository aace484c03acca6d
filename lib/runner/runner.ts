import type { Exchange } from '../client/exchange.ts';
import type { Ledger } from '../contract/ledger.ts';
import { ControlError } from '../control/control.ts';
import { mapTexts } from '../report/bounds.ts';
import { withCauses } from '../report/causes.ts';
import type { RecordedExchange, Report, RequirementResult } from '../report/report.ts';
import { nameOf } from '../report/summary.ts';
import { plural } from '../report/text.ts';
import { type Applicable, type ApplicableRequirement, applicable, inOrder } from './applicable.ts';
import { Availability } from './availability.ts';
import { type Capability, controlCapabilities } from './capabilities.ts';
import type { Target } from './connect.ts';
import { FullContext } from './context.ts';
import { ExchangeObserver } from './exchange-observer.ts';
import { InputCounter } from './input-coverage.ts';
import { graceMs, judge } from './judge.ts';
import { LaneLock } from './lanes.ts';
import { type Unmet, unmetNeeds, withMissingFlags } from './needs.ts';
import { NeutralVariations } from './neutral.ts';
import type { Check } from './requirement.ts';
import { ResourcePool } from './resource-pool.ts';
import {
  type CheckResult,
  errorOf,
  type OperationResult,
  recorded,
  resultOf,
  shownExchanges,
} from './result.ts';
import { Results } from './results.ts';
import { defaultOptions, type RunContext } from './run-context.ts';
import type { RunOptions } from './run-options.ts';
import { saveCheckpoints } from './saved-checkpoints.ts';
import { Scripts } from './script.ts';
import { orderByLane, runPool, type Task, tasksOf } from './tasks.ts';
import { TenantState } from './tenant-state.ts';
import type { Violation } from './verdict.ts';

type Found = 'requirements' | 'scope_matrix' | 'observations' | 'input_coverage';

/** The part of the report that a run finds. */
export interface Findings extends Pick<Report, Found | 'data_sets' | 'exchanges'> {
  /** Why the run ended before everything was judged: the target is unavailable, or `maxFailures` is reached. */
  readonly endedEarly?: string | undefined;
}

/** The result of one requirement, and the violation that its check threw if it is broken. */
export interface Judgement {
  readonly result: RequirementResult;
  readonly violation: Violation | undefined;
}

/** Runs the selected requirements and observations, and puts the tenant back as it was. @throws ControlError if seeding fails */
export async function runSuite(
  target: Target,
  ledger: Ledger,
  suite: readonly Check[],
  options: RunOptions,
  drive: (runner: Runner) => Promise<void> = (runner) => runner.runAll(),
): Promise<Findings> {
  const runner = new Runner(target, ledger, suite, options);
  try {
    await runner.begin();
    await drive(runner);
  } finally {
    await runner.end();
  }
  return runner.findings();
}

/** Judges the requirements of a suite on a target, in any order, each on every operation that it concerns. */
export class Runner {
  readonly #target: Target;
  readonly #options: RunOptions;
  readonly #requirements: readonly ApplicableRequirement[];
  readonly #all: ReadonlyMap<string, Applicable>;
  readonly #results = new Results();
  readonly #exchanges: ExchangeObserver;
  readonly #inputs = new InputCounter();
  readonly #attributed = new Set<number>();
  readonly #tenant: TenantState;
  readonly #neutral: NeutralVariations;
  readonly #lock: LaneLock;
  readonly #interrupt = () => this.#stop(interruption);
  readonly #availability: Availability;
  readonly #active = new Set<FullContext>();
  readonly #recorded: RecordedExchange[] = [];
  readonly #failures = new Set<string>();
  readonly #scripts: Scripts;
  #run: RunContext;
  #stopped: string | undefined;
  #renewals = 0;
  #done = 0;
  #total = 0;

  /** @param options `selected` only limits `runAll` */
  constructor(target: Target, ledger: Ledger, suite: readonly Check[], options: RunOptions) {
    this.#target = target;
    this.#options = options;
    const { requirements, observations } = applicable(ledger, suite, target.contract, target.cloud);
    this.#requirements = requirements;
    this.#all = new Map([...requirements, ...observations].map((each) => [each.id, each]));
    target.driver.secrets.keep(this.#all.keys());
    this.#exchanges = new ExchangeObserver(requirements);
    this.#neutral = new NeutralVariations(target, options.signal);
    this.#scripts = new Scripts(target, options.script);
    this.#tenant = new TenantState(target, options);
    this.#lock = new LaneLock(options.concurrency ?? 32);
    this.#availability = new Availability({
      isReachable: async () =>
        (await target.driver.call({ operation: undefined, method: 'GET', target: '/' })).response !==
        undefined,
      waitMs: options.restartWaitMs ?? 30_000,
      onReturn: () => this.#lock.run(urgently, () => this.#reset({ clock: true, data: true })),
      onRestart: (note) => options.onTrouble?.(note),
      onUnavailable: (...why) => this.#stop(...why),
    });
    this.#run = this.#newRun();
    options.signal?.addEventListener('abort', this.#interrupt, { once: true });
    if (options.signal?.aborted) this.#stop(interruption);
  }

  /** Fills the tenant with the data of the run, if the target can be seeded. @throws ControlError */
  async begin(): Promise<void> {
    const judgeable = [...this.#selected()].some(({ check }) => this.#unmet(check) === undefined);
    if (!judgeable || this.#stopped !== undefined) return;
    await this.#tenant.begin();
    this.#run = this.#newRun();
    const { minter } = this.#target.tokens;
    this.#scripts.usual = await minter?.sign(minter.claims([]));
  }

  /**
   * Judges one requirement on one of its operations, or on all. For an exchange check, returns the result of the exchanges so
   * far. The result contains no secrets.
   * @throws RangeError for an id that does not apply to this target
   */
  async run(id: string, operation?: string): Promise<Judgement> {
    const found = this.#requirements.find((each) => each.id === id);
    if (found === undefined) throw new RangeError(`${id} is not a requirement on this target`);
    await this.#perform(tasksOf(found).filter((task) => [undefined, task.operation?.id].includes(operation)));
    return this.#withoutSecrets(found, operation);
  }

  /** Judges and observes everything that is selected. @param without exceptions, with names as in `selected` */
  async runAll(without?: ReadonlySet<string>): Promise<void> {
    const selected = inOrder([...this.#selected()], this.#options.order);
    const tasks = selected.flatMap(tasksOf).filter(({ id, operation }) => {
      const isLeftOut = without?.has(id) || without?.has(nameOf({ id, operation: operation?.id }));
      return this.#isSelected(id, operation?.id) && !isLeftOut;
    });
    await this.#perform(tasks);
    for (const { id, check } of selected) if (check.kind === 'exchange') this.#notify(id);
    if (this.#stopped !== undefined) return;
    // At the very end, because later requests of this run could make them invalid.
    await saveCheckpoints(this.#run, (message) => this.#options.onTrouble?.(message));
  }

  /** Waits for checks in progress, puts the tenant back and stops listening to the signal. `onTrouble` gets what went wrong. */
  async end(): Promise<void> {
    try {
      await this.#lock.run(urgently, async () => {
        for (const line of await this.#tenant.restore()) this.#options.onTrouble?.(line);
      });
    } finally {
      this.#options.signal?.removeEventListener('abort', this.#interrupt);
    }
  }

  /** How often the target was unavailable and came back. */
  get restarts(): number {
    return this.#availability.restarts;
  }

  /** The findings so far on everything that is selected or was run. */
  findings(): Findings {
    const selected = new Set([...this.#selected()].map(({ id }) => id));
    const wanted = this.#requirements.filter(({ id }) => selected.has(id) || this.#results.has(id));
    const results = wanted.map((each) => this.#judgementOf(each).result);
    const rows = wanted.map(({ row }) => row);
    const { dataSets } = this.#scripts;
    return {
      requirements: withCauses(results, rows),
      scope_matrix: { operations: this.#results.scopeMatrix(this.#target.contract) },
      observations: this.#results.observations(this.#all.values()),
      input_coverage: this.#inputs.report(this.#neutral.leftOut),
      ...(dataSets.size > 0 && { data_sets: Object.fromEntries(dataSets) }),
      ...(this.#options.recordExchanges && { exchanges: this.#recorded }),
      endedEarly: this.#stopped === interruption ? undefined : this.#stopped,
    };
  }

  *#selected(): Generator<Applicable> {
    for (const each of this.#all.values())
      if (this.#isSelected(each.id) || each.operations.some(({ id }) => this.#isSelected(each.id, id)))
        yield each;
  }

  #isSelected(id: string, operation?: string): boolean {
    const { selected } = this.#options;
    return selected === undefined || selected.has(id) || selected.has(nameOf({ id, operation }));
  }

  /** Stops all checks in progress, and aborts their requests after a short time. @param since see `AvailabilityOptions` */
  #stop(reason: string, since?: number): void {
    this.#stopped ??= reason;
    if (since !== undefined) this.#results.discardViolations(since, reason);
    for (const ctx of this.#active) ctx.stop(reason);
    setTimeout(() => {
      for (const ctx of this.#active) ctx.abort();
    }, graceMs).unref();
  }

  async #perform(tasks: readonly Task[]): Promise<void> {
    for (const task of tasks) this.#results.forget(task);
    this.#total += tasks.length;
    const operations = tasks.flatMap(({ operation }) => operation ?? []);
    if (this.#stopped === undefined)
      await this.#neutral.probe(operations, this.#lock).catch((error) => {
        if (this.#stopped === undefined) throw error;
      });
    await runPool(orderByLane(tasks, this.#tenant.seeded), (task) => this.#performTask(task));
  }

  /** Performs the task when its lane is free, and again if the target was restarted meanwhile. */
  async #performTask(task: Task): Promise<void> {
    const { id, check, operation } = task;
    for (;;) {
      const restarts = this.#availability.restarts;
      const result = await this.#lock.run({ lane: check.lane, operation: operation?.id }, async () => {
        try {
          const attempted = await this.#attempt(task);
          if (check.lane === 'exclusive') await this.#resetAfter(check);
          return attempted;
        } catch (error) {
          if (!(error instanceof ControlError)) throw error;
          // Later requirements find unexpected data; each of them reports that itself.
          return this.#results.store(task, { kind: 'error', error: errorOf(error) });
        }
      });
      if (this.#stopped !== undefined) break;
      if (!(await this.#availability.recover(restarts, isInterrupted(result)))) break;
    }
    this.#done += 1;
    this.#notify(id, operation?.id);
  }

  #notify(id: string, operation?: string): void {
    const found = this.#requirements.find((each) => each.id === id);
    if (found !== undefined) this.#options.onResult?.(this.#withoutSecrets(found, operation).result);
  }

  /** Restores the run's data and the real time after an exclusive check. @throws ControlError */
  async #resetAfter(check: Check): Promise<void> {
    const needs = (...wanted: readonly Capability[]) => check.needs.some((need) => wanted.includes(need));
    const what = {
      clock: needs('clock', 'checkpoint_age'),
      data: needs('seed') || this.#run.resources.deletions > 0,
    };
    // A token that the task has requested may have revoked the usual one.
    if (needs('client')) this.#target.tokens.invalidate();
    // An interrupted run restores only once, at its end.
    if ((what.clock || what.data) && this.#stopped === undefined) await this.#reset(what);
  }

  async #reset(what: { readonly clock: boolean; readonly data: boolean }): Promise<void> {
    await this.#tenant.reset(what);
    if (what.data && this.#tenant.seeded) this.#run = this.#newRun();
  }

  async #attempt(task: Task): Promise<OperationResult> {
    const { id, check, operation } = task;
    this.#options.onProgress?.({ done: this.#done, total: this.#total, current: id });
    const unavailable = this.#options.unavailable?.get(operation?.id ?? '');
    const unmet = unavailable === undefined ? this.#unmet(check) : { reason: unavailable, requiredFlags: [] };
    if (unmet !== undefined) return this.#results.store(task, { kind: 'not-judged', ...unmet });
    const began = performance.now();
    const newContext = (isPlain: boolean) => {
      const ctx = new FullContext(this.#run, id, operation, isPlain);
      if (this.#stopped !== undefined) ctx.stop(this.#stopped);
      return ctx;
    };
    const reset = this.#tenant.seeded ? () => this.#resetAfter(check) : undefined;
    const { ctx, result } = await judge(check, newContext, this.#active, reset);
    if (result.kind === 'violation') this.#failed(id);
    const isStopped = this.#stopped !== undefined && !['violation', 'passed'].includes(result.kind);
    const final = isStopped ? this.#stoppedResult() : withMissingFlags(this.#target, result);
    const exchanges = shownExchanges(final, ctx.exchanges);
    return this.#results.store(task, final, {
      requests: ctx.requests,
      exchanges,
      steps: final.kind === 'passed' ? [] : ctx.steps.leadingTo(exchanges),
      startedAt: ctx.startedAt,
      durationMs: performance.now() - began,
    });
  }

  #failed(id: string): void {
    const row = this.#all.get(id)?.row;
    if (row !== undefined && 'level' in row && row.level === 'stated') this.#failures.add(id);
    const { maxFailures } = this.#options;
    if (maxFailures === undefined || this.#failures.size < maxFailures) return;
    this.#stop(`the run was ended after ${plural(maxFailures, 'failure')} (--max-failures)`);
  }

  #stoppedResult(): CheckResult {
    const { unavailableReason: error } = this.#availability;
    if (error !== undefined) return { kind: 'error', error };
    return { kind: 'not-judged', reason: this.#stopped ?? interruption, requiredFlags: [] };
  }

  /** Why a check with these needs cannot be judged; undefined if it can. */
  #unmet({ needs }: { readonly needs: readonly Capability[] }): Unmet | undefined {
    if (this.#stopped !== undefined) return { reason: this.#stopped, requiredFlags: [] };
    const isLost = (need: Capability) => controlCapabilities.has(need) || this.#run.resources.isEmpty(need);
    const { problem } = this.#tenant;
    if (problem !== undefined && needs.some(isLost)) return { reason: problem, requiredFlags: [] };
    return unmetNeeds(this.#target, needs);
  }

  #withoutSecrets(found: ApplicableRequirement, operation: string | undefined): Judgement {
    const { result, violation } = this.#judgementOf(found, operation);
    return { result: mapTexts(result, (text) => this.#target.driver.secrets.scrub(text)), violation };
  }

  #judgementOf({ id, row, check, operations }: ApplicableRequirement, operation?: string): Judgement {
    const ids = operation === undefined ? operations.map((each) => each.id) : [operation];
    const seen = this.#exchanges
      .results(id, this.#attributed, this.#unmet(check))
      .filter((each) => this.#isSelected(id, each.operation));
    /** If its own exchanges pass, the requirement fails on a broken exchange of another one. */
    const withSeen = (own: OperationResult): OperationResult => {
      const broken = seen.find(({ kind, operation }) => kind === 'violation' && operation === own.operation);
      const { requests, startedAt, durationMs } = own;
      return own.kind !== 'passed' || broken === undefined
        ? own
        : { ...broken, requests, startedAt, durationMs };
    };
    const found = check.kind === 'exchange' ? seen : this.#results.of(id, ids).map(withSeen);
    const broken = found.find((each) => each.kind === 'violation');
    // An exchange check sends nothing itself, so the requirement that sent the exchange is run with it.
    const shownBy = broken?.shownBy ?? id;
    const rerun = this.#options.rerun?.(...new Set([id, this.#all.has(shownBy) ? shownBy : id]));
    const dataSet = this.#tenant.seeded ? this.#run.dataSet : undefined;
    const result = resultOf(row, ids, found, rerun, (steps) => this.#scripts.write(steps, dataSet));
    return { result, violation: broken?.violation };
  }

  #newRun(): RunContext {
    const { dataSet, resources } = this.#tenant.data();
    const { contract, tokens } = this.#target;
    return {
      ...defaultOptions,
      ...this.#options,
      target: this.#target,
      neutral: this.#neutral,
      resources: new ResourcePool(resources),
      operations: contract.operations.filter(({ id }) => !this.#options.unavailable?.has(id)),
      dataSet,
      verifiesSeeds: this.#tenant.verifiesSeeds,
      inputs: this.#inputs,
      recordValid: (exchange) => this.#results.recordValid(exchange),
      twins: new Map(),
      forbidden: new Map(),
      accepted: new Set(),
      mayRenew: () => tokens.minter === undefined && this.#renewals++ < maximumRenewals,
      record: ({ id, steps }, exchange, isMeantValid) => {
        this.#availability.record(exchange, id, isMeantValid);
        const check = this.#all.get(id)?.check;
        const isValid = isMeantValid && check?.kind === 'requirement';
        // If a check is judged again, the tenant contains what it seeded before.
        const known = steps.seeded ?? (check?.needs.includes('seed') ? undefined : dataSet);
        const seenIn = { contract, cloud: this.#target.cloud, dataSet: known, sentBy: id, isValid };
        if (!this.#availability.isRecovering) this.#exchanges.observe(exchange, seenIn, steps);
        if (this.#options.recordExchanges) this.#recorded.push({ ...recorded(exchange), requirement: id });
      },
      attribute: (exchanges: readonly Exchange[]) => {
        for (const { number } of exchanges) this.#attributed.add(number);
      },
      recordScopeResult: (...result) => this.#results.recordScopeResult(...result),
    };
  }
}

const interruption = 'the run was interrupted';

/** True if the target or its control endpoint may have been unavailable during the check. */
function isInterrupted(result: OperationResult): boolean {
  if (result.kind !== 'error') return false;
  // A request of the control protocol is not an exchange of the check.
  return result.exchange === undefined || /^(refused|closed)$/.test(result.exchange.failure?.kind ?? '');
}

/** Exclusive, and before all waiting requests. */
const urgently = { lane: 'exclusive', urgent: true } as const;

/** Renewals of refused tokens per run: a server that refuses all tokens must not double the requests. */
const maximumRenewals = 3;
