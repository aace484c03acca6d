import type { Report } from '../report/report.ts';
import { count } from '../report/text.ts';
import type { ConnectedTarget } from '../runner/connect.ts';
import type { Findings } from '../runner/runner.ts';
import type { SavedCheckpoints } from '../runner/saved-checkpoints.ts';
import { startEmbedded } from './embedded.ts';
import { Crash } from './interrupts.ts';
import { type ConformanceOptions, readLibraryOptions } from './library-options.ts';
import { reportOf } from './outcome.ts';
import { programName } from './package.ts';
import { createPlan, type LibraryOverrides, type Plan } from './plan.ts';
import type { Preflight } from './preflight.ts';
import { rerunCommand } from './rerun.ts';
import { readKept, saveKept } from './saved-checkpoints-file.ts';
import type { ResolvedOptions } from './settings.ts';
import { suiteOptions } from './suite-options.ts';
import { oneLine, UsageError } from './usage.ts';

/** How far a run is. */
export interface RunProgress {
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  /** Requests that the whole run was foretold to take. */
  readonly foretold?: number;
  /** The requirement that began last. */
  readonly current: string;
}

/** What somebody who watches a run is told. */
export interface RunHooks {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** What was found before anything is judged. */
  readonly onPreflight?: ((found: Preflight) => void) | undefined;
  /** Something went wrong that no requirement is about, such as data that could not be put back. */
  readonly onTrouble?: ((message: string) => void) | undefined;
}

/** Why nothing can be judged on this target: one paragraph with its remedy. */
export class Unjudgeable extends Error {
  override readonly name = 'Unjudgeable';
}

/**
 * Judges a server, the embedded fake where none is named, and reports what was found. Prints nothing and ends no process; whatever
 * the target does, there is a report.
 * @throws UsageError for options that can't be used
 */
export async function runConformance(options: ConformanceOptions = {}): Promise<Report> {
  const { signal, onProgress, ...given } = options;
  const { resolved, overrides } = readLibraryOptions(given);
  return judge(resolved, { signal, onProgress }, overrides);
}

/**
 * The run itself, for whoever has read its settings.
 * @throws UsageError for settings that can't be used; nothing has been sent then
 */
export async function judge(
  told: ResolvedOptions,
  hooks: RunHooks = {},
  given: LibraryOverrides = {},
): Promise<Report> {
  const plan = await createPlan(told, given);
  const startedAt = new Date();
  const course = new Course(told, plan, hooks, startedAt);
  const endedEarly = await course.run();
  return reportOf({
    plan,
    settings: told.settings,
    baseUrl: course.baseUrl,
    capabilities: [...(course.target?.capabilities ?? [])],
    startedAt,
    requests: course.target?.driver.requests ?? 0,
    foretold: course.foretold,
    findings: course.findings,
    endedEarly,
    rerun: course.rerun,
  });
}

/** One run, from the first connection to the last. */
class Course {
  readonly rerun: (id: string) => string;
  baseUrl: string;
  target: ConnectedTarget | undefined;
  findings: Findings | undefined;
  /** Requests that the run was foretold to take. */
  foretold: number | undefined;
  readonly #told: ResolvedOptions;
  readonly #plan: Plan;
  readonly #hooks: RunHooks;
  readonly #startedAt: Date;
  readonly #kept: SavedCheckpoints;

  constructor(told: ResolvedOptions, plan: Plan, hooks: RunHooks, startedAt: Date) {
    this.#told = told;
    this.#plan = plan;
    this.#hooks = hooks;
    this.#startedAt = startedAt;
    this.#kept = readKept(told.settings);
    this.rerun = rerunCommand(told, plan.seed, programName());
    this.baseUrl = plan.target.baseUrl ?? '';
  }

  /** Why the run ended before everything was judged; undefined where it did not. */
  async run(): Promise<string | undefined> {
    const { contract, target } = this.#plan;
    if (this.#plan.chosen.length === 0) return 'nothing is left to judge: everything was deselected';
    if (target.baseUrl !== undefined) return this.#against({ ...target, baseUrl: target.baseUrl });
    const fake = await startEmbedded(contract, target.cloud ?? 'public');
    try {
      const { close: _, ...access } = fake;
      return await this.#against({ ...target, ...access });
    } finally {
      await fake.close();
    }
  }

  async #against(
    options: Parameters<typeof import('../runner/connect.ts').connectTarget>[0],
  ): Promise<string | undefined> {
    const { connectTarget } = await import('../runner/connect.ts');
    this.baseUrl = options.baseUrl;
    try {
      this.target = await connectTarget({ ...options, startedAt: this.#startedAt.getTime() });
    } catch (error) {
      if (error instanceof TypeError) throw new UsageError(oneLine(error));
      return oneLine(error);
    }
    const { target } = this;
    try {
      await this.#lookFirst(target);
      await this.#judge(target);
    } catch (error) {
      return target.driver.scrub(oneLine(error));
    } finally {
      await target.close();
    }
    return endedBy(this.#hooks.signal) ?? this.findings?.endedEarly;
  }

  /** What is found before anything is judged. Throws `Unjudgeable`. */
  async #lookFirst(target: ConnectedTarget): Promise<void> {
    if (this.#plan.target.baseUrl === undefined) return;
    const { preflight } = await import('./preflight.ts');
    const found = await preflight(target, this.#plan, this.#told);
    const foretold = this.foretold === undefined ? 'not foretold' : `about ${count(this.foretold)}`;
    this.#hooks.onPreflight?.(
      found.fatal === undefined ? { ...found, facts: [...found.facts, ['requests', foretold]] } : found,
    );
    if (found.fatal !== undefined) throw new Unjudgeable(found.fatal);
  }

  async #judge(target: ConnectedTarget): Promise<void> {
    const { runSuite } = await import('../runner/runner.ts');
    const { signal, onProgress } = this.#hooks;
    const { phoneTemplates } = this.#told.extras;
    const kept = this.#kept;
    this.findings = await runSuite(target, this.#plan.ledger, this.#plan.suite, {
      ...suiteOptions(this.#told, this.#plan, target.capabilities.has('seed')),
      rerun: this.rerun,
      savedCheckpoints: kept,
      ...(phoneTemplates && { phoneMessages: phoneTemplates }),
      ...(signal && { signal }),
      onTrouble: (message) => this.#hooks.onTrouble?.(target.driver.scrub(message)),
      ...(onProgress && {
        onProgress: (progress) =>
          onProgress({
            ...progress,
            requests: target.driver.requests,
            ...(this.foretold !== undefined && { foretold: this.foretold }),
          }),
      }),
    });
    const trouble = saveKept(this.#told.settings, kept);
    if (trouble !== undefined) this.#hooks.onTrouble?.(trouble);
  }
}

/** Why the signal ended the run; undefined where it did not. */
function endedBy(signal: AbortSignal | undefined): string | undefined {
  if (!signal?.aborted) return undefined;
  return signal.reason instanceof Crash ? signal.reason.message : 'interrupted';
}
