/**
 * The conformance suite and the reference fake as a library: `runConformance` judges a server, `startFake` serves one for
 * tests of clients.
 */

import type { ListedRequirement } from './cli/list.ts';
import type { ConformanceOptions } from './cli/settings.ts';
import { type Fake, type FakeOptions, startFake as startPlainFake } from './fake/index.ts';
import { faults } from './mutation/faults/index.ts';
import { variants } from './mutation/variants/index.ts';
import type { Report } from './report/report.ts';

export type { ListedRequirement } from './cli/list.ts';
export type { CommandLineOnly, OptionName, Settings } from './cli/options.ts';
export type { ProfileExtras } from './cli/profile.ts';
export type { ConformanceOptions } from './cli/settings.ts';
export { UsageError } from './cli/usage.ts';
export type {
  ActionEntry,
  CustomText,
  DataSet,
  ExperimentEntry,
  PolicyEntry,
  ProfileEntry,
} from './contract/data-set.ts';
export type { JsonObject } from './contract/json.ts';
export type { Level } from './contract/ledger.ts';
export { ContractError, type LoadOptions, loadContract } from './contract/load.ts';
export type { BodyKind } from './contract/media-types.ts';
export type {
  CheckpointPagination,
  Cloud,
  Contract,
  Correlation,
  MediaType,
  Method,
  OffsetPagination,
  Operation,
  PageSize,
  Pages,
  Pagination,
  Parameter,
  ParameterStyle,
  RequestBody,
  Scope,
  SuccessResponse,
  TokenEndpoint,
} from './contract/model.ts';
export type { Schema, SchemaError, Validate } from './contract/schema.ts';
export type { LogEndpoint } from './control/tenant-logs.ts';
export type { Body, Call, FakeResponse, Refusal, WireResponse } from './fake/call.ts';
export type { Checkpoint } from './fake/checkpoint.ts';
export type { Address, Listening } from './fake/http.ts';
export type { InProcessRequest, InProcessResponse } from './fake/in-process.ts';
export type * from './fake/index.ts';
export { DataSetError, intercept, override } from './fake/index.ts';
export type { KeySet, TrustedKey } from './fake/keys.ts';
export type { CheckpointPage, OffsetPage } from './fake/pages.ts';
export type * from './fake/rules.ts';
export type { ListeningFake } from './fake/server.ts';
export type { Filters, Listing, PhoneTemplates, Tenant } from './fake/tenant.ts';
export type { Pairs } from './fake/urlencoded.ts';
export type { Fault, Variant } from './mutation/fault.ts';
export type { RunProgress } from './report/progress.ts';
export type * from './report/report.ts';

export { faults, variants };

/**
 * Starts a fake of the whole service; its `use()` knows every fault and variant by name.
 * @throws TypeError for options that can't be used, DataSetError for a data set that it can't store
 */
export function startFake(options: FakeOptions = {}): Promise<Fake> {
  return startPlainFake(options, [...faults, ...variants]);
}

/**
 * Judges a server, the embedded fake where none is named, and reports what was found. Prints nothing and ends no process; whatever
 * the target does, there is a report. The first call loads the suite, so tests that only use the fake start faster.
 * @throws UsageError for options that can't be used
 */
export async function runConformance(options: ConformanceOptions = {}): Promise<Report> {
  const run = await import('./cli/run.ts');
  return run.runConformance(options);
}

/**
 * What a run with these options would judge and observe, in the order of fixtures/requirements.yaml. Sends nothing.
 * @throws UsageError for options that can't be used
 */
export async function listRequirements(
  options: ConformanceOptions = {},
): Promise<readonly ListedRequirement[]> {
  const [{ listed }, { readLibraryOptions }, { createPlan }] = await Promise.all([
    import('./cli/list.ts'),
    import('./cli/settings.ts'),
    import('./cli/plan.ts'),
  ]);
  return listed(await createPlan(readLibraryOptions(options)));
}
