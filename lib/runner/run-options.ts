import type { DataSet } from '../contract/data-set.ts';
import type { SavedCheckpoints } from './saved-checkpoints.ts';

/** How a run is to go. */
export interface RunOptions {
  readonly seed: number;
  /** Examples per property. Default 40. */
  readonly runs?: number;
  /** Judges only what tells how many requests the whole takes. Default: everything. */
  readonly sample?: Sample;
  /** How the scope matrix is judged. Default: each scope in a token of its own, up to `fullMatrixOperations`. */
  readonly matrix?: 'full' | 'grouped';
  /** Requirements under way at a time, each on one operation. Default 32; the driver bounds the requests. */
  readonly concurrency?: number;
  /** Milliseconds to wait for a log entry that may appear late. Default 10,000. */
  readonly logWaitMs?: number;
  /** Ids of what is to be judged and observed; everything where left out. */
  readonly selected?: ReadonlySet<string>;
  /** The data that the tenant is filled with for the run, where the target can be seeded. */
  readonly dataSet?: DataSet;
  /** Checkpoints of an earlier run, and for a later one. */
  readonly kept?: SavedCheckpoints;
  /** The command that judges one requirement alone. */
  readonly rerun?: (id: string) => string;
  /** Keeps every exchange in the findings, of what passed too (`--har full`). Default false. */
  readonly recordExchanges?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  /** ResolvedOptions what went wrong beside the ctx. */
  readonly onTrouble?: (message: string) => void;
  /** Aborted: nothing more is begun; what was not judged says so. */
  readonly signal?: AbortSignal;
}

/** What a rehearsal goes through: a few examples of each property, on one operation of each kind. */
export interface Sample {
  /** Examples per property that are tried; the others are taken to need as many requests each. */
  readonly examples: number;
  /** ResolvedOptions of the requests of what is left out. */
  readonly leftOut: (requests: number) => void;
}

/** How far a run is. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** What began last. */
  readonly current: string;
}
