import { writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { shippedFile } from '../contract/document.ts';
import { initOptions } from './command-options.ts';
import { assertReplaceable, labelErrors } from './files.ts';
import {
  type Flags,
  type OptionName,
  optionGroups,
  options,
  parseFlags,
  profileKeyOf,
  type Settings,
  variableOf,
} from './options.ts';
import { programName } from './package.ts';
import { profileExtras } from './profile.ts';

/** Writes a commented profile with the options that were given. */
export async function initCommand(flags: Flags): Promise<number> {
  const { out = initOptions.out.default, force } = parseFlags(initOptions, flags);
  assertReplaceable(out, force);
  const text = renderProfile(parseFlags(options, flags), out);
  labelErrors('--out', () => writeFileSync(out, text));
  const variables = [...text.matchAll(/^[^#]*\benv:(\w+)/gm)].map(([, name]) => name);
  process.stdout.write(`wrote ${out}; run the suite: ${programName()} --profile ${out}\n`);
  if (variables.length > 0)
    process.stdout.write(`it contains no secrets; set ${variables.join(' and ')} in the environment\n`);
  return 0;
}

/** A profile with the given values, and every other option as a comment. */
export function renderProfile(values: Settings, out: string): string {
  const schema = relative(dirname(resolve(out)), fileURLToPath(shippedFile('fixtures/profile.schema.json')));
  const lines = [
    `# yaml-language-server: $schema=${schema}`,
    '# Profile of a conformance run (--profile FILE). Flags and environment variables beat the values here.',
    '# env:NAME reads a secret from the environment. File names are relative to the directory of this file.',
  ];
  // A client ID is of no use without its secret.
  const given = { ...(values.clientId !== undefined && { clientSecret: '' }), ...values };
  for (const [group, names] of optionGroups) {
    lines.push('', `# --- ${group} ---`);
    for (const name of names.filter((each) => !options[each].notInProfile))
      lines.push('', `# ${options[name].help}`, ...entry(name, given, out));
  }
  return [...lines, '', '# --- Only in a profile ---', ...extrasText(), ''].join('\n');
}

function entry(name: OptionName, values: Settings, out: string): string[] {
  const { type, default: initial } = options[name];
  const key = profileKeyOf(name);
  const value = values[name];
  if (value === undefined)
    return [`# ${key}: ${initial ?? (type.isSecret ? `env:${variableOf(name)}` : type.example)}`];
  return yamlLines({ [key]: profileValue(name, value, out) });
}

/** The value as a profile has it: without secrets, and with file names relative to the profile. */
function profileValue(name: OptionName, value: unknown, out: string): unknown {
  const { type } = options[name];
  if (type.isSecret) return `env:${variableOf(name)}`;
  if (type.isPath && typeof value === 'string') return relative(dirname(resolve(out)), resolve(value));
  if (name !== 'header' || !Array.isArray(value)) return value;
  const fields = value.map((field) => String(field).split(':')[0] ?? '');
  return Object.fromEntries(
    fields.map((field) => [field, `env:${field.toUpperCase().replaceAll(/\W/g, '_')}`]),
  );
}

/** What a profile may contain besides the options, each with an example, as comments. */
function extrasText(): string[] {
  return Object.entries(profileExtras()).flatMap(([key, { description, examples }]) => {
    const [example] = [examples].flat();
    return ['', `# ${description}`, ...yamlLines({ [key]: example }).map((line) => `# ${line}`)];
  });
}

function yamlLines(value: unknown): string[] {
  return stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
}
