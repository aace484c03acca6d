import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { parseDocument } from 'yaml';
import type { LogEndpoint } from '../control/tenant-logs.ts';
import { optionNames, profileKeyOf } from './options.ts';
import { profileSchema } from './profile-schema.ts';
import { didYouMean, oneLine, UsageError } from './usage.ts';

/** What a profile may hold beside the options. */
export interface ProfileExtras {
  readonly clients?: readonly ProfileClient[];
  /** Scopes that operations need, by operation id; several with a blank between them. */
  readonly requiredScopes?: Readonly<Record<string, string>>;
  readonly limits?: Limits;
  /** Where the tenant shows its own logs. */
  readonly logs?: LogEndpoint;
  /** What the tenant's messages were, to be put back. */
  readonly phoneTemplates?: PhoneTemplates;
}

/** A client with the scopes that it is known to have. */
export interface ProfileClient {
  readonly id: string;
  readonly secret: string;
  readonly scopes?: readonly string[];
}

export interface Limits {
  readonly logWaitMs?: number;
  readonly waitMs?: number;
  readonly totalWaitMs?: number;
  readonly bodyBytes?: number;
}

export interface PhoneTemplates {
  readonly enrollment_message: string;
  readonly verification_message: string;
}

/** A profile as read: values of options, still to be checked one by one, and the rest. */
export interface Profile {
  /** By profile key. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly extras: ProfileExtras;
}

interface RawProfile {
  readonly auth?: {
    readonly clients?: readonly {
      readonly client_id: string;
      readonly client_secret: string;
      readonly scopes?: readonly string[];
    }[];
  };
  readonly assume?: { readonly required_scopes?: Readonly<Record<string, string>> };
  readonly limits?: {
    readonly log_wait_ms?: number;
    readonly wait_ms?: number;
    readonly total_wait_ms?: number;
    readonly body_bytes?: number;
  };
  readonly logs?: {
    readonly url: string;
    readonly items?: string;
    readonly correlation_id: string;
    readonly query?: string;
  };
  readonly phone_templates?: PhoneTemplates;
  readonly [key: string]: unknown;
}

let compiled: ValidateFunction<RawProfile> | undefined;

/** Reads a profile. Throws a `UsageError` that names the file and the place. */
export function readProfile(
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): Profile {
  const name = basename(file);
  const raw = parseFile(file, name);
  compiled ??= new Ajv2020({ allowUnionTypes: true, allErrors: true }).compile<RawProfile>(profileSchema());
  if (!compiled(raw)) throw new UsageError(`${name}: ${explain(compiled.errors ?? [])}`);
  const { auth, assume, limits, logs, phone_templates: phoneTemplates, $schema: _schema, ...values } = raw;
  const meant = (text: string) => fromEnvironment(text, name, environment);
  const clients = auth?.clients?.map(({ client_id, client_secret, scopes }) => ({
    id: meant(client_id),
    secret: meant(client_secret),
    ...(scopes && { scopes }),
  }));
  return {
    values,
    extras: {
      ...(clients && { clients }),
      ...(assume?.required_scopes && { requiredScopes: assume.required_scopes }),
      ...(limits && { limits: limitsOf(limits) }),
      ...(logs && { logs: logsOf(logs, name) }),
      ...(phoneTemplates && { phoneTemplates }),
    },
  };
}

function parseFile(file: string, name: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--profile: ${oneLine(error)}`);
  }
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) throw new UsageError(`${name}: ${oneLine(error.message.split('\n')[0])}`);
  // An empty profile, or one of comments only, is what `init` leaves when nothing is known yet.
  return document.toJS() ?? {};
}

function limitsOf(limits: NonNullable<RawProfile['limits']>): Limits {
  return {
    ...(limits.log_wait_ms !== undefined && { logWaitMs: limits.log_wait_ms }),
    ...(limits.wait_ms !== undefined && { waitMs: limits.wait_ms }),
    ...(limits.total_wait_ms !== undefined && { totalWaitMs: limits.total_wait_ms }),
    ...(limits.body_bytes !== undefined && { bodyBytes: limits.body_bytes }),
  };
}

function logsOf({ correlation_id, ...rest }: NonNullable<RawProfile['logs']>, file: string): LogEndpoint {
  if (!/^https?:\/\//i.test(rest.url) || !URL.canParse(rest.url))
    throw new UsageError(`${file}: logs.url must be an http or https URL`);
  return { ...rest, correlationId: correlation_id };
}

function fromEnvironment(
  text: string,
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const [, variable] = /^env:(\w+)$/.exec(text) ?? [];
  if (variable === undefined) return text;
  const value = environment[variable];
  if (value === undefined || value === '')
    throw new UsageError(`${file}: the variable ${variable} is not set`);
  return value;
}

/** The error that says most, in one line: an unknown key before anything else. */
function explain(errors: readonly ErrorObject[]): string {
  const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties');
  const error = unknown ?? errors[0];
  if (error === undefined) return 'is no profile';
  const place = error.instancePath.slice(1).replaceAll('/', '.');
  const at = place === '' ? '' : `${place}: `;
  if (unknown !== undefined)
    return `${at}${unknownKey(String(error.params.additionalProperty), place, error)}`;
  if (error.keyword === 'enum') return `${at}must be ${[error.params.allowedValues].flat().join(' or ')}`;
  if (error.keyword === 'type' && place === '')
    return 'a profile is a map of options, like base_url: https://…';
  return `${at}${error.message}`;
}

function unknownKey(key: string, place: string, error: ErrorObject): string {
  const elsewhere = optionNames.find((name) => profileKeyOf(name) === key);
  if (place === '' && elsewhere !== undefined) {
    return `${key} stands on the command line only`;
  }
  return `unknown key ${visible(key)}${didYouMean(key, keysBeside(error.schemaPath))}`;
}

/** Keys that the schema has at the place of the error. */
function keysBeside(schemaPath: string): string[] {
  let schema: unknown = profileSchema();
  for (const step of schemaPath.split('/').slice(1, -1)) schema = member(schema, step);
  const properties = member(schema, 'properties');
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

function visible(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 80);
}
