import type { Report } from '../report/report.ts';

type Found = 'requirements' | 'scope_matrix' | 'observations' | 'walks' | 'checkpoints' | 'input_coverage';

/** What a run found, as the report has it. */
export interface Findings extends Pick<Report, Found | 'data_sets' | 'exchanges'> {
  /** Why the run ended before everything was judged: the target is unavailable, or enough has failed. */
  readonly endedEarly?: string | undefined;
}
