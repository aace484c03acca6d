/**
 * The conformance suite and the reference fake as a library: `runConformance` judges a server, `startFake` serves one for
 * tests of clients.
 */
import type { ConformanceOptions } from './cli/library-options.ts';
import type { Report } from './report/report.ts';

export type { ConformanceOptions } from './cli/library-options.ts';
export type { RunProgress } from './cli/run.ts';
export { UsageError } from './cli/usage.ts';
export { ContractError, loadContract } from './contract/load.ts';
export type { Contract } from './contract/model.ts';
export { type DispatcherOptions, fakeDispatcher } from './fake/dispatcher.ts';
export {
  type Client,
  type Clock,
  type DataSet,
  DataSetError,
  type Fake,
  type FakeOptions,
  type LogEntry,
  override,
  type RateLimit,
  type RecordedRequest,
  type Rules,
  type RulesOverride,
  startFake,
  type TokenOptions,
} from './fake/index.ts';
export type { Fault, Variant } from './mutation/fault.ts';
export { faults } from './mutation/faults/index.ts';
export { variants } from './mutation/variants/index.ts';
export type {
  Level,
  Observation,
  RecordedExchange,
  Report,
  RequirementResult,
  RunVerdict,
  ScopeRow,
  Verdict,
} from './report/report.ts';

/**
 * Judges a server, the embedded fake where none is named, and reports what was found. Prints nothing and ends no process; whatever
 * the target does, there is a report. What judges is loaded by the first call: tests of clients, which want the fake alone, start
 * without it.
 * @throws UsageError for options that can't be used
 */
export async function runConformance(options: ConformanceOptions = {}): Promise<Report> {
  const run = await import('./cli/run.ts');
  return run.runConformance(options);
}
