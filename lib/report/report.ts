import type { Level } from '../contract/ledger.ts';

/** What a run found: `report.json`. Described by `reports/report.schema.json`; everything else is derived from it. */
export interface Report {
  readonly suite: { readonly name: string; readonly version: string };
  readonly specification: {
    readonly version: string;
    /** Titles of the specification's sections: `{ "4.2": "GET /experimentation/experiments" }`. */
    readonly sections?: Readonly<Record<string, string>>;
  };
  readonly contract: {
    readonly title: string;
    readonly version: string;
    readonly operations: readonly ContractOperation[];
  };
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
    /** The estimate made before the start; absent if none was made. */
    readonly requests_estimated?: number;
    /** `1/3`, or null for a whole run. */
    readonly shard: string | null;
    /** Why the run ended before everything was judged: `interrupted`, or the error's line; absent for a whole run. */
    readonly ended_early?: string;
    /** Flags of the run that `repeat` needs, without secrets; absent for the embedded fake. */
    readonly arguments?: readonly string[];
    /** True if a broken inferred requirement fails the run (`--strict`). */
    readonly strict?: boolean;
    /** `quick`, `standard` or `thorough`, if `--effort` was given. */
    readonly effort?: string;
    /** Notes on the run, such as a restart of the target, one line each. */
    readonly notes?: readonly string[];
    /** IDs of what did not pass in an earlier run in this directory and was not judged in this one: `--failed` selects it too. */
    readonly failed_before?: readonly string[];
  };
  readonly verdict: RunVerdict;
  readonly summary: {
    /** How many requirements there are in all. */
    readonly requirements: number;
    /** How many of these passed, failed or warned. */
    readonly judged: number;
    /** How many of these `--only`, `--skip` or `--failed` left out. */
    readonly deselected: number;
    /** How many operations of the contract have each verdict: that of a run of this operation alone. */
    readonly operations: Readonly<Record<RunVerdict, number>>;
    readonly stated: {
      readonly passed: number;
      readonly failed: number;
      /** Includes the deselected ones. */
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
  readonly input_coverage?: InputCoverage;
  readonly scope_matrix: { readonly operations: Readonly<Record<string, ScopeRow>> };
  readonly observations: readonly Observation[];
  /** How the failures compare with the baseline; absent without a baseline. */
  readonly baseline?: BaselineComparison;
  /** The data sets that the scripts in `reproduce` fill the tenant with, by name. */
  readonly data_sets?: Readonly<Record<string, unknown>>;
  /** Everything that was sent, for `exchanges.har` with `--har full`; never written to `report.json`. */
  readonly exchanges?: readonly RecordedExchange[];
}

export type RunVerdict = 'conforms' | 'does-not-conform' | 'incomplete';
export type Verdict = 'passed' | 'failed' | 'warned' | 'not-judged' | 'error';

export interface ContractOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

export interface RequirementResult {
  /** `4.2/take-maximum`. */
  readonly id: string;
  readonly section: string;
  /** The place in the specification: `§4.2, query parameter take`. */
  readonly source?: string;
  /** How the sentence is read, and why, if it can be read in more than one way. */
  readonly reading?: string;
  readonly level: Level;
  /** What a conforming server does: one sentence. */
  readonly description: string;
  /** Operations that it was judged on, or would be. */
  readonly operations: readonly string[];
  readonly verdict: Verdict;
  /** Why it failed, warned, was not judged (`deselected`) or ended in error: one line. */
  readonly reason?: string;
  /** For a broken requirement: what was expected and what was received. */
  readonly difference?: Difference;
  /**
   * The verdict on each of its operations. A violation on one breaks the requirement; otherwise an error on one makes it an error;
   * otherwise it passes if it was judged on one.
   */
  readonly by_operation: readonly OperationVerdict[];
  /** Ids of broken requirements that this one depends on: its failure may have no cause of its own. */
  readonly caused_by?: readonly string[];
  /** Flags or profile keys to set so that it is judged. */
  readonly required_flags?: readonly string[];
  /** Shrunk input of a failing property. */
  readonly counterexample?: unknown;
  /** True if it passed when it was judged again with plain requests: the cause is how or when the request was sent. */
  readonly passes_plain?: true;
  /** Bash script that repeats the failure: fills the tenant, sets the clock, gets the tokens, sends the requests. */
  readonly reproduce?: string;
  /** Command that judges this requirement alone, with the same seed. */
  readonly rerun?: string;
  readonly duration_ms?: number;
  /** Milliseconds from the run's start. */
  readonly started_ms?: number;
  readonly requests?: number;
  /** The exchanges that show it, the decisive one last; recorded for what did not pass. */
  readonly exchanges: readonly RecordedExchange[];
  /** If the status is wrong: an accepted valid request of the same operation, for comparison with the last exchange. */
  readonly twin?: RecordedExchange;
}

/** The result of a requirement on one operation. */
export interface OperationVerdict {
  readonly operation: string;
  readonly verdict: Verdict;
  /** Why it is not passed: one line. */
  readonly reason?: string;
  /** Flags or profile keys to set so that it is judged. */
  readonly required_flags?: readonly string[];
}

/** What was expected and what was received, each value once. Built by `difference.ts`. */
export interface Difference {
  /** What a conforming server would have sent. With entries: what was compared, such as `12 items`. */
  readonly expected: string;
  readonly received: string;
  /** Why that is expected. */
  readonly because?: string;
  /** Where the two differ; only the first ones. */
  readonly entries?: readonly DifferenceEntry[];
  /** How many entries were left out. */
  readonly more?: number;
}

/** One place where two values differ. */
export interface DifferenceEntry {
  readonly kind: 'missing' | 'unexpected' | 'repeated' | 'out-of-order' | 'changed';
  /** JSON pointer (RFC 6901), or `character 17` of a text; absent for the members of a set. */
  readonly path?: string;
  /** JSON text, cut: of what is missing or changed. */
  readonly expected?: string;
  /** JSON text, cut: of everything but what is missing. */
  readonly received?: string;
}

/** An exchange without secrets, bodies cut. */
export interface RecordedExchange {
  /** Id of the requirement that sent it; given in `Report.exchanges` only. */
  readonly requirement?: string;
  readonly operation?: string;
  readonly started_ms: number;
  readonly duration_ms: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly (readonly [string, string])[];
    /** The token's header and claims, in place of the token, and how it was signed if not by the signing key. */
    readonly token?: { readonly header?: unknown; readonly claims?: unknown; readonly signature?: string };
    readonly body?: string;
    readonly body_bytes: number;
  };
  readonly response?: {
    readonly status: number;
    readonly headers: readonly (readonly [string, string])[];
    readonly body: string;
    readonly body_bytes: number;
  };
  /** Why there is no response. */
  readonly failure?: string;
}

