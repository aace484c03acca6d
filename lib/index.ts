/**
 * The conformance suite and the reference fake as a library: `runConformance` judges a server, `startFake` serves one for
 * tests of clients.
 */
export { type ConformanceOptions, type RunProgress, runConformance } from './cli/run.ts';
export { UsageError } from './cli/usage.ts';
export { ContractError, loadContract } from './contract/load.ts';
export type { Contract } from './contract/model.ts';
export { type DispatcherOptions, fakeDispatcher } from './fake/dispatcher.ts';
export { faults } from './fake/faults/index.ts';
export {
  type Client,
  type Clock,
  type DataSet,
  DataSetError,
  type Fake,
  type FakeOptions,
  type Fault,
  type LogEntry,
  override,
  type RateLimit,
  type RecordedRequest,
  type Rules,
  type RulesOverride,
  startFake,
  type TokenOptions,
  type Variant,
} from './fake/index.ts';
export { variants } from './fake/variants/index.ts';
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
