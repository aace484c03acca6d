import type { Exchange } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import type { Contract, Operation, Scope } from '../contract/model.ts';
import type { TokenMinter } from '../tokens/token-minter.ts';
import type { CallResult } from './call-result.ts';
import type { InputCounter } from './input-coverage.ts';
import type { NeutralVariations } from './neutral.ts';
import type { ResourcePool } from './resource-pool.ts';
import type { SavedCheckpoints } from './saved-checkpoints.ts';
import type { Target } from './target.ts';
import type { TargetClock } from './target-clock.ts';
import type { Visualizations } from './visualizations.ts';

/** What all requirements of a run share. */
export interface RunContext {
  readonly target: Target;
  readonly resources: ResourcePool;
  /** The contract's operations without those that are unavailable, for requirements that concern no operation or any of them. */
  readonly operations: readonly Operation[];
  readonly neutral: NeutralVariations;
  readonly seed: number;
  /** Examples per property. */
  readonly runs: number;
  /**
   * How the scope matrix is judged: each scope in a token of its own, many in one token, or (`stated`) the former where the
   * specification names the scope of the operation.
   */
  readonly matrix: 'full' | 'stated' | 'grouped';
  /** What the tenant contains at the start of every requirement, where the suite could seed it. */
  readonly dataSet: DataSet | undefined;
  /** True where the service was seen to drop entries that it is seeded with: then each seed is verified. */
  readonly dropsEntries: boolean;
  readonly clock: TargetClock;
  /** Pages after which a listing counts as endless, where nothing is known of how much the tenant contains. */
  readonly maximumPages: number;
  /** Longest wait for a log entry, in milliseconds. */
  readonly logWaitMs: number;
  /** Longest wait for the effect of a deletion or an update, in milliseconds. */
  readonly effectWaitMs: number;
  /** Called with every exchange. @param isValid true where it has the usual token and is to be served */
  readonly record: (exchange: Exchange, id: string, isValid: boolean) => void;
  /** Called with the exchanges of every violation: no exchange check blames them again. */
  readonly attribute: (exchanges: readonly Exchange[]) => void;
  /** True where a token that was unexpectedly refused is to be renewed: a few times a run, and not for minted ones. */
  readonly mayRenew: () => boolean;
  readonly savedCheckpoints: SavedCheckpoints;
  /** Called with the exchange of every plain valid request. */
  readonly recordValid: (exchange: Exchange) => void;
  /** In a run of few examples the valid twins by their kind, each sent once. */
  readonly twins: Map<string, Promise<CallResult>>;
  /** Counts every request of a requirement. */
  readonly inputs: InputCounter;
  /** What the report draws. */
  readonly visualizations: Visualizations;
  /** Called with what came of each scope of the matrix. */
  readonly recordScopeResult: (operation: Operation, scope: string, status: number) => void;
}

/** A minter whose claims are varied in what changes nothing: tokens of several variations in each way. */
export type VaryingMinter = Omit<TokenMinter, 'claims'> & {
  claims(scopes: readonly Scope[], variation?: number): ReturnType<TokenMinter['claims']>;
};

/** Examples per property where nothing else is said. */
export const defaultRuns = 25;

/** The part of the values of a list that a run tries: all of them, unless it has fewer examples than the default. */
export const shareOfExamples = ({ runs }: Pick<RunContext, 'runs'>): number =>
  Math.min(1, runs / defaultRuns);

/**
 * Requests that one requirement may send on one operation: ten walks of the longest listing, and a hundred for each example of a
 * property. On a server that conforms it needs a small part of them.
 */
export const maximumRequests = ({ maximumPages, runs }: RunContext): number => 10 * maximumPages + 100 * runs;

/** Operations of a contract up to which each scope of the matrix gets a request of its own. */
const fullMatrixOperations = 20;

/** How the scope matrix is judged unless an option says so: `grouped` for a large contract. */
export function defaultMatrix({ operations }: Contract): 'stated' | 'grouped' {
  return operations.length > fullMatrixOperations ? 'grouped' : 'stated';
}
