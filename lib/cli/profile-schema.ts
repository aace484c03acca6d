import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { shippedFile } from '../contract/document.ts';
import { isObject } from '../contract/json.ts';
import type { JsonSchema } from './option-types.ts';
import { type Option, optionNames, options, profileKeyOf } from './options.ts';

/** JSON Schemas of what a profile may contain besides the options of the command line, by key. */
export function profileExtras(): Record<string, JsonSchema> {
  const read: unknown = parse(readFileSync(shippedFile('fixtures/profile-extras.yaml'), 'utf8'));
  return Object.fromEntries(
    Object.entries(isObject(read) ? read : {}).map(([key, schema]) => [key, isObject(schema) ? schema : {}]),
  );
}

/** The JSON Schema (2020-12) of a profile, generated from the table of options. */
export function profileSchema(): JsonSchema {
  const named = optionNames
    .filter((name) => !options[name].notInProfile)
    .map((name): [string, JsonSchema] => [profileKeyOf(name), schemaOf(options[name])]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Profile of a conformance run',
    description: 'Options of a run; a flag or an environment variable beats them.',
    type: 'object',
    additionalProperties: false,
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(named), ...profileExtras() },
  };
}

function schemaOf({ help, type, default: initial }: Option): JsonSchema {
  return {
    description: `${help[0]?.toUpperCase()}${help.slice(1)}.`,
    ...type.schema,
    ...(initial !== undefined && { default: initial }),
  };
}
