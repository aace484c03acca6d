import { Command, CommanderError, Option } from 'commander';
import { didYouMean } from '../contract/similar.ts';
import {
  type CommandOptions,
  compareOptions,
  fakeOptions,
  initOptions,
  keysOptions,
  repeatOptions,
  tableOptions,
  tokenCommandOptions,
} from './command-options.ts';
import {
  flagOf,
  type OptionName,
  type Option as OptionOfTable,
  optionGroups,
  optionNames,
  options,
  tokenOptions,
} from './options.ts';
import { printError } from './output.ts';
import { suiteVersion } from './package.ts';
import { oneLine, UsageError } from './usage.ts';

/** Options as commander collects them. */
type Flags = Readonly<Record<string, unknown>>;

/** The command line, and the exit code of the command that ran. */
interface Program {
  readonly command: Command;
  readonly ended: { code: number };
}

/** The whole command line. Each command loads its modules when it runs, so that `--help` and `--list` are quick. */
export function createProgram(): Program {
  const ended = { code: 0 };
  const description =
    'Tests whether an HTTP server conforms to the Tenant Administration Service specification.';
  const program = command('tenant-admin-conformance', description, optionNames)
    .version(suiteVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .enablePositionalOptions()
    .allowExcessArguments()
    .showHelpAfterError(false)
    .addHelpText('after', `\n${precedence}\n\n${exitCodes}`)
    .action(async (flags: Flags, self: Command) => {
      const [stray] = self.args;
      const names = self.commands.map((each) => each.name());
      if (stray !== undefined)
        throw new UsageError(`there is no command ${stray.slice(0, 40)}${didYouMean(stray, names)}`);
      const { runCommand } = await import('./run-command.ts');
      ended.code = await runCommand(flags);
    });
  for (const subcommand of subcommands(ended)) program.addCommand(subcommand);
  // `runProgram` prints errors, in one line each.
  for (const each of [program, ...program.commands])
    each.exitOverride().configureOutput({ outputError: () => {} });
  return { command: program, ended };
}

/** Runs the command line. Returns the exit code of the process. */
export async function runProgram({ command, ended }: Program, argv: readonly string[]): Promise<number> {
  try {
    await command.parseAsync(argv);
    return ended.code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      printError(`${withoutValues(oneLine(error.message))}\n`);
      return 2;
    }
    if (error instanceof UsageError) {
      printError(`error: ${error.message}\n`);
      return 2;
    }
    printError(`error: ${oneLine(error)} (internal error; DEBUG=1 prints the stack)\n`);
    if (process.env.DEBUG && error instanceof Error) printError(`${error.stack}\n`);
    return 3;
  }
}

const precedence = `Every option can also be set by an environment variable (--base-url: CONFORMANCE_BASE_URL) or, with
few exceptions, in a profile (base_url). A flag beats a variable, a variable beats the profile.`;

const exitCodes = `Exit codes:
  0    something was judged and nothing failed
  1    a stated requirement failed (--strict: or warned; --complete: or was not judged)
  2    wrong usage, profile or baseline
  3    nothing could be judged, or a requirement ended in error
  130  interrupted`;

/** A command with these options of a run, and options of its own. */
function command(
  name: string,
  description: string,
  wanted: readonly OptionName[] = [],
  own: CommandOptions = {},
): Command {
  const made = new Command(name).description(description);
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
  if (type.takes === 'list') option.argParser(collect);
  return option;
}

/** The message without what follows the `=` of a flag: that may be a secret. */
function withoutValues(message: string): string {
  return message.replaceAll(/(--?[\w-]+)=[^']*/g, '$1');
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

const targetOptions = optionGroups.flatMap(([group, names]) =>
  group === 'Target' || group === 'Tokens' ? names : [],
);

/** Flags of a run from the words of its command line. */
function parseRunFlags(words: readonly string[]): Flags {
  const parser = command('run', '', optionNames).exitOverride().allowUnknownOption();
  return parser.parse([...words], { from: 'user' }).opts();
}

const profileOptions = optionNames.filter((name) => !options[name].notInProfile);

function subcommands(ended: { code: number }): Command[] {
  const run =
    <Args extends readonly unknown[]>(command: (...args: Args) => Promise<number>) =>
    async (...args: Args) => {
      ended.code = await command(...args);
    };
  return [
    command('fake', 'serve the reference fake', [], fakeOptions).action(
      run(async (flags: Flags) => (await import('./fake.ts')).fakeCommand(flags)),
    ),
    command(
      'keys',
      'make a signing key, and print the JWKS that the target must trust',
      [],
      keysOptions,
    ).action(run(async (flags: Flags) => (await import('./keys.ts')).keysCommand(flags))),
    command(
      'token',
      'print a token: minted with a signing key, or from another source of a run',
      tokenOptions,
      tokenCommandOptions,
    ).action(run(async (flags: Flags) => (await import('./token-command.ts')).tokenCommand(flags))),
    command(
      'repeat',
      'judge one requirement of a report again, and print its exchanges',
      targetOptions,
      repeatOptions,
    )
      .argument('<ID>', 'ID of the requirement')
      .action(
        run(async (id: string, flags: Flags) =>
          (await import('./repeat.ts')).repeatCommand(id, flags, parseRunFlags),
        ),
      ),
    command(
      'init',
      'write a commented profile from the options of a run',
      profileOptions,
      initOptions,
    ).action(run(async (flags: Flags) => (await import('./init.ts')).initCommand(flags))),
    command('merge', 'combine the reports of all shards of a run', [
      'reportDir',
      'baseline',
      'complete',
      'har',
      'quiet',
    ])
      .argument('<DIR...>', 'report directories, or report.json files')
      .action(
        run(async (places: readonly string[], flags: Flags) =>
          (await import('./reports-commands.ts')).mergeCommand(places, flags),
        ),
      ),
    command(
      'compare',
      'show what changed between two reports; exit code 1 if something became worse',
      [],
      compareOptions,
    )
      .argument('<before>', 'report.json, or its directory')
      .argument('<after>', 'report.json, or its directory')
      .action(
        run(async (before: string, after: string, flags: Flags) =>
          (await import('./reports-commands.ts')).compareCommand(before, after, flags),
        ),
      ),
    command(
      'table',
      'write the results of several reports, one column each, as an HTML page',
      [],
      tableOptions,
    )
      .argument('<report...>', 'report.json files, or their directories')
      .action(
        run(async (places: readonly string[], flags: Flags) =>
          (await import('./reports-commands.ts')).tableCommand(places, flags),
        ),
      ),
    command('render', 'write the other files of a report again', ['reportDir', 'har', 'quiet'])
      .argument('<report>', 'report.json, or its directory')
      .action(
        run(async (report: string, flags: Flags) =>
          (await import('./reports-commands.ts')).renderCommand(report, flags),
        ),
      ),
    command('restore', 'put back the data of a tenant that an interrupted run saved')
      .argument('<FILE>', 'the file that the run names')
      .action(run(async (file: string) => (await import('./restore-command.ts')).restoreCommand(file))),
  ];
}
