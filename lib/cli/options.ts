import {
  choice,
  file,
  flag,
  headers,
  ids,
  integer,
  number,
  type OptionType,
  type Origin,
  path,
  secret,
  shard,
  text,
  texts,
  url,
} from './option-types.ts';

/** Where reports go by default. */
export const defaultReportDir = 'reports';

/** One option of a run. Its flag, environment variable and profile key follow from its name in the table. */
export interface Option<Value = unknown, Name extends string = string> {
  readonly type: OptionType<Value>;
  readonly help: string;
  /** The value if the option is not given; for the help, the profile's schema and the documentation. */
  readonly default?: string | number;
  /** Other options without which this one has no meaning. */
  readonly needs?: readonly Name[];
  /** True if a profile can't contain it. */
  readonly notInProfile?: boolean;
  /** True if it is not an option of `runConformance`. */
  readonly commandLineOnly?: boolean;
  /** True if the value may be or contain a secret: printed commands name its variable instead. */
  readonly secret?: boolean;
  /** True if `rerun` commands leave it out: it is about one run, not about one requirement. */
  readonly notInRerun?: boolean;
}

type Traits = Omit<Option, 'type' | 'help'>;

function option<Value>(type: OptionType<Value>, help: string): { type: OptionType<Value>; help: string };
function option<Value, const Chosen extends Traits>(
  type: OptionType<Value>,
  help: string,
  traits: Chosen,
): { type: OptionType<Value>; help: string } & Chosen;
function option(type: OptionType<unknown>, help: string, traits?: Traits): Option {
  return { type, help, ...traits };
}

const needsTarget = { needs: ['baseUrl'] } as const;
const commandLineOnly = { commandLineOnly: true } as const;
const notInRerun = { notInRerun: true } as const;
const outputOnly = { commandLineOnly: true, notInRerun: true } as const;
const flagOnly = { notInProfile: true, commandLineOnly: true, notInRerun: true } as const;

