import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parse, parseDocument } from 'yaml';
import type { Environment } from '../client/proxy.ts';
import { shippedFile } from '../contract/document.ts';
import { oneLine } from '../contract/one-line.ts';
import { createParser } from '../contract/schema-parser.ts';
import type { LogEndpoint } from '../control/tenant-logs.ts';
import { labelErrors } from './files.ts';
import { expandSecret, type JsonSchema } from './option-types.ts';
import { type Option, optionNames, options, profileKeyOf } from './options.ts';
import { UsageError } from './usage.ts';

/** What a profile may contain besides the options, as `fixtures/profile-extras.yaml` describes it. */
export interface ProfileExtras {
  readonly auth?: {
    /** Clients of the token endpoint, with the scopes that each is known to have. */
    readonly clients?: readonly {
      readonly client_id: string;
      readonly client_secret: string;
      readonly scopes?: readonly string[];
    }[];
    /** Further claims of minted tokens. */
    readonly claims?: Readonly<Record<string, unknown>>;
    /** Further header parameters of minted tokens. */
    readonly header?: Readonly<Record<string, unknown>>;
  };
  readonly assume?: {
    /** Scopes that operations require, by operation ID; several are separated by blanks. Empty if any token permits the operation. */
    readonly required_scopes?: Readonly<Record<string, string>>;
    /** False if the tenant does not have the subscription that the phone template update requires (§1). */
    readonly subscription?: boolean;
  };
  /** Limits of the run: times in milliseconds, sizes in bytes. */
  readonly limits?: {
    readonly log_wait_ms?: number;
    readonly wait_ms?: number;
    readonly total_wait_ms?: number;
    readonly body_bytes?: number;
    /** Pages of a listing after which it counts as endless. */
    readonly pages?: number;
  };
  /** Endpoint of the tenant's logs. */
  readonly logs?: LogEndpoint;
  /** The tenant's phone messages before the run, to restore afterwards. */
  readonly phone_templates?: { readonly enrollment_message: string; readonly verification_message: string };
}

/** A profile as read, whose values of options are still to be parsed one by one. */
export interface Profile extends ProfileExtras {
  readonly [key: string]: unknown;
}

const parseRaw = createParser<Profile>('the profile', profileSchema);

/** @throws UsageError that names the file and the place in it */
export function readProfile(file: string, environment: Environment): Profile {
  const name = basename(file);
  return parseProfile(parseYaml(file, name), name, environment);
}

/**
 * Validates a profile, and reads the secrets of its clients from the environment.
 * @param label what messages start with
 * @throws UsageError
 */
export function parseProfile(raw: unknown, label: string, environment: Environment): Profile {
  const profile = labelErrors(label, () => parseRaw(raw));
  const { auth, logs } = profile;
  if (logs !== undefined && !(/^https?:/i.test(logs.url) && URL.canParse(logs.url)))
    throw new UsageError(`${label}: logs.url must be an http or https URL`);
  if (auth?.clients === undefined) return profile;
  const expand = (text: string) => expandSecret(text, label, environment);
  const clients = auth.clients.map((client) => ({
    ...client,
    client_id: expand(client.client_id),
    client_secret: expand(client.client_secret),
  }));
  return { ...profile, auth: { ...auth, clients } };
}

function parseYaml(file: string, name: string): unknown {
  const document = parseDocument(labelErrors('--profile', () => readFileSync(file, 'utf8')));
  const [error] = document.errors;
  if (error !== undefined)
    throw new UsageError(`${name}: ${oneLine(error.message.split('\n')[0]).replace(/:$/, '')}`);
  // Fails for aliases that would fill the memory. `init` writes a profile of comments only while nothing is known.
  return labelErrors(name, () => document.toJS() ?? {});
}

/** The JSON Schema (2020-12) of a profile. */
export function profileSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Profile of a conformance run',
    description: 'Options of a run; a flag or an environment variable beats them.',
    type: 'object',
    additionalProperties: false,
    properties: { $schema: { type: 'string' }, ...profileProperties() },
  };
}

/** The JSON Schema of everything that a profile may contain, by key: options of a run, and what only a profile has. */
export function profileProperties(): Record<string, JsonSchema> {
  const named = optionNames
    .filter((name) => !options[name].notInProfile)
    .map((name): [string, JsonSchema] => [profileKeyOf(name), schemaOf(options[name])]);
  const extras: Record<string, JsonSchema> = parse(
    readFileSync(shippedFile('fixtures/profile-extras.yaml'), 'utf8'),
  );
  return { ...Object.fromEntries(named), ...extras };
}

function schemaOf({ help, type, default: initial }: Option): JsonSchema {
  return {
    description: `${help[0]?.toUpperCase()}${help.slice(1)}.`,
    ...type.schema,
    ...(initial !== undefined && { default: initial }),
  };
}
