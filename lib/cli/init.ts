import { existsSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import {
  flagOf,
  type OptionGroup,
  type OptionName,
  optionNames,
  options,
  profileKeyOf,
  variableOf,
} from './options.ts';
import { programName, shippedFile } from './package.ts';
import { oneLine, UsageError } from './usage.ts';

/** Options of `init` besides those of a run. */
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
    throw new UsageError(`${out} exists; use --force to replace it, or --out to name another file`);
  const asks =
    Object.keys(flags).length === 0 && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const values = asks ? await askAll() : checked(flags);
  const text = renderProfile(values, out);
  try {
    writeFileSync(out, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw new UsageError(`--out: ${oneLine(error)}`);
  }
  const variables = [...text.matchAll(/^[^#]*\benv:(\w+)/gm)].map(([, name]) => name);
  process.stdout.write(`wrote ${out}; run the suite: ${programName()} --profile ${out}\n`);
  if (variables.length > 0)
    process.stdout.write(`it holds no secrets; set ${variables.join(' and ')} in the environment\n`);
  return 0;
}

/** Values by option, as given; each was checked. */
type Values = ReadonlyMap<OptionName, unknown>;

function checked(flags: Readonly<Record<string, unknown>>): Values {
  const values = new Map<OptionName, unknown>();
  for (const name of optionNames) {
    const raw = flags[name];
    if (raw !== undefined) values.set(name, parseOption(name, raw, flagOf(name)));
  }
  return values;
}

function parseOption(name: OptionName, raw: unknown, label: string): unknown {
  return options[name].type.parse(raw, { label, folder: '', environment: process.env });
}

const questions: readonly (readonly [name: OptionName, question: string])[] = [
  ['baseUrl', 'Base URL of the server (https://tenant.example/api/v2)'],
  ['control', 'URL of its control protocol, if it has one'],
  ['signingKey', 'File of a private key (JWK) that it trusts, if there is one'],
  ['clientId', 'Client ID for the token endpoint, if there is one'],
  ['actionId', 'ID of an existing action'],
  ['selfServiceProfileId', 'ID of an existing self-service profile'],
  ['rateLimitPolicyId', 'IDs of rate limit policies that the suite may delete'],
];

async function askAll(): Promise<Values> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await answers((question) => terminal.question(`${question}: `));
  } finally {
    terminal.close();
  }
}

/** Asks all questions, each again until the answer is valid. */
export async function answers(ask: Ask): Promise<Values> {
  const values = new Map<OptionName, unknown>();
  for (const [name, question] of questions) {
    const value = await answer(ask, name, question);
    if (value !== undefined) values.set(name, value);
  }
  // A profile names the variable of a secret, never the secret.
  if (values.has('clientId')) values.set('clientSecret', '');
  else if (!values.has('signingKey') && /^y/i.test(await ask('Do you have an access token (y/n)')))
    values.set('token', '');
  return values;
}

async function answer(ask: Ask, name: OptionName, question: string): Promise<unknown> {
  for (let hint = ''; ; ) {
    const text = (await ask(`${hint}${question}`)).trim();
    if (text === '') return undefined;
    try {
      return parseOption(name, text, profileKeyOf(name));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      hint = `${error.message}\n`;
    }
  }
}

/** A profile with the given values, and every other option as a comment. */
export function renderProfile(values: Values, out: string): string {
  const schema = relative(dirname(resolve(out)), fileURLToPath(shippedFile('fixtures/profile.schema.json')));
  const lines = [
    `# yaml-language-server: $schema=${schema}`,
    '# Profile of a conformance run (--profile FILE). Flags and environment variables beat the values here.',
    '# env:NAME reads a secret from the environment. File names are relative to the directory of this file.',
  ];
  let group: OptionGroup | undefined;
  for (const name of optionNames) {
    const option = options[name];
    if (option.notInProfile) continue;
    if (option.group !== group) lines.push('', `# --- ${option.group} ---`);
    group = option.group;
    lines.push('', `# ${option.help}`, ...entry(name, values, out));
  }
  return `${[...lines, extrasText].join('\n')}`;
}

function entry(name: OptionName, values: Values, out: string): string[] {
  const { type, default: initial } = options[name];
  const key = profileKeyOf(name);
  const value = values.get(name);
  if (value === undefined)
    return [`# ${key}: ${initial ?? (type.isSecret ? `env:${variableOf(name)}` : type.example)}`];
  return stringify({ [key]: written(name, value, out) }, { lineWidth: 0 })
    .trimEnd()
    .split('\n');
}

/** The value as a profile has it: without secrets, and with file names relative to the profile. */
function written(name: OptionName, value: unknown, out: string): unknown {
  const { type } = options[name];
  if (type.isSecret) return `env:${variableOf(name)}`;
  if (type.isPath && typeof value === 'string') return relative(dirname(resolve(out)), resolve(value));
  if (name !== 'header' || !Array.isArray(value)) return value;
  const fields = value.map((field) => String(field).split(':')[0] ?? '');
  return Object.fromEntries(
    fields.map((field) => [field, `env:${field.toUpperCase().replaceAll(/\W/g, '_')}`]),
  );
}

/** What a profile may hold besides the options. */
const extrasText = `
# --- Only in a profile ---

# auth:
#   # clients, with the scopes that each is known to have
#   clients:
#     - client_id: reader
#       client_secret: env:READER_SECRET
#       scopes: [read:actions]
#   # further claims of minted tokens
#   claims: { client_id: conformance }

# what to assume where the specification is silent
# assume:
#   # scopes that an operation requires
#   required_scopes:
#     listExperiments: read:experimentation
#   # false if the tenant lacks the subscription that updating the phone templates requires
#   subscription: true

# in milliseconds: how long a log entry may take, and how long 429 responses may delay one request and the whole run
# limits: { log_wait_ms: 10000, wait_ms: 60000, total_wait_ms: 300000 }

# endpoint of the tenant's logs, for checking correlation IDs without the control protocol
# logs:
#   url: https://tenant.example/api/v2/logs
#   items: logs
#   correlation_id: references.correlation_id
#   query: q={prefix}&per_page=100

# the tenant's current phone templates, to restore after the run
# phone_templates:
#   enrollment_message: '...'
#   verification_message: '...'
`;
