import {
  choice,
  file,
  flag,
  headers,
  integer,
  number,
  type OptionType,
  path,
  secret,
  shard,
  text,
  texts,
  url,
} from './option-types.ts';

export type OptionGroup = 'Target' | 'Tokens' | 'Data' | 'Selection' | 'Strictness' | 'Execution' | 'Output';

/** One option of a run. Its flag, environment variable and profile key follow from its name in the table. */
export interface Option<Value = unknown, Name extends string = string> {
  readonly group: OptionGroup;
  readonly type: OptionType<Value>;
  readonly help: string;
  /** What holds where the option is not given; for the help, the profile's schema and the documentation. */
  readonly default?: string | number;
  /** Another option without which this one has no meaning. */
  readonly needs?: Name;
  /** True where it only makes sense for a server named by `--base-url`. */
  readonly needsTarget?: boolean;
  /** True where a profile can't hold it. */
  readonly notInProfile?: boolean;
  /** True where it is no option of `runConformance`. */
  readonly commandLineOnly?: boolean;
  /** True where the value may be or contain a secret: printed commands name its variable instead. */
  readonly secret?: boolean;
  /** True where `rerun` commands leave it out: it is about one run, not about one requirement. */
  readonly notInRerun?: boolean;
}

const table = {
  baseUrl: {
    group: 'Target',
    type: url,
    help: 'base URL of the server to test, such as https://tenant.example/api/v2 (default: the embedded fake)',
  },
  contract: {
    group: 'Target',
    type: file,
    help: 'OpenAPI 3.1 document to test in place of the shipped one',
  },
  profile: {
    group: 'Target',
    type: file,
    help: 'YAML or JSON file with any of these options',
    notInProfile: true,
    commandLineOnly: true,
  },
  header: {
    group: 'Target',
    type: headers,
    help: 'header field to send with every request to the target',
    secret: true,
  },
  ca: {
    group: 'Target',
    type: file,
    help: 'PEM file of certificates to trust',
    needsTarget: true,
  },
  insecure: { group: 'Target', type: flag, help: 'accept any server certificate', needsTarget: true },
  cert: {
    group: 'Target',
    type: file,
    help: 'PEM file of a client certificate',
    needs: 'key',
    needsTarget: true,
  },
  key: {
    group: 'Target',
    type: file,
    help: "PEM file of the client certificate's private key",
    needs: 'cert',
    needsTarget: true,
  },
  http2: { group: 'Target', type: flag, help: 'use HTTP/2 if the server offers it' },
  cloud: {
    group: 'Target',
    type: choice(['public', 'private']),
    help: 'kind of cloud, which decides the largest page sizes',
    default: 'public',
  },
  control: {
    group: 'Target',
    type: url,
    help: 'URL of the control protocol (seed, inspect, clock, logs)',
    needsTarget: true,
  },
  token: { group: 'Tokens', type: secret('JWT'), help: 'access token', secret: true, needsTarget: true },
  clientId: {
    group: 'Tokens',
    type: text('ID'),
    help: 'client ID for the token endpoint',
    needs: 'clientSecret',
    needsTarget: true,
  },
  clientSecret: {
    group: 'Tokens',
    type: secret('SECRET'),
    help: 'client secret for the token endpoint',
    secret: true,
    needs: 'clientId',
    needsTarget: true,
  },
  tokenUrl: {
    group: 'Tokens',
    type: url,
    help: "URL of the token endpoint (default: the contract's path on the target's host)",
    needs: 'clientId',
    needsTarget: true,
  },
  signingKey: {
    group: 'Tokens',
    type: file,
    help: 'private key (JWK) that the target trusts; the suite mints tokens with it',
    needsTarget: true,
  },
  issuer: {
    group: 'Tokens',
    type: text('TEXT'),
    help: '`iss` claim of minted tokens',
    needs: 'signingKey',
    needsTarget: true,
  },
  audience: {
    group: 'Tokens',
    type: text('TEXT'),
    help: "audience of tokens (default: the contract's, /api/v2/)",
    needsTarget: true,
  },
  tokenCommand: {
    group: 'Tokens',
    type: text('CMD'),
    help: 'shell command that reads the wanted scopes as JSON and prints a token',
    secret: true,
    needsTarget: true,
  },
  actionId: {
    group: 'Data',
    type: texts('ID'),
    help: 'ID of an existing action',
    needsTarget: true,
  },
  selfServiceProfileId: {
    group: 'Data',
    type: texts('ID'),
    help: 'ID of an existing self-service profile',
    needsTarget: true,
  },
  rateLimitPolicyId: {
    group: 'Data',
    type: texts('ID'),
    help: 'ID of a rate limit policy that the suite may delete',
    needsTarget: true,
  },
  data: {
    group: 'Data',
    type: file,
    help: 'JSON data set to seed in place of the shipped one',
  },
  only: {
    group: 'Selection',
    type: texts('PATTERN'),
    help: 'test only these: requirement ID, section or operation ID; * matches any text',
    notInRerun: true,
  },
  skip: {
    group: 'Selection',
    type: texts('PATTERN'),
    help: 'leave these out; patterns as for --only',
    notInRerun: true,
  },
  failed: {
    group: 'Selection',
    type: flag,
    help: 'test only what failed, warned or ended in error in the last report',
    notInProfile: true,
    commandLineOnly: true,
    notInRerun: true,
  },
  readOnly: { group: 'Selection', type: flag, help: 'send nothing that changes state' },
  list: {
    group: 'Selection',
    type: flag,
    help: 'list the requirements and exit',
    notInProfile: true,
    commandLineOnly: true,
    notInRerun: true,
  },
  json: {
    group: 'Selection',
    type: flag,
    help: 'with --list: print JSON',
    needs: 'list',
    notInProfile: true,
    commandLineOnly: true,
    notInRerun: true,
  },
  runs: {
    group: 'Strictness',
    type: integer('N', 1, 1_000_000),
    help: 'examples per property',
    default: 40,
  },
  seed: {
    group: 'Strictness',
    type: integer('N', 0, 0x7fff_ffff),
    help: 'random seed (default: random, shown in the report)',
    notInRerun: true,
  },
  strict: { group: 'Strictness', type: flag, help: 'warnings fail the run' },
  complete: {
    group: 'Strictness',
    type: flag,
    help: 'a stated requirement that was not judged fails the run',
    commandLineOnly: true,
    notInRerun: true,
  },
  matrix: {
    group: 'Strictness',
    type: choice(['full', 'grouped']),
    help: 'test each scope with a token of its own, or many scopes with one token (default: full for up to 20 operations)',
  },
  concurrency: {
    group: 'Execution',
    type: integer('N', 1, 1024),
    help: 'requests in flight at a time',
    default: 16,
  },
  rate: {
    group: 'Execution',
    type: number('N', 0.001, 1_000_000),
    help: 'requests per second (default: no limit)',
  },
  timeout: {
    group: 'Execution',
    type: integer('MS', 1, 3_600_000),
    help: 'milliseconds to wait for one response',
    default: 30_000,
  },
  maxTime: {
    group: 'Execution',
    type: number('S', 1, 604_800),
    help: 'end the run after this many seconds (default: no limit; 1800 if CI=true)',
    notInRerun: true,
  },
  maxFailures: {
    group: 'Execution',
    type: integer('N', 1, 1_000_000),
    help: 'end the run after this many failed requirements',
    notInRerun: true,
  },
  shard: {
    group: 'Execution',
    type: shard,
    help: 'run part i of n; the merge command combines the reports',
    notInRerun: true,
  },
  dryRun: {
    group: 'Execution',
    type: flag,
    help: 'print the requests that would be sent, and send none',
    notInProfile: true,
    commandLineOnly: true,
    notInRerun: true,
  },
  saveCheckpoints: {
    group: 'Execution',
    type: path('FILE'),
    help: 'save checkpoints for a run a day later',
    needs: 'baseUrl',
    notInRerun: true,
  },
  resumeCheckpoints: {
    group: 'Execution',
    type: file,
    help: 'test the checkpoints that an earlier run saved',
    needs: 'baseUrl',
  },
  reportDir: {
    group: 'Output',
    type: path('DIR'),
    help: 'directory of the reports',
    default: 'reports',
    commandLineOnly: true,
  },
  baseline: {
    group: 'Output',
    type: path('FILE'),
    help: 'list of known failures, which do not fail the run',
    notInRerun: true,
  },
  updateBaseline: {
    group: 'Output',
    type: flag,
    help: 'write the failures of this run to the baseline',
    needs: 'baseline',
    notInProfile: true,
    commandLineOnly: true,
    notInRerun: true,
  },
  har: {
    group: 'Output',
    type: choice(['full', 'failures', 'none']),
    help: 'exchanges to write to exchanges.har',
    default: 'failures',
    commandLineOnly: true,
    notInRerun: true,
  },
  quiet: {
    group: 'Output',
    type: flag,
    help: 'print only the verdict and what failed',
    commandLineOnly: true,
    notInRerun: true,
  },
} as const satisfies Readonly<Record<string, Option>>;