/** The options by the group that the help shows them in. */
const groups = {
  Target: {
    baseUrl: option(
      url('https://tenant.example/api/v2'),
      'base URL of the server to test, such as https://tenant.example/api/v2; without it, a run tests the embedded fake',
    ),
    contract: option(file, 'OpenAPI 3.1 or 3.0 document to test instead of the shipped one'),
    fetchRefs: option(flag, 'fetch documents that the contract references by URL'),
    profile: option(file, 'YAML or JSON file with any of these options', {
      notInProfile: true,
      ...commandLineOnly,
    }),
    header: option(headers, 'header field to send with every request to the target', { secret: true }),
    ca: option(file, 'PEM file of certificates to trust', needsTarget),
    insecure: option(flag, 'accept any server certificate', needsTarget),
    cert: option(file, 'PEM file of a client certificate', { needs: ['baseUrl', 'key'] }),
    key: option(file, "PEM file of the client certificate's private key", { needs: ['baseUrl', 'cert'] }),
    http2: option(flag, 'use HTTP/2 if the server offers it'),
    cloud: option(choice(['public', 'private']), 'kind of cloud, which sets the maximum page sizes', {
      default: 'public',
    }),
    control: option(
      url('http://localhost:3001'),
      'URL of the control protocol (seed, inspect, clock, logs)',
      needsTarget,
    ),
  },
  Tokens: {
    token: option(secret('JWT'), 'access token', { secret: true, ...needsTarget }),
    clientId: option(text('ID'), 'client ID for the token endpoint', { needs: ['baseUrl', 'clientSecret'] }),
    clientSecret: option(secret('SECRET'), 'client secret for the token endpoint', {
      needs: ['baseUrl', 'clientId'],
      secret: true,
    }),
    tokenUrl: option(
      url('https://tenant.example/oauth/token/'),
      "URL of the token endpoint (default: the contract's path on the target's host)",
      { needs: ['baseUrl', 'clientId'] },
    ),
    signingKey: option(
      file,
      'private key (JWK) whose public key the target trusts; the suite mints tokens with it',
      needsTarget,
    ),
    issuer: option(text('TEXT'), '`iss` claim of minted tokens', { needs: ['baseUrl', 'signingKey'] }),
    audience: option(text('TEXT'), "audience of tokens (default: the contract's, /api/v2/)", needsTarget),
    tokenCommand: option(
      text('CMD'),
      'shell command that reads the requested scopes as JSON from stdin and prints a token',
      { secret: true, ...needsTarget },
    ),
  },
  Data: {
    actionId: option(ids, 'ID of an existing action', needsTarget),
    selfServiceProfileId: option(ids, 'ID of an existing self-service profile', needsTarget),
    rateLimitPolicyId: option(ids, 'ID of a rate limit policy that the suite may delete', needsTarget),
    data: option(file, 'JSON data set to seed instead of the shipped one'),
  },
  Selection: {
    only: option(
      texts('PATTERN'),
      'test only these: requirement ID, section (5 includes 5.1), operation ID or 5.5/*@OPERATION; * matches any text',
      notInRerun,
    ),
    skip: option(texts('PATTERN'), 'skip these; same patterns as --only', notInRerun),
    failed: option(flag, 'test only what did not pass according to the last report', flagOnly),
    readOnly: option(flag, 'send nothing that changes state'),
    list: option(flag, 'list the requirements and exit', flagOnly),
    json: option(flag, 'with --list: print JSON', { needs: ['list'], ...flagOnly }),
  },
  Strictness: {
    effort: option(
      choice(['quick', 'standard', 'thorough']),
      'how much to test; quick sends at most 400 requests, thorough tries 200 examples per property and sends one token per scope',
      { default: 'standard' },
    ),
    runs: option(integer('N', 1, 1_000_000), 'examples per property (default: 25, or set by --effort)'),
    seed: option(
      integer('N', 0, 0x7fff_ffff),
      'random seed (default: random, shown in the report)',
      notInRerun,
    ),
    strict: option(flag, 'warnings fail the run'),
    complete: option(flag, 'a stated requirement that was not judged fails the run', outputOnly),
    matrix: option(
      choice(['full', 'grouped']),
      'how to test scopes; full sends one token per scope, grouped sends many scopes with one token (default: grouped, or set by --effort)',
    ),
  },
  Execution: {
    concurrency: option(integer('N', 1, 1024), 'maximum number of concurrent requests', { default: 16 }),
    rate: option(number('N', 0.001, 1_000_000), 'maximum number of requests per second (default: no limit)'),
    timeout: option(integer('MS', 1, 3_600_000), 'milliseconds to wait for one response', {
      default: 30_000,
    }),
    maxTime: option(
      number('S', 1, 604_800),
      'end the run after this many seconds (default: no limit; 1800 if CI=true)',
      notInRerun,
    ),
    restartWait: option(
      number('S', 0, 3600),
      'seconds to wait for an unavailable target to come back, at most twice per run',
      { default: 30, ...notInRerun },
    ),
    maxFailures: option(
      integer('N', 1, 1_000_000),
      'end the run after this many failed requirements',
      notInRerun,
    ),
    shard: option(shard, 'run part i of n; the merge command combines the reports', notInRerun),
    dryRun: option(flag, 'print the requests that would be sent, and send none', flagOnly),
    watch: option(flag, 'test again when the server restarts or a key is pressed', {
      ...needsTarget,
      ...flagOnly,
    }),
    saveCheckpoints: option(path('FILE'), 'save checkpoints for a run a day later', {
      ...needsTarget,
      ...notInRerun,
    }),
    resumeCheckpoints: option(file, 'test the checkpoints that an earlier run saved', needsTarget),
  },
  Output: {
    reportDir: option(path('DIR'), 'directory of the reports', {
      default: defaultReportDir,
      ...commandLineOnly,
    }),
    baseline: option(path('FILE'), 'file of known failures, which do not fail the run', notInRerun),
    updateBaseline: option(flag, 'write the failures of this run to the baseline', {
      needs: ['baseline'],
      ...flagOnly,
    }),
    har: option(choice(['full', 'failures', 'none']), 'exchanges to write to exchanges.har', {
      default: 'failures',
      ...outputOnly,
    }),
    quiet: option(flag, 'print only the verdict and the failures', outputOnly),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Option>>>>;

const table = {
  ...groups.Target,
  ...groups.Tokens,
  ...groups.Data,
  ...groups.Selection,
  ...groups.Strictness,
  ...groups.Execution,
  ...groups.Output,
};

export type OptionName = keyof typeof table;

/** Values by the names of a table of options. */
export type OptionValues<Table extends Readonly<Record<string, Option>>> = {
  [Name in keyof Table]: ReturnType<Table[Name]['type']['parse']>;
};

type Values = OptionValues<typeof table>;

/**
 * Every option of a run by its name in the library (`baseUrl`). The flag (`--base-url`), the environment variable
 * (`CONFORMANCE_BASE_URL`), the profile key (`base_url`), the profile's JSON Schema, the help, the type `Settings` and
 * docs/options.md are all derived from this table.
 */
export const options: { readonly [Name in OptionName]: Option<Values[Name], OptionName> } = table;

/** The groups in the order of the help, with the names of their options. */
export const optionGroups = Object.entries(groups).map(
  ([group, members]): [group: string, names: readonly OptionName[]] => [
    group,
    Object.keys(members).filter(isOptionName),
  ],
);

/** Values of the options; an option that was not given is absent. */
export type Settings = { readonly [Name in OptionName]?: Values[Name] };

/** Names of the options that only the command line has. */
export type CommandLineOnly = {
  [Name in OptionName]: (typeof table)[Name] extends { commandLineOnly: true } ? Name : never;
}[OptionName];

/** Names of all options, in the table's order. */
export const optionNames: readonly OptionName[] = optionGroups.flatMap(([, names]) => names);

/** Options of a run that determine where tokens come from. */
export const tokenOptions: readonly OptionName[] = [
  ...optionNames.filter((name) => Object.hasOwn(groups.Tokens, name)),
  ...(['baseUrl', 'contract', 'profile', 'header', 'ca', 'insecure', 'cert', 'key', 'http2'] as const),
];

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(options, name);
}

/** Flags as given on the command line, by option name. */
export type Flags = Readonly<Record<string, unknown>>;

/** A value as it was written, with its origin; undefined if none was given. */
export type RawValue = readonly [raw: unknown, origin: Origin] | undefined;

/** A value that was given under this label; file names in it start from the working directory. */
export function rawValue(raw: unknown, label: string): RawValue {
  return raw === undefined ? undefined : [raw, { label, folder: '', environment: process.env }];
}

type TableOf<Values> = { readonly [Name in keyof Values]: Pick<Option<Values[Name]>, 'type'> };

/**
 * Reads values of the options in a table.
 * @throws UsageError
 */
export function parseOptions<Values>(
  table: TableOf<Values>,
  given: (name: keyof Values & string) => RawValue,
): Partial<Values> {
  const parsed: Partial<Values> = {};
  for (const name in table) {
    const value = given(name);
    if (value !== undefined) parsed[name] = table[name].type.parse(...value);
  }
  return parsed;
}

/**
 * Reads flags of a command that are not options of a run.
 * @throws UsageError
 */
export function parseFlags<Values>(table: TableOf<Values>, flags: Flags): Partial<Values> {
  return parseOptions<Values>(table, (name) => rawValue(flags[name], flagOf(name)));
}

/** `--base-url` */
export function flagOf(name: string): string {
  return `--${profileKeyOf(name).replaceAll('_', '-')}`;
}

/** `CONFORMANCE_BASE_URL` */
export function variableOf(name: OptionName): string {
  return `CONFORMANCE_${profileKeyOf(name).toUpperCase()}`;
}

/** The key of an option in a profile: `base_url` for `baseUrl`. */
export function profileKeyOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
