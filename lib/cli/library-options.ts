import { present } from '../contract/json.ts';
import type { Contract } from '../contract/model.ts';
import { didYouMean } from '../contract/similar.ts';
import type { RunProgress } from '../report/progress.ts';
import type { RequirementResult } from '../report/report.ts';
import {
  type CommandLineOnly,
  isOptionName,
  optionNames,
  options,
  parseOptions,
  rawValue,
  type Settings,
} from './options.ts';
import { type ProfileExtras, parseProfile } from './profile.ts';
import { assertCompatible, type ResolvedOptions } from './settings.ts';
import { UsageError } from './usage.ts';

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
