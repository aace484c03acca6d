import type { DataSet } from '../contract/data-set.ts';
import type { RunProgress } from '../report/progress.ts';
import type { RequirementResult } from '../report/report.ts';
import type { SavedCheckpoints } from './saved-checkpoints.ts';
import type { ScriptOptions } from './script.ts';

/** How a run is to go. */
export interface RunOptions {
  readonly seed: number;
  /** Examples per property. Default 25. */
  readonly runs?: number;
  /** How the scope matrix is judged. Default: each scope in a token of its own, up to `fullMatrixOperations`. */
  readonly matrix?: 'full' | 'grouped';
  /** Requirements under way at a time, each on one operation. Default 32; the driver bounds the requests. */
  readonly concurrency?: number;
  /** Milliseconds to wait for a log entry that may appear late. Default 10,000. */
  readonly logWaitMs?: number;
  /** Milliseconds to wait for the effect of a deletion or an update, which may come after the response. Default 10,000. */
  readonly effectWaitMs?: number;
  /** Pages after which a listing counts as endless, where the tenant's data is not known. Default 1,000. */
  readonly maximumPages?: number;
  /** Milliseconds to wait for a target that refuses connections after it had answered. Default 30,000. */
  readonly restartWaitMs?: number;
  /** Failed requirements after which nothing more is begun. Default: no limit. */
  readonly maxFailures?: number;
  /** What `runAll` judges and observes: ids, or ids on an operation (`5.5/wrong-verb@listExperiments`). Default: everything. */
  readonly selected?: ReadonlySet<string>;
  /** Ids of requirements in the order in which they are begun, within a lane; the others follow. */
  readonly order?: readonly string[];
  /** Operations that are not judged, nor used to judge anything else, by id, with the reason. */
  readonly unavailable?: ReadonlyMap<string, string>;
  /** The data that the tenant is filled with for the run, where the target can be seeded. */
  readonly dataSet?: DataSet;
  /** The phone messages to put back where the tenant can't be inspected. */
  readonly phoneMessages?: DataSet['phone_templates'];
  /** Keeps what the tenant contained where it outlives this process, until it is put back. */
  readonly backup?: TenantBackup;
  /** True to find out first whether the service shows what the control endpoint seeds. */
  readonly verifySeed?: boolean;
  /** Checkpoints of an earlier run, and for a later one. */
  readonly savedCheckpoints?: SavedCheckpoints;
  /** The command that judges one requirement alone. */
  readonly rerun?: (...ids: readonly string[]) => string;
  /** How scripts get at the target; without it a failure has the curl line of its last exchange. */
  readonly script?: ScriptOptions;
  /** Leaves the tenant with the data of the last failure, in place of what it contained before. Default false. */
  readonly keepData?: boolean;
  /** Keeps every exchange in the findings, of what passed too (`--har full`). Default false. */
  readonly recordExchanges?: boolean;
  /** `current` is what began last. */
  readonly onProgress?: (progress: Pick<RunProgress, 'done' | 'total' | 'current'>) => void;
  /** Called with the result of each requirement on each operation once it is judged; of checks over all exchanges at the end. */
  readonly onResult?: (result: RequirementResult) => void;
  /** Called with one line about what a reader of the report should know and no requirement is about. */
  readonly onTrouble?: (message: string) => void;
  /** Aborted: nothing more is begun; what was not judged says so. */
  readonly signal?: AbortSignal;
}

/** Where the tenant's own data is kept while it contains the suite's. */
export interface TenantBackup {
  save(tenant: DataSet): void;
  /** The tenant is as it was. */
  remove(): void;
}
