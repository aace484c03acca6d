/**
 * What a value is, and so how it is read and checked. `file` must exist and `path` need not; `secret` may be `env:NAME`;
 * `texts`, `headers` and `patterns` may be given several times.
 */
export type OptionType =
  | 'switch'
  | 'text'
  | 'secret'
  | 'url'
  | 'file'
  | 'path'
  | 'integer'
  | 'number'
  | 'choice'
  | 'shard'
  | 'texts'
  | 'patterns'
  | 'headers';

export type OptionGroup = 'Target' | 'Tokens' | 'Data' | 'Selection' | 'Rigour' | 'Running' | 'Output';

/** One option of a run. Its flag, variable and profile key follow from its name. */
export interface OptionSpec {
  readonly group: OptionGroup;
  readonly type: OptionType;
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly says: string;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: string | number;
  /** Makes no sense in a profile. */
  readonly outsideProfile?: boolean;
  /** True where the value may hold a secret: then commands that are shown name its variable. */
  readonly concealed?: boolean;
}

/**
 * Every option of a run, under its name in the library (`baseUrl`). The command line (`--base-url`), the environment
 * (`CONFORMANCE_BASE_URL`), the profile (`base_url`), its schema and the help are all made from this table.
 */
export const options = {
  baseUrl: {
    group: 'Target',
    type: 'url',
    value: 'URL',
    says: 'the server to judge, with its path: https://tenant.example/api/v2 (default: the embedded fake)',
  },
  contract: {
    group: 'Target',
    type: 'file',
    value: 'FILE',
    says: 'another OpenAPI 3.1 document, to whose operations the generic requirements apply',
  },
  profile: {
    group: 'Target',
    type: 'file',
    value: 'FILE',
    says: 'YAML or JSON file with any of these options',
    outsideProfile: true,
  },
  header: {
    group: 'Target',
    type: 'headers',
    value: "'Name: value'",
    says: 'header field of every request to the target (repeatable)',
    concealed: true,
  },
  ca: { group: 'Target', type: 'file', value: 'FILE', says: 'certificates to trust, in PEM' },
  insecure: { group: 'Target', type: 'switch', says: 'accept any certificate' },
  cert: { group: 'Target', type: 'file', value: 'FILE', says: 'client certificate, in PEM' },
  key: { group: 'Target', type: 'file', value: 'FILE', says: "the client certificate's private key, in PEM" },
  http2: { group: 'Target', type: 'switch', says: 'use HTTP/2 where the server offers it' },
  cloud: {
    group: 'Target',
    type: 'choice',
    value: 'public|private',
    choices: ['public', 'private'],
    default: 'public',
    says: 'kind of cloud, on which page sizes depend',
  },
  control: {
    group: 'Target',
    type: 'url',
    value: 'URL',
    says: 'where the target serves the control protocol (seed, inspect, clock, logs)',
  },
  token: {
    group: 'Tokens',
    type: 'secret',
    value: 'JWT',
    says: 'a ready access token',
    concealed: true,
  },
  clientId: { group: 'Tokens', type: 'text', value: 'ID', says: 'client of the token endpoint' },
  clientSecret: {
    group: 'Tokens',
    type: 'secret',
    value: 'SECRET',
    says: "that client's secret",
    concealed: true,
  },
  tokenUrl: {
    group: 'Tokens',
    type: 'url',
    value: 'URL',
    says: "token endpoint (default: the contract's, on the base URL's host)",
  },
  signingKey: {
    group: 'Tokens',
    type: 'file',
    value: 'FILE',
    says: 'private JSON Web Key that the target trusts; the suite mints tokens with it',
  },
  issuer: { group: 'Tokens', type: 'text', value: 'TEXT', says: '`iss` of minted tokens' },
  audience: {
    group: 'Tokens',
    type: 'text',
    value: 'TEXT',
    says: "audience of tokens (default: the contract's, /api/v2/)",
  },
  tokenCommand: {
    group: 'Tokens',
    type: 'text',
    value: 'CMD',
    says: 'shell command that is given the wanted scopes as JSON and prints a token',
    concealed: true,
  },
  actionId: {
    group: 'Data',
    type: 'texts',
    value: 'ID',
    says: 'action that exists (repeatable)',
  },
  selfServiceProfileId: {
    group: 'Data',
    type: 'texts',
    value: 'ID',
    says: 'self-service profile that exists (repeatable)',
  },
  rateLimitPolicyId: {
    group: 'Data',
    type: 'texts',
    value: 'ID',
    says: 'rate limit policy that may be deleted (repeatable)',
  },
  only: {
    group: 'Selection',
    type: 'patterns',
    value: 'PATTERN',
    says: 'judge only these: requirement id, section or operation id, * allowed (repeatable)',
  },
  skip: { group: 'Selection', type: 'patterns', value: 'PATTERN', says: 'leave these out (repeatable)' },
  readOnly: { group: 'Selection', type: 'switch', says: 'send nothing that changes state' },
  list: {
    group: 'Selection',
    type: 'switch',
    says: 'list the requirements, judge nothing',
    outsideProfile: true,
  },
  json: { group: 'Selection', type: 'switch', says: 'with --list: as JSON', outsideProfile: true },
  runs: {
    group: 'Rigour',
    type: 'integer',
    value: 'N',
    minimum: 1,
    maximum: 1_000_000,
    default: 40,
    says: 'examples for each property',
  },
  seed: {
    group: 'Rigour',
    type: 'integer',
    value: 'N',
    minimum: 0,
    maximum: 0x7fff_ffff,
    says: 'seed of everything random (default: a new one, which the report names)',
  },
  strict: { group: 'Rigour', type: 'switch', says: 'a broken inferred requirement fails the run' },
  complete: {
    group: 'Rigour',
    type: 'switch',
    says: 'a stated requirement that was not judged fails the run',
  },
  matrix: {
    group: 'Rigour',
    type: 'choice',
    value: 'full|grouped',
    choices: ['full', 'grouped'],
    says: 'each scope in a token of its own, or many in one (default: full up to 20 operations)',
  },
  concurrency: {
    group: 'Running',
    type: 'integer',
    value: 'N',
    minimum: 1,
    maximum: 1024,
    default: 16,
    says: 'requests at a time',
  },
  rate: {
    group: 'Running',
    type: 'number',
    value: 'N',
    minimum: 0.001,
    maximum: 1_000_000,
    says: 'requests a second (default: no limit)',
  },
  timeout: {
    group: 'Running',
    type: 'integer',
    value: 'MS',
    minimum: 1,
    maximum: 3_600_000,
    default: 30_000,
    says: 'milliseconds for one exchange',
  },
  shard: {
    group: 'Running',
    type: 'shard',
    value: 'i/n',
    says: 'judge the i-th of n parts; `merge` makes one report of all',
  },
  dryRun: {
    group: 'Running',
    type: 'switch',
    says: 'print the requests that would be sent, send none',
    outsideProfile: true,
  },
  saveCheckpoints: {
    group: 'Running',
    type: 'path',
    value: 'FILE',
    says: 'keep checkpoints for a run a day later',
  },
  resumeCheckpoints: {
    group: 'Running',
    type: 'file',
    value: 'FILE',
    says: 'judge the checkpoints that an earlier run kept',
  },
  reportDir: {
    group: 'Output',
    type: 'path',
    value: 'DIR',
    default: 'reports',
    says: 'where the reports go',
  },
  baseline: {
    group: 'Output',
    type: 'path',
    value: 'FILE',
    says: 'known failures, which do not fail the run',
  },
  updateBaseline: {
    group: 'Output',
    type: 'switch',
    says: "write today's failures into the baseline",
    outsideProfile: true,
  },
  har: {
    group: 'Output',
    type: 'choice',
    value: 'full|failures|none',
    choices: ['full', 'failures', 'none'],
    default: 'failures',
    says: 'exchanges that go into exchanges.har',
  },
  quiet: { group: 'Output', type: 'switch', says: 'print the verdict and what is broken only' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export type OptionName = keyof typeof options;

type Value<Spec> = Spec extends { type: 'switch' }
  ? boolean
  : Spec extends { type: 'integer' | 'number' }
    ? number
    : Spec extends { choices: readonly (infer Choice)[] }
      ? Choice
      : Spec extends { type: 'texts' | 'patterns' | 'headers' }
        ? readonly string[]
        : string;

/** Values of the options; what was not given is absent. */
export type Settings = { readonly [Name in OptionName]?: Value<(typeof options)[Name]> };

/** Names of all options, in the table's order. */
export const optionNames = Object.keys(options).filter(isOptionName);

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(options, name);
}

/** The table's row, for code that goes over all of them. */
export function specOf(name: OptionName): OptionSpec {
  return options[name];
}

/** `--base-url` */
export function flagOf(name: OptionName): string {
  return `--${words(name).join('-')}`;
}

/** `CONFORMANCE_BASE_URL` */
export function variableOf(name: OptionName): string {
  return `CONFORMANCE_${words(name).join('_').toUpperCase()}`;
}

/** `base_url` */
export function profileKeyOf(name: OptionName): string {
  return words(name).join('_');
}

/** True where the option takes no value. */
export function isSwitch(name: OptionName): boolean {
  return specOf(name).type === 'switch';
}

/** True where the option may be given several times. */
export function isRepeatable(name: OptionName): boolean {
  const { type } = specOf(name);
  return type === 'texts' || type === 'patterns' || type === 'headers';
}

function words(name: string): string[] {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ');
}
