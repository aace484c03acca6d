import { quote } from '../client/reproduce.ts';
import { flagOf, type OptionName, optionNames, options, variableOf } from './options.ts';
import type { ResolvedOptions } from './settings.ts';

/**
 * The command that judges one requirement alone, with the same target and seed. Secrets are not in it: it names the variables
 * that hold them.
 */
export function rerunCommand(told: ResolvedOptions, seed: number, program: string): (id: string) => string {
  const { settings, fromProfile } = told;
  const given = optionNames.filter(
    (name) => !options[name].notInRerun && settings[name] !== undefined && !fromProfile.has(name),
  );
  const concealed = given.filter((name) => options[name].secret);
  const variables = concealed.map((name) => `${variableOf(name)}="$${variableOf(name)}"`);
  const flags = given
    .filter((name) => !options[name].secret)
    .flatMap((name) => flagsFor(name, settings[name]));
  return (id) => [...variables, program, ...flags, '--seed', String(seed), '--only', `'${id}'`].join(' ');
}

function flagsFor(name: OptionName, value: unknown): string[] {
  if (options[name].type.takes === 'switch') return value === true ? [flagOf(name)] : [];
  return [value].flat().flatMap((each) => [flagOf(name), quote(String(each))]);
}
