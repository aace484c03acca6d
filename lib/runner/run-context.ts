import type { Exchange } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import type { Operation, Scope } from '../contract/model.ts';
import type { TokenMinter } from '../tokens/token-minter.ts';
import type { CallResult } from './call-result.ts';
import type { Target } from './connect.ts';
import type { FullContext } from './context.ts';
import type { InputCounter } from './input-coverage.ts';
import type { NeutralVariations } from './neutral.ts';
import type { ResourcePool } from './resource-pool.ts';
import type { RunOptions } from './run-options.ts';

type Read = 'seed' | 'runs' | 'maximumPages' | 'logWaitMs' | 'effectWaitMs' | 'savedCheckpoints' | 'matrix';

/** The context that all requirements of a run share, with the options that they read. */
export interface RunContext extends Required<Pick<RunOptions, Read>> {
  readonly target: Target;
  readonly resources: ResourcePool;
  /** The available operations of the contract, for requirements that concern no operation or any of them. */
  readonly operations: readonly Operation[];
  readonly neutral: NeutralVariations;
  /** What the tenant contains at the start of every requirement, if the suite could seed or inspect it. */
  readonly dataSet: DataSet | undefined;
  /** True if the service could not store the whole data set: then each seed is verified. */
  readonly verifiesSeeds: boolean;
  /** Called with every exchange. @param isValid true if the request has the usual token and must be served */
  readonly record: (ctx: Pick<FullContext, 'id' | 'steps'>, exchange: Exchange, isValid: boolean) => void;
  /** Called with the exchanges of every violation, so that no exchange check reports them again. */
  readonly attribute: (exchanges: readonly Exchange[]) => void;
  /** True if an unexpectedly refused token should be renewed: a few times per run, and never a minted one. */
  readonly mayRenew: () => boolean;
  /** Called with the exchange of every plain valid request. */
  readonly recordValid: (exchange: Exchange) => void;
  /** In a run with few examples, the valid twins by their shape, each sent once. */
  readonly twins: Map<string, Promise<CallResult>>;
  /** Ids of the operations that have served a request with the usual token. */
  readonly accepted: Set<string>;
  /** Whether the smallest request with the usual token was answered with 403, by operation id. */
  readonly forbidden: Map<string, Promise<boolean>>;
  /** Counts every request of a requirement. */
  readonly inputs: InputCounter;
  /** Called with the status for each scope of the matrix. */
  readonly recordScopeResult: (operation: Operation, scope: string, status: number) => void;
}

/** A minter that varies claims without changing what a token permits; tokens with all `variation` numbers cover every class. */
export type VaryingMinter = Omit<TokenMinter, 'claims'> & {
  claims(scopes: readonly Scope[], variation?: number): ReturnType<TokenMinter['claims']>;
};

/** Default number of examples per property. */
export const defaultRuns = 25;

/** Values of the options that requirements read, if they are not given. */
export const defaultOptions = {
  runs: defaultRuns,
  matrix: 'grouped' as const,
  maximumPages: 1_000,
  logWaitMs: 10_000,
  effectWaitMs: 10_000,
  savedCheckpoints: { fromEarlierRun: [], saves: false, issued: [] },
};

/** The share of listed values that a run tries: all of them, unless it has fewer examples than the default. */
export const effortFraction = ({ runs }: Pick<RunContext, 'runs'>): number => Math.min(1, runs / defaultRuns);

/**
 * Maximum requests of one requirement on one operation: ten walks of the longest listing, and a hundred for each example of a
 * property. On a conforming server a requirement needs far fewer.
 */
export const maximumRequests = ({ maximumPages, runs }: RunContext): number => 10 * maximumPages + 100 * runs;
