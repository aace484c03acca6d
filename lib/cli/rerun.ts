import { quote } from '../client/reproduce.ts';
import { flagOf, type OptionName, optionNames, options, variableOf } from './options.ts';
import type { ResolvedOptions } from './settings.ts';

/** Options that are about every run of a requirement. */
const rerunOptions = optionNames.filter((name) => !options[name].notInRerun);

/** The command that judges these requirements alone, with the same target and seed. */
export function rerunCommand(
  resolved: ResolvedOptions,
  seed: number,
  program: string,
): (...ids: readonly string[]) => string {
  const command = `${commandLine(resolved, program, rerunOptions)} --seed ${seed}`;
  return (...ids) => [command, ...ids.map((id) => `--only '${id}'`)].join(' ');
}

/**
 * The program with those of these options that were given, but for those in the profile. Secrets are not in it: it names the
 * variables that contain them.
 */
export function commandLine(
  resolved: ResolvedOptions,
  program: string,
  names: readonly OptionName[],
): string {
  const concealed = names.filter((name) => options[name].secret && isGiven(resolved, name));
  // A shell refuses a variable that is not set: the option may have been given as a flag.
  const variables = concealed.map((name) => `${variableOf(name)}="\${${variableOf(name)}:?}"`);
  return [
    ...variables,
    program,
    ...argumentsOf(resolved, names).map((word) => (word.startsWith('--') ? word : quote(word))),
  ].join(' ');
}

/** Those of these options that were given as words of a command line, but for those in the profile and secrets. */
export function argumentsOf(
  resolved: ResolvedOptions,
  names: readonly OptionName[] = rerunOptions,
): string[] {
  return names
    .filter((name) => !options[name].secret && isGiven(resolved, name))
    .flatMap((name) => flagsFor(name, resolved.settings[name]));
}

function isGiven({ settings, origins }: ResolvedOptions, name: OptionName): boolean {
  // Only values of a profile have a folder.
  return settings[name] !== undefined && (origins?.get(name)?.folder ?? '') === '';
}

function flagsFor(name: OptionName, value: unknown): string[] {
  if (options[name].type.takes === 'switch') return value === true ? [flagOf(name)] : [];
  return [value].flat().flatMap((each) => [flagOf(name), String(each)]);
}
