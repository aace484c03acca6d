import { dirname } from 'node:path';
import type { Environment } from '../client/proxy.ts';
import { present } from '../contract/json.ts';
import type { Contract } from '../contract/model.ts';
import { didYouMean, nearest } from '../contract/similar.ts';
import type { RunProgress } from '../report/progress.ts';
import type { RequirementResult } from '../report/report.ts';
import type { Origin } from './option-types.ts';
import {
  type CommandLineOnly,
  type Flags,
  flagOf,
  isOptionName,
  type OptionName,
  optionNames,
  options,
  parseOptions,
  profileKeyOf,
  type RawValue,
  rawValue,
  type Settings,
  variableOf,
} from './options.ts';
import { type Profile, type ProfileExtras, parseProfile, readProfile } from './profile.ts';
import { UsageError } from './usage.ts';

/** The settings of a run from flags, environment and profile, each checked. */
export interface ResolvedOptions {
  readonly settings: Settings;
  /** Where each option is set: by a flag, a variable or the profile. The library gives none. */
  readonly origins?: ReadonlyMap<OptionName, Origin>;
  /** Settings that only a profile, or the library, can have. */
  readonly extras: ProfileExtras;
  /** Values that the library passed in place of file names. */
  readonly contract?: Contract;
  readonly signingKey?: unknown;
}

/**
 * Options of `runConformance`: those of the command line in camel case, except the ones about output, and what else a profile
 * may contain, as the profile has it. Relative file names start from the working directory.
 */
export interface ConformanceOptions
  extends Omit<Settings, CommandLineOnly | 'contract' | 'signingKey'>,
    ProfileExtras {
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
 * Reads the settings of a run. A flag beats a variable, a variable beats the profile.
 * @throws UsageError
 */
export function readSettings(flags: Flags, environment: Environment): ResolvedOptions {
  const resolved = collectSettings(flags, environment);
  const variable = variableOf('baseUrl');
  // A pipeline whose variable is not defined would test the embedded fake in place of its server.
  if (resolved.settings.baseUrl === undefined && environment[variable]?.trim() === '')
    throw new UsageError(`${variable} is empty: unset it to test the embedded fake`);
  assertCompatible(resolved);
  return resolved;
}

/**
 * As `readSettings`, for commands that use a few of the settings and need no target.
 * @throws UsageError
 */
export function collectSettings(flags: Flags, environment: Environment): ResolvedOptions {
  const given = (name: OptionName): RawValue => {
    if (flags[name] !== undefined) return rawValue(flags[name], flagOf(name));
    const variable = environment[variableOf(name)];
    // Many pipelines set a variable to the empty text if they mean not to set it.
    if (variable === undefined || variable.trim() === '') return undefined;
    return [variable, { label: variableOf(name), folder: '', environment }];
  };
  const named = given('profile');
  const file = named === undefined ? '' : options.profile.type.parse(...named);
  const profile: Profile = file === '' ? {} : readProfile(file, environment);
  const inProfile = (name: OptionName): RawValue => {
    const raw = profile[profileKeyOf(name)] ?? undefined;
    const label = `${profileKeyOf(name)} in ${file}`;
    return raw === undefined ? undefined : [raw, { label, folder: dirname(file), environment }];
  };
  const origins = new Map<OptionName, Origin>();
  const find = (name: OptionName): RawValue => {
    const raw = given(name) ?? inProfile(name);
    if (raw !== undefined) origins.set(name, raw[1]);
    return raw;
  };
  return { settings: parseOptions(options, find), origins, extras: profile };
}

/**
 * Checks the options that the library was given.
 * @throws UsageError also for unknown options and those that only the command line has
 */
export function readLibraryOptions(given: ConformanceOptions): ResolvedOptions {
  // Callbacks and the signal are not settings.
  const { signal: _, onProgress: __, onResult: ___, ...rest } = given;
  const { contract, signingKey, auth, assume, limits, logs, phone_templates, ...named } = rest;
  const inProfile = present({ auth, assume, limits, logs, phone_templates });
  const extras = parseProfile(inProfile, 'options', process.env);
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
    extras,
    ...(typeof contract === 'object' && { contract }),
    ...(typeof signingKey === 'object' && { signingKey }),
  };
  assertCompatible(resolved);
  return resolved;
}

/** Environment variables that are probably misspelt, each with the one that was meant. */
export function suspiciousVariables(environment: Environment): string[] {
  const known = optionNames.map(variableOf);
  return Object.keys(environment)
    .filter((name) => name.startsWith('CONFORMANCE_') && !known.includes(name))
    .flatMap((name) => {
      const [meant] = nearest(name, known);
      return meant === undefined ? [] : [`${name} is ignored; did you mean ${meant}?`];
    });
}

/** @throws UsageError if an option has no meaning without another one that is missing */
function assertCompatible(resolved: ResolvedOptions): void {
  const { settings, origins, contract, signingKey } = resolved;
  const { auth } = resolved.extras;
  const labelOf = (name: OptionName) => origins?.get(name)?.label ?? flagOf(name);
  const passedValues: Partial<Record<OptionName, unknown>> = { contract, signingKey };
  const isSet = (name: OptionName) =>
    (settings[name] !== undefined && settings[name] !== false) || passedValues[name] !== undefined;
  // `--list` needs no target, but takes the same options.
  const hasTarget = settings.baseUrl !== undefined || settings.list === true;
  const hint = '; without it the embedded fake is tested';
  if (auth?.clients !== undefined && !hasTarget) throw new UsageError(`auth.clients needs --base-url${hint}`);
  if (isSet('data') && isSet('baseUrl') && !isSet('control'))
    throw new UsageError(`${labelOf('data')} needs --control, which seeds it`);
  const runsOnly = (['watch', 'saveCheckpoints', 'resumeCheckpoints'] as const).find(isSet);
  if (settings.list === true && runsOnly !== undefined)
    throw new UsageError(`${labelOf(runsOnly)} has no effect with --list`);
  for (const name of optionNames.filter(isSet)) {
    const missing = options[name].needs?.find((need) => (need === 'baseUrl' ? !hasTarget : !isSet(need)));
    // The clients of a profile use the token endpoint too.
    if (missing === undefined || (name === 'tokenUrl' && auth?.clients !== undefined)) continue;
    // Secrets belong in variables, because other users see command lines.
    const variable = options[missing].secret ? ` or ${variableOf(missing)}` : '';
    const why = missing === 'baseUrl' ? hint : '';
    throw new UsageError(`${labelOf(name)} needs ${flagOf(missing)}${variable}${why}`);
  }
}
