export type { Report, RequirementResult, RunVerdict, Verdict } from './report/report.ts';
export { type ConformanceOptions, runConformance } from './cli/run.ts';
export { type Fake, type FakeOptions, startFake } from './fake/index.ts';
