import { type OptionSpec, optionNames, profileKeyOf, specOf } from './options.ts';

/** A JSON Schema. */
type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string', minLength: 1 };
const milliseconds = { type: 'integer', minimum: 0, maximum: 3_600_000 };

function closed(
  description: string,
  properties: Readonly<Record<string, Schema>>,
  required?: string[],
): Schema {
  return {
    description,
    type: 'object',
    additionalProperties: false,
    properties,
    ...(required && { required }),
  };
}

/** What a profile may hold beside the options of the command line. */
const extras: Readonly<Record<string, Schema>> = {
  auth: closed('Where tokens come from, beside the options.', {
    clients: {
      description: 'Clients of the token endpoint, with the scopes that each is known to have.',
      type: 'array',
      items: closed(
        'One client.',
        {
          client_id: { ...text, description: "The client's id, or env:NAME." },
          client_secret: { ...text, description: 'Its secret; better env:NAME.' },
          scopes: { description: 'Scopes that its tokens carry.', type: 'array', items: text },
        },
        ['client_id', 'client_secret'],
      ),
    },
  }),
  assume: closed('What is taken to be so where the specification is silent.', {
    required_scopes: {
      description: 'The scope that an operation needs, by operation id; several with a blank between them.',
      type: 'object',
      additionalProperties: { type: 'string', pattern: '^[^\\s:]+:[^\\s:]+( [^\\s:]+:[^\\s:]+)*$' },
    },
  }),
  limits: closed('Bounds of the run.', {
    log_wait_ms: {
      ...milliseconds,
      description: 'How long a tenant log entry may take to appear. Default 10000.',
    },
    wait_ms: {
      ...milliseconds,
      description: 'How long one request may be held up by answers of 429. Default 60000.',
    },
    total_wait_ms: {
      ...milliseconds,
      description: 'How long all answers of 429 together may hold up the run. Default 300000.',
    },
    body_bytes: {
      type: 'integer',
      minimum: 1_048_576,
      description: 'Largest answer that is read. Default 4194304.',
    },
  }),
  logs: closed(
    "Where the tenant shows its own logs, read with the run's token; in place of the control protocol's.",
    {
      url: { ...text, description: 'Address of the endpoint: https://tenant.example/api/v2/logs.' },
      items: {
        type: 'string',
        description:
          'Path to the list of entries in the answer, parted by dots; left out where the answer is the list.',
      },
      correlation_id: {
        ...text,
        description: 'Path to the correlation ID within an entry: references.correlation_id.',
      },
      query: {
        ...text,
        description:
          'Query of the request; {prefix} stands for the beginning of the IDs that are looked for.',
      },
    },
    ['url', 'correlation_id'],
  ),
  phone_templates: closed(
    'The messages that the tenant had before, to be put back after the run.',
    { enrollment_message: { type: 'string' }, verification_message: { type: 'string' } },
    ['enrollment_message', 'verification_message'],
  ),
};

/** The schema of a profile (JSON Schema 2020-12), made from the table of options. */
export function profileSchema(): Schema {
  const named = optionNames
    .filter((name) => !specOf(name).outsideProfile)
    .map((name): [string, Schema] => [profileKeyOf(name), schemaOf(specOf(name))]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Profile of a conformance run',
    description: 'Options of a run; a flag or an environment variable goes over what stands here.',
    type: 'object',
    additionalProperties: false,
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(named), ...extras },
  };
}

function schemaOf(spec: OptionSpec): Schema {
  const { default: initial } = spec;
  return {
    description: `${spec.says[0]?.toUpperCase()}${spec.says.slice(1)}.`,
    ...typeOf(spec),
    ...(initial !== undefined && { default: initial }),
  };
}

function typeOf(spec: OptionSpec): Schema {
  switch (spec.type) {
    case 'switch':
      return { type: 'boolean' };
    case 'integer':
    case 'number':
      return { type: spec.type, minimum: spec.minimum, maximum: spec.maximum };
    case 'choice':
      return { enum: spec.choices };
    case 'shard':
      return { type: 'string', pattern: '^\\d+/\\d+$' };
    case 'texts':
    case 'patterns':
      return { oneOf: [text, { type: 'array', items: text }] };
    case 'headers':
      return {
        oneOf: [
          { type: 'object', additionalProperties: { type: 'string' } },
          { type: 'array', items: { type: 'string', pattern: ':' } },
        ],
      };
    default:
      return text;
  }
}
