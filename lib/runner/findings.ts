import type { Report } from '../report/report.ts';

type Found = 'requirements' | 'scope_matrix' | 'observations' | 'walks' | 'input_coverage';

/** The part of the report that a run finds. */
export interface Findings extends Pick<Report, Found | 'data_sets' | 'exchanges'> {
  /** Why the run ended before everything was judged: the target is unavailable, or `maxFailures` is reached. */
  readonly endedEarly?: string | undefined;
}
