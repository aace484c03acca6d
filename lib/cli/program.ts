import { Command, CommanderError, Option } from 'commander';
import {
  flagOf,
  isRepeatable,
  isSwitch,
  type OptionName,
  optionNames,
  specOf,
  variableOf,
} from './options.ts';
import { didYouMean, oneLine, UsageError } from './usage.ts';

/** Options as commander collects them. */
type Flags = Readonly<Record<string, unknown>>;

/** The command line, with a way to say how the process is to end. */
interface Program {
  readonly command: Command;
  /** Exit code of whatever was done. */
  readonly ended: { code: number };
}

/** The whole command line. What a command needs is loaded when it runs, so that `--help` and `--list` are quick. */
export function createProgram(): Program {
  const ended = { code: 0 };
  const command = new Command('tenant-admin-conformance')
    .description('Judges an HTTP server by the Tenant Administration Service specification.')
    .enablePositionalOptions()
    .allowExcessArguments()
    .showHelpAfterError(false)
    .addHelpText('after', exitCodes)
    .action(async (flags: Flags, self: Command) => {
      const [stray] = self.args;
      if (stray !== undefined)
        throw new UsageError(
          `there is no command ${stray.slice(0, 40)}${didYouMean(
            stray,
            self.commands.map((each) => each.name()),
          )}`,
        );
      const { runCommand } = await import('./run-command.ts');
      ended.code = await runCommand(flags);
    });
  for (const name of optionNames) command.addOption(commanderOption(name));
  for (const subcommand of subcommands(ended)) command.addCommand(subcommand);
  for (const each of [command, ...command.commands]) quieten(each);
  return { command, ended };
}

/** Runs the command line, and says with which code the process is to end. */
export async function runProgram({ command, ended }: Program, argv: readonly string[]): Promise<number> {
  try {
    await command.parseAsync(argv);
    return ended.code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      process.stderr.write(`${withoutValues(oneLine(error.message))}\n`);
      return 2;
    }
    if (error instanceof UsageError) {
      process.stderr.write(`error: ${error.message}\n`);
      return 2;
    }
    process.stderr.write(`error: ${oneLine(error)} (a fault of the suite itself)\n`);
    if (process.env.DEBUG) console.error(error);
    return 3;
  }
}

function commanderOption(name: OptionName): Option {
  const spec = specOf(name);
  const option = new Option(
    `${flagOf(name)}${isSwitch(name) ? '' : ` <${spec.value}>`}`,
    spec.default === undefined ? spec.says : `${spec.says} (default: ${spec.default})`,
  ).helpGroup(`${spec.group} (${variableOf(name).replace(/_[A-Z].*/, '_…')} in the environment)`);
  if (spec.notYet) option.hideHelp();
  if (isRepeatable(name))
    option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return option;
}

/** Errors are told in one place, in one line. */
function quieten(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => {} });
}

/** A mistyped flag is named without what was given to it: that may be a secret. */
function withoutValues(message: string): string {
  return message.replaceAll(/(--?[\w-]+)=[^']*/g, '$1');
}

const exitCodes = `
Exit codes:
  0  something was judged and nothing failed
  1  a stated requirement failed (--strict: or warned; --complete: or was not judged)
  2  wrong usage, profile or baseline
  3  nothing could be judged, or a requirement ended in error
  130  interrupted`;

function subcommands(_ended: { code: number }): Command[] {
  return [];
}
