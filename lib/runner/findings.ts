import type { DataSet } from '../contract/data-set.ts';
import type {
  InputCoverage,
  Observation,
  RecordedExchange,
  RequirementResult,
  ScopeRow,
} from '../report/report.ts';
import type { Visualizations } from './visualizations.ts';

/** What a run found, in the report's terms. */
export interface Findings {
  readonly requirements: readonly RequirementResult[];
  readonly observations: readonly Observation[];
  readonly scopeMatrix: ReadonlyMap<string, ScopeRow>;
  readonly visualizations: Visualizations;
  readonly inputCoverage: InputCoverage;
  /** All exchanges, where `har` asks for them. */
  readonly exchanges?: readonly RecordedExchange[];
  /** Why the run ended before everything was judged: the target is unavailable, or enough has failed. */
  readonly endedEarly: string | undefined;
  /** The data sets of the scripts, by name. */
  readonly dataSets: Readonly<Record<string, DataSet>>;
}