export interface ScopeRow {
  /** The scopes that the operation requires, separated by blanks; all of them are required. */
  readonly required: string;
  /** The status of the response to each scope, sent alone; absent if it was not sent. */
  readonly cells: Readonly<Record<string, number>>;
}

/** How the requests of a run cover the input dimensions (`lib/arbitraries/dimensions.ts`). */
export interface InputCoverage {
  /** By operation and class (`dimension: class`): requests sent, accepted with 2xx, rejected with 4xx. */
  readonly operations: Readonly<
    Record<string, Readonly<Record<string, readonly [sent: number, accepted: number, rejected: number]>>>
  >;
  /** By operation, or `token`, the classes with which no requirement's requests vary, with the reason. */
  readonly left_out: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A failure that is known: one row of the baseline. */
export interface BaselineRow {
  readonly id: string;
  /** The one operation on which it is known; every one if absent. */
  readonly operation?: string;
  readonly reason: string;
  readonly issue?: string;
  /** The last day on which it is excused: `2027-01-31`. */
  readonly expires?: string;
  /** Number of its first line in the file. */
  readonly line: number;
}

/** How a run's failures compare with the baseline. */
export interface BaselineComparison {
  /** Failed, and listed: excused. */
  readonly known: readonly BaselineRow[];
  /** Failed, and not listed: `4.2/take-maximum`, or `5.5/wrong-verb@listExperiments` if only some operations are meant. */
  readonly unlisted: readonly string[];
  /** Failed, listed, and the date has passed. */
  readonly expired: readonly BaselineRow[];
  /** Listed, and passes now: the row must go. */
  readonly fixed: readonly BaselineRow[];
}

export interface Observation {
  readonly id: string;
  readonly description: string;
  readonly value: unknown;
}
