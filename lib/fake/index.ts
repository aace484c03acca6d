export type { DataSet } from '../contract/data-set.ts';
export { DataSetError } from '../contract/data-set.ts';
export type { Clock } from './clock.ts';
export type { PlannedFailure } from './failures.ts';
export {
  type Fake,
  type FakeOptions,
  type NamedOverride,
  type RulesChange,
  startFake,
  type TokenOptions,
} from './fake.ts';
export { type Interception, type InterceptOptions, intercept } from './intercept.ts';
export type { RateLimit } from './limiter.ts';
export type { RecordedRequest, RecordedResponse } from './requests.ts';
export { type Client, override, type Rules, type RulesOverride } from './rules.ts';
export type { LogEntry } from './tenant.ts';
