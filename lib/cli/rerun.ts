import { quote } from '../client/reproduce.ts';
import { flagOf, type OptionName, optionNames, options, variableOf } from './options.ts';
import type { ResolvedOptions } from './settings.ts';

/** The command that judges one requirement alone, with the same target and seed. */
export function rerunCommand(told: ResolvedOptions, seed: number, program: string): (id: string) => string {
  const names = optionNames.filter((name) => !options[name].notInRerun);
  return (id) => `${commandLine(told, program, names)} --seed ${seed} --only '${id}'`;
}

/**
 * The program with those of these options that were given, but for those in the profile. Secrets are not in it: it names the
 * variables that hold them.
 */
export function commandLine(
  { settings, fromProfile }: ResolvedOptions,
  program: string,
  names: readonly OptionName[],
): string {
  const given = names.filter((name) => settings[name] !== undefined && !fromProfile.has(name));
  const concealed = given.filter((name) => options[name].secret);
  const variables = concealed.map((name) => `${variableOf(name)}="$${variableOf(name)}"`);
  const flags = given
    .filter((name) => !options[name].secret)
    .flatMap((name) => flagsFor(name, settings[name]));
  return [...variables, program, ...flags].join(' ');
}

function flagsFor(name: OptionName, value: unknown): string[] {
  if (options[name].type.takes === 'switch') return value === true ? [flagOf(name)] : [];
  return [value].flat().flatMap((each) => [flagOf(name), quote(String(each))]);
}
