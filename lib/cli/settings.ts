import { dirname } from 'node:path';
import { flagOf, type OptionName, optionNames, profileKeyOf, type Settings, variableOf } from './options.ts';
import { type Profile, type ProfileExtras, readProfile } from './profile.ts';
import { nearest, UsageError } from './usage.ts';
import { areSettings, type Origin, parseValue } from './values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a setting came from. */
export type Source = 'flag' | 'variable' | 'profile';

/** Everything that a run was told, whichever way. */
export interface ResolvedOptions {
  readonly settings: Settings;
  readonly sources: ReadonlyMap<OptionName, Source>;
  readonly extras: ProfileExtras;
}

/**
 * The settings of a run: a flag goes over a variable, a variable over the profile.
 * @param flags values as they stood on the command line, by option name
 * @throws UsageError
 */
export function readSettings(
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
): ResolvedOptions {
  const here = (label: string): Origin => ({ label, folder: '', environment });
  const given = (name: OptionName): [Source, unknown, Origin] | undefined => {
    if (flags[name] !== undefined) return ['flag', flags[name], here(flagOf(name))];
    const variable = environment[variableOf(name)];
    // Set but empty is how many pipelines say 'not set'.
    if (variable !== undefined && variable.trim() !== '')
      return ['variable', variable, here(variableOf(name))];
    return undefined;
  };

  const values: Record<string, unknown> = {};
  const sources = new Map<OptionName, Source>();
  const take = (name: OptionName, [source, raw, origin]: [Source, unknown, Origin]) => {
    values[name] = parseValue(name, raw, origin);
    sources.set(name, source);
  };
  const named = given('profile');
  if (named) take('profile', named);
  const file = values.profile;
  const profile: Profile | undefined = typeof file === 'string' ? readProfile(file, environment) : undefined;
  for (const name of optionNames) {
    const found = given(name);
    if (name === 'profile') continue;
    const inProfile = profile?.values[profileKeyOf(name)];
    if (found) take(name, found);
    else if (inProfile !== undefined && inProfile !== null && typeof file === 'string') {
      const label = `${profileKeyOf(name)} in ${file}`;
      take(name, ['profile', inProfile, { label, folder: dirname(file), environment }]);
    }
  }
  if (!areSettings(values)) throw new Error('an option was read as another type than its own');
  assertTogether(values, profile?.extras ?? {});
  return { settings: values, sources, extras: profile?.extras ?? {} };
}

/** Variables that look like a mistyped one of ours, each with the one that was probably meant. */
export function suspiciousVariables(environment: Environment): string[] {
  const known = optionNames.map(variableOf);
  return Object.keys(environment)
    .filter((name) => name.startsWith('CONFORMANCE_') && !known.includes(name))
    .flatMap((name) => {
      const [meant] = nearest(name, known);
      return meant === undefined ? [] : [`${name} is not read; did you mean ${meant}?`];
    });
}

/** Options that say how to reach a target, and are a mistake where no target is named. */
const aboutTheTarget = [
  'token',
  'clientId',
  'clientSecret',
  'tokenUrl',
  'signingKey',
  'tokenCommand',
  'issuer',
  'audience',
  'control',
  'ca',
  'insecure',
  'cert',
  'key',
  'actionId',
  'selfServiceProfileId',
  'rateLimitPolicyId',
] as const satisfies readonly OptionName[];

/** Options that mean something only beside another one. */
const needs: readonly (readonly [option: OptionName, other: OptionName])[] = [
  ['clientId', 'clientSecret'],
  ['clientSecret', 'clientId'],
  ['cert', 'key'],
  ['key', 'cert'],
  ['issuer', 'signingKey'],
  ['json', 'list'],
  ['updateBaseline', 'baseline'],
  ['saveCheckpoints', 'baseUrl'],
  ['resumeCheckpoints', 'baseUrl'],
];

/** Throws a `UsageError` where the settings do not go together. */
export function assertTogether(settings: Settings, extras: ProfileExtras): void {
  const isSet = (name: OptionName) => settings[name] !== undefined && settings[name] !== false;
  if (settings.baseUrl === undefined && !settings.list) {
    const stray = aboutTheTarget.find(isSet);
    if (stray !== undefined || extras.clients !== undefined) {
      const what = stray === undefined ? 'auth.clients' : flagOf(stray);
      throw new UsageError(`${what} needs --base-url: without it the embedded fake is judged`);
    }
  }
  for (const [option, other] of needs) {
    if (isSet(option) && !isSet(other))
      throw new UsageError(`${flagOf(option)} needs ${flagOf(other)} beside it`);
  }
  if (isSet('tokenUrl') && !isSet('clientId') && extras.clients === undefined)
    throw new UsageError('--token-url needs --client-id beside it');
}
