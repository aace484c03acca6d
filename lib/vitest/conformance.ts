import { suite } from '../../suites/index.ts';
import { sectionTitles } from '../cli/outcome.ts';
import { type Selection, selectRequirements } from '../cli/plan.ts';
import { runWithOptions } from '../cli/run.ts';
import { type ConformanceOptions, readLibraryOptions } from '../cli/settings.ts';
import { present } from '../contract/json.ts';
import { shippedContract } from '../contract/load.ts';
import type { Contract } from '../contract/model.ts';
import type { Report } from '../report/report.ts';
import { writeReports } from '../report/write.ts';
import { type ApplicableRequirement, judgedOn } from '../runner/applicable.ts';
import type { Judgement, Runner } from '../runner/runner.ts';
import { settle } from './settle.ts';

/** The functions of a test runner. Those of vitest, `node:test` and Playwright fit. */
export interface TestFunctions {
  readonly describe: (title: string, define: () => void) => unknown;
  /** As `describe`, for tests that may run in parallel. Default: `describe`. */
  readonly concurrent?: (title: string, define: () => void) => unknown;
  readonly test: (title: string, run: () => Promise<void>) => unknown;
  /** Called once before all tests. */
  readonly before: (run: () => Promise<void>) => unknown;
  readonly after: (run: () => Promise<void>) => unknown;
}

/** Options that select the tests, before a server is started. */
type Selecting = 'contract' | 'cloud' | 'only' | 'skip' | 'shard';

/** A server that was started for the tests, with its credentials. */
export interface StartedServer
  extends Omit<ConformanceOptions, Selecting | 'strict' | 'baseline' | 'saveCheckpoints'> {
  /** Called when all tests have ended. */
  readonly close?: () => unknown;
}

/** Options of `conformance`: those of `runConformance`, and how the server is started. */
export interface TestOptions
  extends Omit<ConformanceOptions, 'contract' | 'baseline' | 'saveCheckpoints' | 'onProgress'> {
  /** Starts the server to test, once before all tests. Default: the server at `baseUrl`, else the embedded fake. */
  readonly start?: () => StartedServer | Promise<StartedServer>;
  /** Another contract, from `loadContract`. */
  readonly contract?: Contract;
  /** Directory for the reports. Default: no reports are written. */
  readonly reportDir?: string;
}

/**
 * Defines a test for each requirement and operation, in one `describe` per section, without sending a request. Before the first
 * test, the server is started and its tenant is seeded; after the last test, the tenant is put back. A requirement that can't be
 * judged is a skipped test. A broken inferred requirement is a warning, or with `strict` a failed test.
 * @throws UsageError for options that can't be used
 */
export function conformance(functions: TestFunctions, options: TestOptions = {}): void {
  const { contract = shippedContract(), cloud, only, skip, shard } = options;
  const { settings } = readLibraryOptions(present({ cloud, only, skip, shard }));
  const selection = selectRequirements(settings, contract, suite);
  const run = new TestRun(options);
  functions.before(() => run.begin());
  functions.after(() => run.end());
  const strict = options.strict === true;
  const define = ({ id, row, operations }: ApplicableRequirement, each: readonly (string | undefined)[]) => {
    for (const operation of each) {
      const on = operations.length > 1 && operation !== undefined ? ` (${operation})` : '';
      // No parameters: Playwright reads their names, `node:test` counts them.
      functions.test(`${id}${on}: ${row.description}`, async function () {
        // biome-ignore lint/complexity/noArguments: test runners inspect declared parameters
        await settle(await run.judge(id, operation), strict, arguments);
      });
    }
  };
  const { describe, concurrent = describe } = functions;
  for (const [title, rows] of sectionsOf(selection))
    concurrent(title, () => {
      for (const each of rows) define(each, judgedOn(each.operations.map(({ id }) => id)));
    });
  const exchangeChecks = selection.chosen.filter(({ check }) => check.kind === 'exchange');
  if (exchangeChecks.length > 0)
    describe('Over all exchanges', () => {
      for (const each of exchangeChecks) define(each, [undefined]);
    });
}

/** The requirements that send requests, by the title of their section. */
function sectionsOf({ chosen, contract, ledger }: Selection): ReadonlyMap<string, ApplicableRequirement[]> {
  const titles = sectionTitles(contract, ledger);
  const sections = new Map<string, ApplicableRequirement[]>();
  for (const each of chosen.filter(({ check }) => check.kind !== 'exchange')) {
    const { section } = each.row;
    const title = `§${section} ${titles[section] ?? ''}`.trim();
    sections.set(title, [...(sections.get(title) ?? []), each]);
  }
  return sections;
}

/** The run behind the tests, from the first test to the last. */
class TestRun {
  readonly #options: TestOptions;
  #close: (() => unknown) | undefined;
  #runner: Runner | undefined;
  #report: Promise<Report> | undefined;
  #finish = () => {};

  constructor(options: TestOptions) {
    this.#options = options;
  }

  /** Starts the server, connects to it and seeds the tenant. @throws Error if there is nothing to test */
  async begin(): Promise<void> {
    const { start, reportDir, signal, onResult, ...options } = this.#options;
    const { close, ...server } = (await start?.()) ?? {};
    this.#close = close;
    const resolved = readLibraryOptions({ ...options, ...server });
    const settings = { ...resolved.settings, ...(reportDir !== undefined && { reportDir }) };
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    this.#runner = await new Promise<Runner>((resolve, reject) => {
      const onTrouble = (message: string) => process.stderr.write(`warning: ${message}\n`);
      const drive = (runner: Runner): Promise<void> => {
        resolve(runner);
        return finished;
      };
      const hooks = { signal, onResult, onTrouble, drive, skipPreflight: true };
      this.#report = runWithOptions({ ...resolved, settings }, hooks);
      // If the run ends before it calls `drive`.
      this.#report.then(({ run }) => reject(new Error(run.ended_early ?? 'nothing to test')), reject);
    });
  }

  /** Judges one requirement. */
  async judge(id: string, operation: string | undefined): Promise<Judgement> {
    if (this.#runner === undefined) throw new Error('there is no connection to the server');
    return await this.#runner.run(id, operation);
  }

  /** Puts the tenant back, writes the reports and stops the server. */
  async end(): Promise<void> {
    this.#finish();
    const { reportDir } = this.#options;
    try {
      const report = await this.#report?.catch(() => undefined);
      if (report !== undefined && reportDir !== undefined) await writeReports(report, reportDir);
    } finally {
      await this.#close?.();
    }
  }
}
