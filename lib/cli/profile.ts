import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { parseDocument } from 'yaml';
import { isObject } from '../contract/json.ts';
import type { LogEndpoint } from '../control/tenant-logs.ts';
import { type Environment, expandSecret } from './environment.ts';
import { flagOf, optionNames, profileKeyOf } from './options.ts';
import { profileSchema } from './profile-schema.ts';
import { didYouMean, oneLine, UsageError } from './usage.ts';

/** What a profile may hold besides the options. */
export interface ProfileExtras {
  readonly clients?: readonly ProfileClient[];
  /** Further claims of minted tokens. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Further header parameters of minted tokens. */
  readonly tokenHeader?: Readonly<Record<string, unknown>>;
  /** Scopes that operations require, by operation ID; several are separated by blanks. */
  readonly requiredScopes?: Readonly<Record<string, string>>;
  /** False where the tenant lacks the subscription that the phone template update requires (§1). */
  readonly subscription?: boolean;
  readonly limits?: Limits;
  /** Endpoint of the tenant's logs. */
  readonly logs?: LogEndpoint;
  /** The tenant's phone templates before the run, to restore afterwards. */
  readonly phoneTemplates?: PhoneTemplates;
}

/** A client with the scopes that it is known to have. */
export interface ProfileClient {
  readonly id: string;
  readonly secret: string;
  readonly scopes?: readonly string[];
}

/** Limits of the run: times in milliseconds, sizes in bytes. */
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

/** A profile as read: values of options, still to be parsed one by one, and the rest. */
export interface Profile {
  /** By profile key. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly extras: ProfileExtras;
}

/** The part of a profile that is no option, as the file has it. */
export interface RawExtras {
  readonly auth?: {
    readonly clients?: readonly {
      readonly client_id: string;
      readonly client_secret: string;
      readonly scopes?: readonly string[];
    }[];
    readonly claims?: ProfileExtras['claims'];
    readonly header?: ProfileExtras['tokenHeader'];
  };
  readonly assume?: {
    readonly required_scopes?: ProfileExtras['requiredScopes'];
    readonly subscription?: boolean;
  };
  readonly limits?: {
    readonly log_wait_ms?: number;
    readonly wait_ms?: number;
    readonly total_wait_ms?: number;
    readonly body_bytes?: number;
  };
  readonly logs?: Omit<LogEndpoint, 'correlationId'> & { readonly correlation_id: string };
  readonly phone_templates?: PhoneTemplates;
}

interface RawProfile extends RawExtras {
  readonly [key: string]: unknown;
}

let validator: ValidateFunction<RawProfile> | undefined;

/** @throws UsageError that names the file and the place in it */
export function readProfile(file: string, environment: Environment): Profile {
  const name = basename(file);
  return parseProfile(parseYaml(file, name), name, environment);
}

/**
 * Checks what a profile holds, and takes it apart.
 * @param label what messages start with
 * @throws UsageError
 */
export function parseProfile(raw: unknown, label: string, environment: Environment): Profile {
  validator ??= new Ajv2020({ allowUnionTypes: true, allErrors: true }).compile<RawProfile>(profileSchema());
  if (!validator(raw)) throw new UsageError(`${label}: ${explain(validator.errors ?? [])}`);
  const { auth, assume, limits, logs, phone_templates: phoneTemplates, $schema: _schema, ...values } = raw;
  const expand = (text: string) => expandSecret(text, label, environment);
  const clients = auth?.clients?.map(({ client_id, client_secret, scopes }) => ({
    id: expand(client_id),
    secret: expand(client_secret),
    ...(scopes && { scopes }),
  }));
  return {
    values,
    extras: {
      ...(clients && { clients }),
      ...(auth?.claims && { claims: auth.claims }),
      ...(auth?.header && { tokenHeader: auth.header }),
      ...(assume?.required_scopes && { requiredScopes: assume.required_scopes }),
      ...(assume?.subscription !== undefined && { subscription: assume.subscription }),
      ...(limits && { limits: limitsOf(limits) }),
      ...(logs && { logs: logsOf(logs, label) }),
      ...(phoneTemplates && { phoneTemplates }),
    },
  };
}

function parseYaml(file: string, name: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--profile: ${oneLine(error)}`);
  }
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) throw new UsageError(`${name}: ${oneLine(error.message.split('\n')[0])}`);
  try {
    // `init` writes a profile of comments only while nothing is known.
    return document.toJS() ?? {};
  } catch (unresolvable) {
    // More aliases than the parser expands, which would fill the memory.
    throw new UsageError(`${name}: ${oneLine(unresolvable)}`);
  }
}

function limitsOf(limits: NonNullable<RawExtras['limits']>): Limits {
  return {
    ...(limits.log_wait_ms !== undefined && { logWaitMs: limits.log_wait_ms }),
    ...(limits.wait_ms !== undefined && { waitMs: limits.wait_ms }),
    ...(limits.total_wait_ms !== undefined && { totalWaitMs: limits.total_wait_ms }),
    ...(limits.body_bytes !== undefined && { bodyBytes: limits.body_bytes }),
  };
}

function logsOf({ correlation_id, ...rest }: NonNullable<RawExtras['logs']>, label: string): LogEndpoint {
  if (!/^https?:\/\//i.test(rest.url) || !URL.canParse(rest.url))
    throw new UsageError(`${label}: logs.url must be an http or https URL`);
  return { ...rest, correlationId: correlation_id };
}

/** The error that helps most, in one line: an unknown key before anything else. */
function explain(errors: readonly ErrorObject[]): string {
  const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties');
  const error = unknown ?? errors.find(({ keyword }) => keyword === 'propertyNames') ?? errors[0];
  if (error === undefined) return 'is not a profile';
  const place = error.instancePath.slice(1).replaceAll('/', '.');
  const at = place === '' ? '' : `${place}: `;
  if (unknown !== undefined)
    return `${at}${unknownKey(String(error.params.additionalProperty), place, error)}`;
  if (error.keyword === 'enum') return `${at}must be ${[error.params.allowedValues].flat().join(' or ')}`;
  if (error.keyword === 'propertyNames')
    return `${at}${printable(String(error.params.propertyName))} is set by the suite itself`;
  if (error.keyword === 'type' && place === '')
    return 'a profile is a map of options, such as base_url: https://…';
  return `${at}${error.message}`;
}

function unknownKey(key: string, place: string, error: ErrorObject): string {
  const option = optionNames.find((name) => profileKeyOf(name) === key);
  if (place === '' && option !== undefined)
    return `${key} is not allowed in a profile; use ${flagOf(option)}`;
  return `unknown key ${printable(key)}${didYouMean(key, keysBeside(error.schemaPath))}`;
}

/** Keys that the schema allows at the place of the error. */
function keysBeside(schemaPath: string): string[] {
  let schema: unknown = profileSchema();
  for (const step of schemaPath.split('/').slice(1, -1)) schema = isObject(schema) ? schema[step] : undefined;
  return isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : [];
}

function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 80);
}
