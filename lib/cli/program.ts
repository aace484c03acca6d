import { type Command, CommanderError } from 'commander';
import { oneLine } from '../contract/one-line.ts';
import { didYouMean } from '../contract/similar.ts';
import { command } from './command.ts';
import {
  type CommandOptions,
  fakeOptions,
  initOptions,
  keysOptions,
  repeatOptions,
  tokenCommandOptions,
} from './command-options.ts';
import { type Flags, type OptionName, optionGroups, optionNames, tokenOptions } from './options.ts';
import { printError } from './output.ts';
import { suiteVersion } from './package.ts';
import { UsageError } from './usage.ts';

/**
 * The whole command line. Each command loads its modules when it runs, so that `--help` and `--list` are quick.
 * @param onEnd called with the exit code of the command that ran
 */
export function createProgram(onEnd: (code: number) => void = () => {}): Command {
  const description =
    'Tests whether an HTTP server conforms to the Tenant Administration Service specification.';
  const program = command('tenant-admin-conformance', description, optionNames)
    .version(suiteVersion(), '--version', 'print the version')
    .enablePositionalOptions()
    .allowExcessArguments()
    .showHelpAfterError(false)
    .addHelpText('after', `\n${precedence}\n\n${exitCodes}`)
    .action(async (flags: Flags, self: Command) => {
      const [stray] = self.args;
      if (stray !== undefined)
        throw new UsageError(
          `there is no command ${stray.slice(0, 40)}${didYouMean(stray, Object.keys(commands))}`,
        );
      const { runCommand } = await import('./run-command.ts');
      onEnd(await runCommand(flags));
    });
  for (const [name, { description, positional = {}, options, own, run }] of Object.entries(commands)) {
    const added = command(name, description, options, own);
    for (const [place, meaning] of Object.entries(positional)) added.argument(place, meaning);
    program.addCommand(added.action(async () => onEnd(await run(added.opts(), added.args))));
  }
  // `runProgram` prints errors, in one line each.
  for (const each of [program, ...program.commands])
    each.exitOverride().configureOutput({ outputError: () => {} });
  return program;
}

/** Runs the command line. Returns the exit code of the process. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let code = 0;
  const program = createProgram((ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(argv);
    return code;
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
  3    nothing could be judged, a requirement ended in error, or the run ended early (--max-time)
  130  interrupted`;

/** The message without what follows the `=` of a flag: that may be a secret. */
function withoutValues(message: string): string {
  return message.replaceAll(/(--?[\w-]+)=[^']*/g, '$1');
}

/** A command besides the run itself. */
interface Subcommand {
  readonly description: string;
  /** Its positional arguments (`<report>`, `<DIR...>`) with their descriptions. */
  readonly positional?: Readonly<Record<string, string>>;
  /** Options of a run that it takes, and options of its own. */
  readonly options?: readonly OptionName[];
  readonly own?: CommandOptions;
  readonly run: (flags: Flags, places: readonly string[]) => Promise<number>;
}

const commands: Readonly<Record<string, Subcommand>> = {
  fake: {
    description: 'serve the reference fake',
    own: fakeOptions,
    run: async (flags) => (await import('./fake.ts')).fakeCommand(flags),
  },
  keys: {
    description: 'make a signing key and print the JWKS that the target must trust',
    own: keysOptions,
    run: async (flags) => (await import('./signing-key.ts')).keysCommand(flags),
  },
  token: {
    description: 'print a token, minted with a signing key or from another source of tokens',
    options: tokenOptions,
    own: tokenCommandOptions,
    run: async (flags) => (await import('./token-command.ts')).tokenCommand(flags),
  },
  repeat: {
    description: 'judge one requirement of a report again and print its exchanges',
    positional: { '<ID>': 'ID of the requirement' },
    options: optionGroups.flatMap(([group, names]) => (/^(Target|Tokens)$/.test(group) ? names : [])),
    own: repeatOptions,
    run: async (flags, [id = '']) => (await import('./repeat.ts')).repeatCommand(id, flags),
  },
  init: {
    description: 'write a profile with every option as a comment',
    own: initOptions,
    run: async (flags) => (await import('./init.ts')).initCommand(flags),
  },
  merge: {
    description: 'combine the reports of all shards of a run',
    positional: { '<DIR...>': 'report directories, or report.json files' },
    options: ['reportDir', 'baseline', 'complete', 'har', 'quiet'],
    run: async (flags, places) => (await import('./reports-commands.ts')).mergeCommand(places, flags),
  },
  render: {
    description: 'regenerate all files from a report.json',
    positional: { '<report>': 'report.json, or its directory' },
    options: ['reportDir', 'har', 'quiet'],
    run: async (flags, [report = '']) => (await import('./reports-commands.ts')).renderCommand(report, flags),
  },
};
