import type { Contract } from '../contract/model.ts';
import { didYouMean } from '../contract/similar.ts';
import type { LogEndpoint } from '../control/tenant-logs.ts';
import type { RunProgress } from '../report/progress.ts';
import type { RequirementResult } from '../report/report.ts';
import {
  type CommandLineOnly,
  isOptionName,
  optionNames,
  options,
  parseOptions,
  profileKeyOf,
  rawValue,
  type Settings,
} from './options.ts';
import { parseProfile } from './profile.ts';
import { assertCompatible, type ResolvedOptions } from './settings.ts';
import { UsageError } from './usage.ts';

/** A client with the scopes that it is known to have. */
export interface ProfileClient {
  readonly id: string;
  readonly secret: string;
  readonly scopes?: readonly string[];
}

/** Limits of the run: times in milliseconds, sizes in bytes. */
export interface Limits {
  readonly logWaitMs?: number;
  readonly waitMs?: number;
  readonly totalWaitMs?: number;
  readonly bodyBytes?: number;
  /** Pages of a listing after which it counts as endless. */
  readonly pages?: number;
}

/** What a profile contains besides the options, as the library takes it. */
export interface FurtherOptions {
  readonly clients?: readonly ProfileClient[];
  /** Further claims of minted tokens. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Further header parameters of minted tokens. */
  readonly tokenHeader?: Readonly<Record<string, unknown>>;
  /** Scopes that operations require, by operation ID; several are separated by blanks. */
  readonly requiredScopes?: Readonly<Record<string, string>>;
  /** False if the tenant lacks the subscription that the phone template update requires (§1). */
  readonly subscription?: boolean;
  readonly limits?: Limits;
  /** Endpoint of the tenant's logs. */
  readonly logs?: LogEndpoint;
  /** The tenant's phone templates before the run, to restore afterwards. */
  readonly phoneTemplates?: { readonly enrollment_message: string; readonly verification_message: string };
}

/**
 * Options of `runConformance`: those of the command line in camel case, except the ones about output. Relative file names
 * start from the working directory.
 */
export interface ConformanceOptions
  extends Omit<Settings, CommandLineOnly | 'contract' | 'signingKey'>,
    FurtherOptions {
  /** Another OpenAPI 3.1 document: a file name, or a loaded contract. */
  readonly contract?: string | Contract;
  /** A private JSON Web Key: a file name, or the key itself. */
  readonly signingKey?: string | Readonly<Record<string, unknown>>;
  /** Ends the run early; the report then has the results so far. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RunProgress) => void;
  /**
   * Called with the result of each requirement on each operation as soon as it is judged, one operation in `operations`; with those
   * of the checks over all exchanges at the end. `caused_by` is set in the report only.
   */
  readonly onResult?: (result: RequirementResult) => void;
}

/**
 * Checks the options that the library was given.
 * @throws UsageError also for unknown options and those that only the command line has
 */
export function readLibraryOptions(given: ConformanceOptions): ResolvedOptions {
  const {
    contract,
    signingKey,
    clients,
    claims,
    tokenHeader,
    requiredScopes,
    subscription,
    limits,
    logs,
    phoneTemplates,
    // Callbacks and the signal are not settings.
    signal: _signal,
    onProgress: _onProgress,
    onResult: _onResult,
    ...named
  } = given;
  const profile = {
    auth: {
      clients: clients?.map(({ id, secret, ...rest }) => ({ client_id: id, client_secret: secret, ...rest })),
      claims,
      header: tokenHeader,
    },
    assume: { required_scopes: requiredScopes, subscription },
    limits: snakeKeys(limits),
    logs: snakeKeys(logs),
    phone_templates: phoneTemplates,
  };
  const { extras } = parseProfile(profile, 'options', process.env);
  const values: Readonly<Record<string, unknown>> = {
    ...named,
    ...(typeof contract !== 'object' && { contract }),
    ...(typeof signingKey !== 'object' && { signingKey }),
  };
  for (const name of Object.keys(values)) {
    if (!isOptionName(name))
      throw new UsageError(`there is no option ${name}${didYouMean(name, optionNames)}`);
    if (values[name] !== undefined && options[name].commandLineOnly)
      throw new UsageError(`${name} is an option of the command line only`);
  }
  const resolved: ResolvedOptions = {
    settings: parseOptions(options, (name) => rawValue(values[name], name)),
    fromProfile: new Set(),
    extras,
    ...(typeof contract === 'object' && { contract }),
    ...(typeof signingKey === 'object' && { signingKey }),
  };
  assertCompatible(resolved);
  return resolved;
}

function snakeKeys(object: object | undefined): object | undefined {
  return (
    object && Object.fromEntries(Object.entries(object).map(([name, value]) => [profileKeyOf(name), value]))
  );
}
