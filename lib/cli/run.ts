import { join } from 'node:path';
import { aborted } from 'node:util';
import { present } from '../contract/json.ts';
import { oneLine } from '../contract/one-line.ts';
import { mapTexts } from '../report/bounds.ts';
import type { RunProgress } from '../report/progress.ts';
import type { Report, RequirementResult } from '../report/report.ts';
import { connectTarget, type Target, type TargetOptions } from '../runner/connect.ts';
import type { RunOptions } from '../runner/run-options.ts';
import { type Findings, type Runner, runSuite } from '../runner/runner.ts';
import type { SavedCheckpoints } from '../runner/saved-checkpoints.ts';
import { estimateRequests } from './effort.ts';
import { startEmbedded } from './embedded.ts';
import { EndOfRun } from './interrupts.ts';
import { lockTenant } from './lock.ts';
import { reportOf } from './outcome.ts';
import { createPlan, type Plan } from './plan.ts';
import { assertResponds, preflight } from './preflight.ts';
import { readSavedCheckpoints, saveCheckpointsFile } from './saved-checkpoints-file.ts';
import { type TenantFile, tenantFile } from './saved-tenant.ts';
import { type ConformanceOptions, type ResolvedOptions, readLibraryOptions } from './settings.ts';
import { suiteOptions } from './suite-options.ts';
import { UsageError } from './usage.ts';

/** Callbacks that report the progress of a run. */
export interface RunHooks {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** Called with the text of the preflight check; fatal if nothing can be judged. */
  readonly onPreflight?: ((screen: string, isFatal: boolean) => void) | undefined;
  /** Something went wrong that no requirement is about, such as data that could not be put back. */
  readonly onTrouble?: ((message: string) => void) | undefined;
  readonly onResult?: ((result: RequirementResult) => void) | undefined;
  /** Used instead of `runAll` to judge the selected requirements; the tenant is restored when it resolves. */
  readonly drive?: ((runner: Runner) => Promise<void>) | undefined;
  /** True to check before the first requirement only that the target responds. */
  readonly skipPreflight?: boolean;
}

/**
 * Judges a server, the embedded fake if none is named, and reports what was found. Prints nothing and ends no process; whatever
 * the target does, there is a report.
 * @throws UsageError for options that can't be used
 */
export async function runConformance(options: ConformanceOptions = {}): Promise<Report> {
  const { signal, onProgress, onResult } = options;
  return runWithOptions(readLibraryOptions(options), { signal, onProgress, onResult });
}

/**
 * The run itself, with settings that were read.
 * @throws UsageError for settings that can't be used; nothing has been sent then
 */
export async function runWithOptions(resolved: ResolvedOptions, hooks: RunHooks = {}): Promise<Report> {
  const plan = await createPlan(resolved);
  const run = new ConformanceRun(plan, hooks);
  const report = reportOf(run, await run.run());
  const driver = run.target?.driver;
  // Once, over every text: whatever is rendered from the report contains no secret either.
  return driver === undefined ? report : mapTexts(report, (text) => driver.secrets.scrub(text));
}

/** One run, from the first connection to the last. */
export class ConformanceRun {
  readonly plan: Plan;
  readonly startedAt = new Date();
  baseUrl: string;
  /** Undefined until the target could be connected to. */
  target: Target | undefined;
  /** Undefined if nothing could be judged at all. */
  findings: Findings | undefined;
  /** Requests that were estimated before the start. */
  estimated: number | undefined;
  readonly notes: string[] = [];
  readonly #hooks: RunHooks;
  /** What the tenant contained before the run; undefined without a place for it. */
  readonly #tenantFile: TenantFile | undefined;
  readonly #savedCheckpoints: SavedCheckpoints;
  readonly #limit = new AbortController();
  readonly #signal: AbortSignal;

  constructor(plan: Plan, hooks: RunHooks) {
    this.plan = plan;
    this.#hooks = hooks;
    this.baseUrl = plan.target.baseUrl ?? '';
    this.#savedCheckpoints = readSavedCheckpoints(plan.resolved.settings);
    const { reportDir, control } = plan.resolved.settings;
    if (reportDir !== undefined && control !== undefined)
      this.#tenantFile = tenantFile(join(reportDir, 'saved-tenant.json'), control);
    const { signal } = this.#limit;
    this.#signal = hooks.signal === undefined ? signal : AbortSignal.any([hooks.signal, signal]);
  }

