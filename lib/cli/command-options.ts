import { signatures } from '../tokens/jwt.ts';
import {
  choice,
  file,
  flag,
  integer,
  jsonObject,
  path,
  rateLimit,
  secret,
  text,
  texts,
} from './option-types.ts';
import { defaultReportDir, type Option } from './options.ts';

/** Options of a command that are not options of a run. */
export type CommandOptions = Readonly<Record<string, Option>>;

const port = integer('N', 0, 65_535);

export const fakeOptions = {
  port: { type: port, help: 'port of the service (default: any free port)' },
  controlPort: {
    type: port,
    help: 'port of the control protocol; 0 for any free port (default: not served)',
  },
  host: { type: text('NAME'), help: 'address to listen on (default: 127.0.0.1)' },
  trustedJwks: { type: file, help: 'JWKS of additional keys whose tokens are accepted' },
  clientId: { type: text('ID'), help: 'client ID for the token endpoint' },
  clientSecret: { type: secret('SECRET'), help: 'client secret; prefer CONFORMANCE_CLIENT_SECRET' },
  profile: { type: file, help: 'profile whose clients (auth.clients) the fake knows, each with its scopes' },
  data: { type: file, help: 'JSON data set of the tenant (default: the shipped one)' },
  cloud: { type: choice(['public', 'private']), help: 'kind of cloud' },
  latency: { type: integer('MS', 0, 600_000), help: 'milliseconds to wait before each response' },
  rateLimit: { type: rateLimit, help: 'respond with 429 to more than N requests in S seconds' },
  audience: { type: text('URL'), help: 'additional accepted audience of tokens' },
  contract: { type: file, help: 'OpenAPI 3.1 or 3.0 document to serve instead of the shipped one' },
  fault: { type: texts('NAME'), help: 'break one requirement deliberately' },
  variant: { type: texts('NAME'), help: 'behave differently where the specification is silent' },
  listFaults: { type: flag, help: 'list faults and variants, and exit' },
} as const satisfies CommandOptions;

const force = { type: flag, help: 'replace an existing file' };

export const keyAlgorithms = ['ES256', 'EdDSA', 'RS256', 'PS256'] as const;

export const keysOptions = {
  alg: { type: choice(keyAlgorithms), help: 'algorithm', default: 'ES256' },
  out: { type: path('FILE'), help: 'file of the private key', default: 'signing-key.jwk' },
  jwks: { type: path('FILE'), help: 'also write the JWKS to this file' },
  force,
} as const satisfies CommandOptions;

export const tokenCommandOptions = {
  scopes: { type: texts('SCOPE'), help: 'scopes of the token, such as read:actions' },
  claims: { type: jsonObject, help: 'additional claims as a JSON object; null removes a claim' },
  expiresIn: {
    type: integer('S', -4_000_000_000, 4_000_000_000),
    help: 'seconds until the token expires',
    default: 3600,
  },
  tokenHeader: { type: jsonObject, help: 'additional header parameters as a JSON object; null removes one' },
  signature: {
    type: choice(signatures),
    help: `how the token is signed: ${signatures.join(', ')}`,
    default: 'signing-key',
  },
} as const satisfies CommandOptions;

export const initOptions = {
  out: { type: path('FILE'), help: 'file to write', default: 'conformance.yaml' },
  force,
} as const satisfies CommandOptions;

export const repeatOptions = {
  report: { type: path('FILE'), help: 'report.json, or its directory', default: defaultReportDir },
} as const satisfies CommandOptions;
