import type { DataSet } from '../contract/data-set.ts';
import type { RunProgress } from '../report/progress.ts';
import type { RequirementResult } from '../report/report.ts';
import type { SavedCheckpoints } from './saved-checkpoints.ts';
import type { ScriptOptions } from './script.ts';

/** Options of a run. */
export interface RunOptions {
  readonly seed: number;
  /** Examples per property. Default 25. */
  readonly runs?: number;
  /** How the scope matrix is judged: with one token per scope (`full`), or with many scopes in one token. Default `grouped`. */
  readonly matrix?: 'full' | 'grouped';
  /** Maximum requirements in progress, each on one operation. Default 32; the driver limits the requests. */
  readonly concurrency?: number;
  /** Milliseconds to wait for a log entry that may appear late. Default 10,000. */
  readonly logWaitMs?: number;
  /** Milliseconds to wait for the effect of a deletion or an update, which may come after the response. Default 10,000. */
  readonly effectWaitMs?: number;
  /** Pages after which a listing counts as endless, if the tenant's data is not known. Default 1,000. */
  readonly maximumPages?: number;
  /** Milliseconds to wait for a target that has gone away. Default 30,000. */
  readonly restartWaitMs?: number;
  /** Failed requirements after which the run ends. Default: no limit. */
  readonly maxFailures?: number;
  /** What `runAll` judges and observes: ids, or ids with an operation (`5.5/wrong-verb@listExperiments`). Default: everything. */
  readonly selected?: ReadonlySet<string>;
  /** Ids of the requirements that begin first within their lane, in order. */
  readonly order?: readonly string[];
  /** Operations that are neither judged nor used to judge others, by id, with the reason. */
  readonly unavailable?: ReadonlyMap<string, string>;
  /** The data set that fills the tenant during the run, if the target can be seeded. */
  readonly dataSet?: DataSet;
  /** The phone messages to put back if the tenant can't be inspected. */
  readonly phoneMessages?: DataSet['phone_templates'];
  /** Stores the tenant's own data outside this process until it is put back. */
  readonly backup?: TenantBackup;
  /** True to check first whether the service shows the data that the control endpoint seeds. */
  readonly verifySeed?: boolean;
  /** Checkpoints from an earlier run and for a later one. */
  readonly savedCheckpoints?: SavedCheckpoints;
  /** Returns the command that judges only these requirements. */
  readonly rerun?: (...ids: readonly string[]) => string;
  /** Options of the scripts that repeat failures. Without them a failure has the curl line of its last exchange. */
  readonly script?: ScriptOptions;
  /** Keeps every exchange in the findings, also those of passed requirements (`--har full`). Default false. */
  readonly recordExchanges?: boolean;
  /** `current` is the id that began last. */
  readonly onProgress?: (progress: Pick<RunProgress, 'done' | 'total' | 'current'>) => void;
  /** Called with the result of each requirement on each operation once it is judged; for exchange checks at the end. */
  readonly onResult?: (result: RequirementResult) => void;
  /** Called with one line about a problem that no requirement covers. */
  readonly onTrouble?: (message: string) => void;
  /** Ends the run when it is aborted. The remaining requirements are not judged. */
  readonly signal?: AbortSignal;
}

/** Storage for the tenant's own data while the tenant contains the suite's. */
export interface TenantBackup {
  save(tenant: DataSet): void;
  /** Called when the tenant contains its own data again. */
  remove(): void;
}
