import type { JsonSchema } from './option-types.ts';
import { type Option, optionNames, options, profileKeyOf } from './options.ts';

const text = { type: 'string', minLength: 1 };
const milliseconds = { type: 'integer', minimum: 0, maximum: 3_600_000 };

function closed(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required?: readonly string[],
): JsonSchema {
  return {
    description,
    type: 'object',
    additionalProperties: false,
    properties,
    ...(required && { required }),
  };
}

/** What a profile may hold besides the options of the command line. */
const extras: Readonly<Record<string, JsonSchema>> = {
  auth: closed('Tokens, besides the options.', {
    clients: {
      description: 'Clients of the token endpoint, with the scopes that each is known to have.',
      type: 'array',
      items: closed(
        'A client.',
        {
          client_id: { ...text, description: 'Client ID, or env:NAME.' },
          client_secret: { ...text, description: 'Client secret; preferably env:NAME.' },
          scopes: { description: "Scopes of the client's tokens.", type: 'array', items: text },
        },
        ['client_id', 'client_secret'],
      ),
    },
    claims: {
      description: 'Further claims of minted tokens, such as client_id and jti of RFC 9068.',
      type: 'object',
      propertyNames: { not: { enum: ['exp', 'iat', 'nbf', 'scopes'] } },
    },
    header: {
      description: 'Further header parameters of minted tokens, such as typ: at+jwt of RFC 9068.',
      type: 'object',
      propertyNames: { not: { enum: ['alg', 'kid'] } },
    },
  }),
  assume: closed('What to assume where the specification is silent.', {
    required_scopes: {
      description: 'Scopes that an operation requires, by operation ID; separate several with blanks.',
      type: 'object',
      additionalProperties: { type: 'string', pattern: '^[^\\s:]+:[^\\s:]+( [^\\s:]+:[^\\s:]+)*$' },
    },
    subscription: {
      description:
        'Whether the tenant has the subscription that updating the phone templates requires (§1). Default true.',
      type: 'boolean',
    },
  }),
  limits: closed('Limits of the run.', {
    log_wait_ms: {
      ...milliseconds,
      description: 'How long a tenant log entry may take to appear. Default 10000.',
    },
    wait_ms: {
      ...milliseconds,
      description: 'How long 429 responses may delay one request. Default 60000.',
    },
    total_wait_ms: {
      ...milliseconds,
      description: 'How long 429 responses may delay the whole run. Default 300000.',
    },
    body_bytes: {
      type: 'integer',
      minimum: 1_048_576,
      description: 'Largest response body to read. Default 4194304.',
    },
  }),
  logs: closed(
    "Endpoint of the tenant's logs, read with the run's token, for targets without the control protocol.",
    {
      url: { ...text, description: 'URL, such as https://tenant.example/api/v2/logs.' },
      items: {
        type: 'string',
        description:
          'Path of the list of entries in the response, separated by dots; leave it out if the response is the list.',
      },
      correlation_id: {
        ...text,
        description: 'Path of the correlation ID in an entry, such as references.correlation_id.',
      },
      query: {
        ...text,
        description: 'Query of the request; {prefix} stands for the prefix of the correlation IDs.',
      },
    },
    ['url', 'correlation_id'],
  ),
  phone_templates: closed(
    "The tenant's phone templates before the run, to restore afterwards.",
    { enrollment_message: { type: 'string' }, verification_message: { type: 'string' } },
    ['enrollment_message', 'verification_message'],
  ),
};

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
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(named), ...extras },
  };
}

function schemaOf({ help, type, default: initial }: Option): JsonSchema {
  return {
    description: `${help[0]?.toUpperCase()}${help.slice(1)}.`,
    ...type.schema,
    ...(initial !== undefined && { default: initial }),
  };
}
