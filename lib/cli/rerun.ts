import { quote } from '../client/reproduce.ts';
import { flagOf, isSwitch, type OptionName, optionNames, specOf, variableOf } from './options.ts';
import type { ResolvedOptions } from './settings.ts';

/** What concerns one run only, and not the judging of one requirement. */
const notRepeated: ReadonlySet<OptionName> = new Set<OptionName>([
  'only',
  'skip',
  'seed',
  'shard',
  'list',
  'json',
  'baseline',
  'updateBaseline',
  'complete',
  'har',
  'quiet',
  'dryRun',
  'saveCheckpoints',
]);

/**
 * The command that judges one requirement alone, with the same target and seed. Secrets are not in it: it names the variables
 * that hold them.
 */
export function rerunCommand(told: ResolvedOptions, seed: number, program: string): (id: string) => string {
  const { settings, sources } = told;
  const given = optionNames.filter(
    (name) => !notRepeated.has(name) && settings[name] !== undefined && sources.get(name) !== 'profile',
  );
  const concealed = given.filter((name) => specOf(name).concealed);
  const variables = concealed.map((name) => `${variableOf(name)}="$${variableOf(name)}"`);
  const flags = given
    .filter((name) => !specOf(name).concealed)
    .flatMap((name) => flagsFor(name, settings[name]));
  return (id) => [...variables, program, ...flags, '--seed', String(seed), '--only', `'${id}'`].join(' ');
}

function flagsFor(name: OptionName, value: unknown): string[] {
  if (isSwitch(name)) return value === true ? [flagOf(name)] : [];
  return [value].flat().flatMap((each) => [flagOf(name), quote(String(each))]);
}

/** How this program was started: from a checkout, or as an installed binary. */
export function programName(script: string = process.argv[1] ?? ''): string {
  // The package holds no sources, nor what starts them.
  return /\.ts$|[/\\]package[/\\]start\.js$/.test(script) ? 'npm test --' : 'npx tenant-admin-conformance';
}
