import { Command, Option } from 'commander';
import type { CommandOptions } from './command-options.ts';
import {
  type Flags,
  flagOf,
  type OptionName,
  type Option as OptionOfTable,
  optionGroups,
  optionNames,
  options,
} from './options.ts';

/** A command of commander with these options of a run, and options of its own. */
export function command(
  name: string,
  description: string,
  wanted: readonly OptionName[] = [],
  own: CommandOptions = {},
): Command {
  const made = new Command(name).description(description).helpOption('-h, --help', 'print this help');
  for (const [group, names] of optionGroups) {
    for (const each of names)
      if (wanted.includes(each)) made.addOption(commanderOption(each, options[each]).helpGroup(`${group}:`));
  }
  for (const [each, option] of Object.entries(own)) made.addOption(commanderOption(each, option));
  return made;
}

function commanderOption(name: string, { help, type, default: initial }: OptionOfTable): Option {
  const notes = [type.takes === 'list' && 'repeatable', initial !== undefined && `default: ${initial}`];
  const shown = notes.filter((note) => note !== false).join('; ');
  const option = new Option(
    type.takes === 'switch' ? flagOf(name) : `${flagOf(name)} <${type.placeholder}>`,
    shown === '' ? help : `${help} (${shown})`,
  );
  if (type.takes === 'list') option.argParser((value, before: readonly string[] = []) => [...before, value]);
  return option;
}

/** Flags of a run from the words of its command line. */
export function parseRunFlags(words: readonly string[]): Flags {
  const parser = command('run', '', optionNames).exitOverride().allowUnknownOption();
  return parser.parse([...words], { from: 'user' }).opts();
}
