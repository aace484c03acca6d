import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { FakeFlags } from './fake.ts';
import type { InitOptions } from './init.ts';
import type { KeysOptions } from './keys.ts';
import {
  flagOf,
  isRepeatable,
  isSwitch,
  type OptionName,
  optionNames,
  specOf,
  variableOf,
} from './options.ts';
import type { MergeCommandOptions, OutputOptions } from './reports-commands.ts';
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
  if (isRepeatable(name)) option.argParser(collect);
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

/** A number on the command line of a subcommand. */
function whole(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum)
      throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
    return value;
  };
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

const port = whole(0, 65_535);

function subcommands(ended: { code: number }): Command[] {
  return [
    new Command('fake')
      .description('serve the reference fake')
      .option('--port <N>', 'port of the service (default: a free one)', port)
      .option('--control-port <N>', 'serve the control protocol on this port, 0 for a free one', port)
      .option('--host <NAME>', 'address to listen on (default: 127.0.0.1)')
      .option('--trusted-jwks <FILE>', 'public keys whose tokens are accepted beside its own')
      .option('--client-id <ID>', 'client of the token endpoint')
      .option('--client-secret <SECRET>', "that client's secret (or CONFORMANCE_CLIENT_SECRET)")
      .option('--profile <FILE>', 'the clients of this profile, each with its own scopes (auth.clients)')
      .option('--data <FILE>', 'data set that the tenant holds (default: the shipped one)')
      .addOption(new Option('--cloud <KIND>', 'kind of cloud').choices(['public', 'private']))
      .option('--latency <MS>', 'milliseconds before each answer', whole(0, 600_000))
      .option('--contract <FILE>', 'serve the operations of another OpenAPI 3.1 document')
      .option('--fault <NAME>', 'break one requirement on purpose (repeatable)', collect)
      .option('--variant <NAME>', 'differ where the specification is silent (repeatable)', collect)
      .option('--list-faults', 'list faults and variants')
      .action(async (flags: FakeFlags) => {
        const { fakeCommand } = await import('./fake.ts');
        ended.code = await fakeCommand(flags);
      }),
    new Command('list')
      .description('list the requirements, as --list does')
      .option('--json', 'as JSON')
      .option('--only <PATTERN>', 'only these (repeatable)', collect)
      .option('--skip <PATTERN>', 'leave these out (repeatable)', collect)
      .option('--contract <FILE>', 'for the operations of another OpenAPI 3.1 document')
      .option('--shard <i/n>', 'only one part of n')
      .action(async (flags: Flags) => {
        const { runCommand } = await import('./run-command.ts');
        ended.code = await runCommand({ ...flags, list: true });
      }),
    new Command('keys')
      .description('make a signing key, and print the JWKS that the target must trust')
      .addOption(
        new Option('--alg <NAME>', 'algorithm')
          .choices(['EdDSA', 'ES256', 'RS256', 'PS256'])
          .default('EdDSA'),
      )
      .option('--out <FILE>', 'where the private key goes', 'signing-key.jwk')
      .option('--jwks <FILE>', 'where the JWKS goes, beside being printed')
      .option('--force', 'replace a key that is there')
      .action(async (flags: KeysOptions) => {
        const { keysCommand } = await import('./keys.ts');
        ended.code = await keysCommand(flags);
      }),
    initSubcommand(ended),
    new Command('merge')
      .description('make one report of the shards of a run')
      .argument('<DIR...>', 'report directories, or report.json files')
      .option('--report-dir <DIR>', 'where the merged report goes', 'reports')
      .option('--baseline <FILE>', 'known failures, which do not fail the run')
      .option('--complete', 'a stated requirement that was not judged fails the run')
      .addOption(new Option('--har <MODE>', 'exchanges that are kept').choices(['full', 'failures', 'none']))
      .option('--quiet', 'print the verdict and what is broken only')
      .action(async (places: readonly string[], flags: MergeCommandOptions) => {
        const { mergeCommand } = await import('./reports-commands.ts');
        ended.code = await mergeCommand(places, flags);
      }),
    new Command('compare')
      .description('what changed between two reports; 1 where something became worse')
      .argument('<before>', 'report.json, or its directory')
      .argument('<after>', 'report.json, or its directory')
      .option('--markdown', 'as Markdown')
      .action(async (before: string, after: string, flags: { readonly markdown?: boolean }) => {
        const { compareCommand } = await import('./reports-commands.ts');
        ended.code = compareCommand(before, after, flags);
      }),
    new Command('render')
      .description('make the other files of a report again')
      .argument('<report>', 'report.json, or its directory')
      .option('--report-dir <DIR>', 'where they go', 'reports')
      .addOption(new Option('--har <MODE>', 'exchanges that are kept').choices(['full', 'failures', 'none']))
      .option('--quiet', 'print the verdict and what is broken only')
      .action(async (report: string, flags: OutputOptions) => {
        const { renderCommand } = await import('./reports-commands.ts');
        ended.code = await renderCommand(report, flags);
      }),
  ];
}

function initSubcommand(ended: { code: number }): Command {
  const command = new Command('init')
    .description('write a commented profile, from answers or from the options of a run')
    .option('--out <FILE>', 'where it goes', 'conformance.yaml')
    .option('--force', 'replace a profile that is there')
    .action(async ({ out, force, ...flags }: InitOptions) => {
      const { initCommand } = await import('./init.ts');
      ended.code = await initCommand(flags, { out, force: force === true });
    });
  for (const name of optionNames) {
    if (!specOf(name).outsideProfile) command.addOption(commanderOption(name));
  }
  return command;
}
