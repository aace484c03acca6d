/** What a run found: `report.json`. Described by `reports/report.schema.json`; everything else is derived from it. */
export interface Report {
  readonly suite: { readonly name: string; readonly version: string };
  readonly specification: { readonly version: string };
  readonly contract: { readonly title: string; readonly version: string; readonly operations: readonly ContractOperation[] };
  readonly target: {
    readonly base_url: string;
    readonly cloud: 'public' | 'private';
    readonly capabilities: readonly string[];
  };
  readonly run: {
    readonly seed: number;
    /** RFC 3339. */
    readonly started_at: string;
    readonly duration_ms: number;
    readonly requests: number;
    /** `1/3`, or null for a whole run. */
    readonly shard: string | null;
    /** Why the run ended before everything was judged: `interrupted`, or the error's line; absent for a whole run. */
    readonly ended_early?: string;
  };
  readonly verdict: RunVerdict;
  readonly summary: {
    readonly stated: {
      readonly passed: number;
      readonly failed: number;
      readonly not_judged: number;
      readonly error: number;
    };
    readonly inferred: {
      readonly passed: number;
      readonly warned: number;
      readonly not_judged: number;
      readonly error: number;
    };
  };
  readonly requirements: readonly RequirementResult[];
  readonly scope_matrix: { readonly operations: Readonly<Record<string, ScopeRow>> };
  readonly observations: readonly Observation[];
}

export type RunVerdict = 'conforms' | 'does-not-conform' | 'incomplete';
export type Verdict = 'passed' | 'failed' | 'warned' | 'not-judged' | 'error';
export type Level = 'stated' | 'inferred';

export interface ContractOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

export interface RequirementResult {
  readonly id: string;
  readonly section: string;
  readonly level: Level;
  readonly says: string;
  /** Operations that it was judged on, or would be. */
  readonly operations: readonly string[];
  readonly verdict: Verdict;
  /** Why it failed, warned, was not judged or ended in error: one line. */
  readonly reason?: string;
  /** Of a requirement that passed where it could be judged: the operations where it could not, with the reason. */
  readonly not_judged_on?: readonly { readonly operation: string; readonly reason: string }[];
  /** The flags or profile keys that would let it be judged. */
  readonly unlock?: readonly string[];
  readonly expected?: string;
  readonly got?: string;
  /** Shrunk input of a failing property. */
  readonly counterexample?: unknown;
  /** curl line with `$TOKEN` in the token's place. */
  readonly reproduce?: string;
  /** Command that judges this requirement alone, with the same seed. */
  readonly rerun?: string;
  readonly duration_ms?: number;
  /** Milliseconds from the run's start. */
  readonly started_ms?: number;
  readonly requests?: number;
  /** The exchanges that show it, the decisive one last; recorded for what did not pass. */
  readonly exchanges: readonly RecordedExchange[];
}

/** An exchange without secrets, bodies cut. */
export interface RecordedExchange {
  readonly operation?: string;
  readonly started_ms: number;
  readonly duration_ms: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly (readonly [string, string])[];
    /** The token's header and claims, in place of the token. */
    readonly token?: { readonly header?: unknown; readonly claims?: unknown };
    readonly body?: string;
    readonly body_bytes: number;
  };
  readonly response?: {
    readonly status: number;
    readonly headers: readonly (readonly [string, string])[];
    readonly body: string;
    readonly body_bytes: number;
  };
  /** Why no answer came. */
  readonly failure?: string;
}

export interface ScopeRow {
  /** The scope that the operation needs. */
  readonly required: string;
  /** For each scope, sent alone: the status that came. */
  readonly cells: Readonly<Record<string, number>>;
}

export interface Observation {
  readonly id: string;
  readonly says: string;
  readonly value: unknown;
}