  /** Why the run ended before everything was judged; undefined if it did not. */
  async run(): Promise<string | undefined> {
    const { contract, target, chosen } = this.plan;
    if (chosen.length === 0) return 'nothing is left to judge: everything was deselected';
    if (contract.skipped.length > 0) this.#note(`not tested: ${contract.skipped.join('; ')}`);
    const { maxTime } = this.plan.resolved.settings;
    const end = () => this.#limit.abort(new EndOfRun(`the run was ended after ${maxTime} s (--max-time)`));
    const timer = maxTime === undefined ? undefined : setTimeout(end, 1000 * maxTime);
    const { baseUrl, cloud = 'public' } = target;
    const { close, ...access } =
      baseUrl === undefined ? await startEmbedded(contract, cloud) : { baseUrl, close: () => {} };
    try {
      return await this.#against({ ...target, ...access });
    } finally {
      await close();
      clearTimeout(timer);
    }
  }

  async #against(options: TargetOptions): Promise<string | undefined> {
    this.baseUrl = options.baseUrl;
    try {
      this.target = await connectTarget({ ...options, startedAt: this.startedAt.getTime() });
    } catch (error) {
      if (error instanceof TypeError) throw new UsageError(oneLine(error));
      return oneLine(error);
    }
    const { target } = this;
    const { control, readOnly } = this.plan.resolved.settings;
    let release: (() => void) | undefined;
    try {
      if (control !== undefined && !readOnly) release = lockTenant(control);
      const restored = target.control && (await this.#tenantFile?.putBack(target.control));
      if (restored !== undefined) this.#note(restored);
      await Promise.race([this.#preflight(target), this.#aborted()]);
      await this.#judge(target);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      return this.#endedBy() ?? target.driver.secrets.scrub(oneLine(error));
    } finally {
      await target.close();
      release?.();
    }
    return this.#endedBy() ?? this.findings?.endedEarly;
  }

  /** Looks at the target before anything is judged. @throws Error if nothing can be: one paragraph with the remedy */
  async #preflight(target: Target): Promise<void> {
    this.estimated = estimateRequests(target, this.plan);
    if (this.plan.target.baseUrl === undefined) return;
    if (this.#hooks.skipPreflight) return assertResponds(target);
    const { screen, explanation, isFatal } = await preflight(target, this.plan, this.estimated);
    this.#signal.throwIfAborted();
    this.#hooks.onPreflight?.(screen, isFatal);
    if (isFatal) throw new Error(explanation);
    if (explanation !== undefined) this.#note(explanation);
  }

  async #judge(target: Target): Promise<void> {
    const { onProgress, onResult, drive } = this.#hooks;
    const { settings } = this.plan.resolved;
    const savedCheckpoints = this.#savedCheckpoints;
    const options: RunOptions = {
      ...suiteOptions(this.plan, target.capabilities.has('seed')),
      savedCheckpoints,
      verifySeed: this.plan.target.baseUrl !== undefined && !this.#hooks.skipPreflight,
      ...present({ backup: this.#tenantFile, onResult }),
      signal: this.#signal,
      onTrouble: (message) => this.#note(message),
      onProgress: (progress) =>
        onProgress?.({ ...progress, requests: target.driver.requests, estimated: this.estimated ?? 0 }),
    };
    const { ledger, suite } = this.plan;
    this.findings = await runSuite(target, ledger, suite, options, drive);
    const trouble = saveCheckpointsFile(settings, savedCheckpoints);
    if (trouble !== undefined) this.#note(trouble);
  }

  /** Shows the warning immediately and adds it to the report. */
  #note(message: string): void {
    const note = this.target?.driver.secrets.scrub(message) ?? message;
    this.notes.push(note);
    this.#hooks.onTrouble?.(note);
  }

  /** Rejects once the signal is aborted. */
  async #aborted(): Promise<void> {
    if (!this.#signal.aborted) await aborted(this.#signal, this);
    this.#signal.throwIfAborted();
  }

  /** Why the signal ended the run; undefined if it did not. */
  #endedBy(): string | undefined {
    if (!this.#signal.aborted) return undefined;
    const reason: unknown = this.#signal.reason;
    return reason instanceof EndOfRun ? reason.message : 'interrupted';
  }
}