export type OptionName = keyof typeof table;

type Values = { [Name in OptionName]: ReturnType<(typeof table)[Name]['type']['parse']> };

/**
 * Every option of a run by its name in the library (`baseUrl`). The flag (`--base-url`), the environment variable
 * (`CONFORMANCE_BASE_URL`), the profile key (`base_url`), the profile's JSON Schema, the help, the type `Settings` and
 * docs/options.md are all derived from this table.
 */
export const options: { readonly [Name in OptionName]: Option<Values[Name], OptionName> } = table;

/** Values of the options; an option that was not given is absent. */
export type Settings = { readonly [Name in OptionName]?: Values[Name] };

/** Names of the options that only the command line has. */
export type CommandLineOnly = {
  [Name in OptionName]: (typeof table)[Name] extends { commandLineOnly: true } ? Name : never;
}[OptionName];

/** Names of all options, in the table's order. */
export const optionNames: readonly OptionName[] = Object.keys(options).filter(isOptionName);

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(options, name);
}

/** A value as it was written, with the place where. */
export type RawValue = readonly [raw: unknown, origin: Parameters<OptionType<unknown>['parse']>[1]];

/**
 * Reads the values of options.
 * @throws UsageError
 */
export function parseSettings(given: ReadonlyMap<OptionName, RawValue>): Settings {
  const settings: { -readonly [Name in OptionName]?: Values[Name] } = {};
  const read = <Name extends OptionName>(name: Name, [raw, origin]: RawValue) => {
    settings[name] = options[name].type.parse(raw, origin);
  };
  for (const [name, value] of given) read(name, value);
  return settings;
}

/** `--base-url` */
export function flagOf(name: OptionName): string {
  return `--${snakeCase(name).replaceAll('_', '-')}`;
}

/** `CONFORMANCE_BASE_URL` */
export function variableOf(name: OptionName): string {
  return `CONFORMANCE_${snakeCase(name).toUpperCase()}`;
}

/** `base_url` */
export function profileKeyOf(name: OptionName): string {
  return snakeCase(name);
}

/** `baseUrl` as `base_url`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
