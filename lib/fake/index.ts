export type { Clock } from './clock.ts';
export { type Fake, type FakeOptions, startFake, type TokenOptions } from './fake.ts';
export type { RateLimit } from './limiter.ts';
export type { LogEntry } from './log.ts';
export type { RecordedRequest } from './requests.ts';
export { type Client, override, type Rules, type RulesOverride } from './rules.ts';
export { type DataSet, DataSetError } from './tenant.ts';
