import { existsSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import {
  flagOf,
  isRepeatable,
  isSwitch,
  type OptionGroup,
  type OptionName,
  optionNames,
  profileKeyOf,
  specOf,
  variableOf,
} from './options.ts';
import { shippedFile } from './package.ts';
import { oneLine, UsageError } from './usage.ts';
import { parseValue } from './values.ts';

/** What `init` is told beside the options of a run. */
export interface InitOptions {
  readonly out: string;
  readonly force?: boolean;
}

/** Asks one question; an empty answer means 'not now'. */
type Ask = (question: string) => Promise<string>;

/** Writes a commented profile, from flags or, at a terminal, from answers. */
export async function initCommand(
  flags: Readonly<Record<string, unknown>>,
  { out, force = false }: InitOptions,
): Promise<number> {
  if (existsSync(out) && !force)
    throw new UsageError(`${out} is there already; --force replaces it, --out names another`);
  const asks =
    Object.keys(flags).length === 0 && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const values = asks ? await askAll() : checked(flags);
  try {
    writeFileSync(out, renderProfile(values, out), { flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw new UsageError(`--out: ${oneLine(error)}`);
  }
  const variables = [...values.keys()].filter((name) => specOf(name).type === 'secret').map(variableOf);
  process.stdout.write(`wrote ${out}; run the suite with --profile ${out}\n`);
  if (variables.length > 0)
    process.stdout.write(`secrets are not in it: it reads ${variables.join(' and ')} from the environment\n`);
  return 0;
}

/** Values by option; what stands in a file is what was given, once it was found to be right. */
type Values = ReadonlyMap<OptionName, unknown>;

function checked(flags: Readonly<Record<string, unknown>>): Values {
  const values = new Map<OptionName, unknown>();
  for (const name of optionNames) {
    const raw = flags[name];
    if (raw === undefined) continue;
    values.set(name, parseValue(name, raw, { label: flagOf(name), folder: '', environment: process.env }));
  }
  return values;
}

const questions: readonly (readonly [name: OptionName, question: string])[] = [
  ['baseUrl', 'Base URL of the server, with its path (https://tenant.example/api/v2)'],
  ['control', 'URL of its control protocol, if it serves one'],
  ['signingKey', 'File of a private JWK whose tokens it trusts, if there is one'],
  ['clientId', 'Client id for the token endpoint, if there is one'],
  ['actionId', 'Id of an action that exists'],
  ['selfServiceProfileId', 'Id of a self-service profile that exists'],
  ['rateLimitPolicyId', 'Ids of rate limit policies that may be deleted'],
];

async function askAll(): Promise<Values> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await answers((question) => terminal.question(`${question}: `));
  } finally {
    terminal.close();
  }
}

/** The answers to all questions, each asked again until it can be used. */
export async function answers(ask: Ask): Promise<Values> {
  const values = new Map<OptionName, unknown>();
  for (const [name, question] of questions) {
    const value = await answer(ask, name, question);
    if (value !== undefined) values.set(name, value);
  }
  // The secret is read from the environment when the suite runs; here only its place is left.
  if (values.has('clientId')) values.set('clientSecret', '');
  else if (!values.has('signingKey') && /^y/i.test(await ask('Is there a ready token (y/n)')))
    values.set('token', '');
  return values;
}

async function answer(ask: Ask, name: OptionName, question: string): Promise<unknown> {
  for (let hint = ''; ; ) {
    const text = (await ask(`${hint}${question}`)).trim();
    if (text === '') return undefined;
    try {
      return parseValue(name, text, { label: profileKeyOf(name), folder: '', environment: process.env });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      hint = `${error.message}\n`;
    }
  }
}

/** The profile's text: what was given as it is, everything else as a comment that says what it would do. */
export function renderProfile(values: Values, out: string): string {
  const schema = relative(dirname(resolve(out)), fileURLToPath(shippedFile('fixtures/profile.schema.json')));
  const lines = [
    `# yaml-language-server: $schema=${schema}`,
    '# Profile of a conformance run: --profile FILE. A flag or an environment variable goes over what stands here.',
    '# Secrets: env:NAME takes the value from the environment. Files are looked for from the folder of this file.',
  ];
  let group: OptionGroup | undefined;
  for (const name of optionNames) {
    const spec = specOf(name);
    if (spec.outsideProfile) continue;
    if (spec.group !== group) lines.push('', `# --- ${spec.group} ---`);
    group = spec.group;
    lines.push('', `# ${spec.says}`, ...entry(name, values, out));
  }
  return `${[...lines, extrasText].join('\n')}`;
}

function entry(name: OptionName, values: Values, out: string): string[] {
  const spec = specOf(name);
  const key = profileKeyOf(name);
  if (!values.has(name)) return [`# ${key}: ${example(name)}`];
  if (spec.type === 'secret') return [`${key}: env:${variableOf(name)}`];
  const value = values.get(name);
  // Paths in a profile start from its own folder.
  const meant =
    (spec.type === 'file' || spec.type === 'path') && typeof value === 'string'
      ? relative(dirname(resolve(out)), resolve(value))
      : spec.type === 'headers' && Array.isArray(value)
        ? Object.fromEntries(value.map((header) => [String(header).split(':')[0], `env:${variableOf(name)}`]))
        : value;
  return stringify({ [key]: meant }, { lineWidth: 0 })
    .trimEnd()
    .split('\n');
}

function example(name: OptionName): string {
  const spec = specOf(name);
  if (spec.default !== undefined) return String(spec.default);
  if (isSwitch(name)) return 'true';
  if (spec.choices !== undefined) return spec.choices[0] ?? '';
  if (spec.type === 'shard') return '1/3';
  if (spec.minimum !== undefined) return String(Math.ceil(spec.minimum));
  if (spec.type === 'secret') return `env:${variableOf(name)}`;
  if (spec.type === 'headers') return '{ X-Api-Key: env:API_KEY }';
  if (isRepeatable(name)) return `[${spec.value}]`;
  return spec.value ?? '';
}

/** What a profile may hold beside the options. */
const extrasText = `
# --- Beside the options of the command line ---

# clients with the scopes that each is known to have
# auth:
#   clients:
#     - client_id: reader
#       client_secret: env:READER_SECRET
#       scopes: [read:actions]

# the scope that an operation needs, where the specification names none
# assume:
#   required_scopes:
#     listExperiments: read:experimentation

# how long the run may wait, in milliseconds: for a log entry, and because of answers of 429 (one request, all together)
# limits: { log_wait_ms: 10000, wait_ms: 60000, total_wait_ms: 300000 }

# where the tenant shows its own logs, so that correlation IDs are looked for without the control protocol
# logs:
#   url: https://tenant.example/api/v2/logs
#   items: logs
#   correlation_id: references.correlation_id
#   query: q={prefix}&per_page=100

# the messages that the tenant has now, to be put back after the run
# phone_templates:
#   enrollment_message: '...'
#   verification_message: '...'
`;
