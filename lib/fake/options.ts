import type { Contract } from '../contract/model.ts';
import { createParser } from '../contract/schema-parser.ts';

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text };
const port = { type: 'integer', minimum: 0, maximum: 65_535 };
const duration = { type: 'number', minimum: 0 };
const count = { type: 'integer', minimum: 1 };

/** An object with these properties and no others. */
function closed(properties: Readonly<Record<string, object>>, required: readonly string[] = []): object {
  return { type: 'object', additionalProperties: false, properties, required };
}

const schemas = {
  'startFake()': closed({
    host: text,
    port,
    tls: { type: 'boolean' },
    control: { anyOf: [{ type: 'boolean' }, closed({ port }, ['port'])] },
    trustedKeys: {
      type: 'object',
      required: ['keys'],
      properties: { keys: { type: 'array', items: { type: 'object' } } },
    },
    clients: {
      type: 'array',
      items: closed({ client_id: text, client_secret: text, scopes: texts }, [
        'client_id',
        'client_secret',
        'scopes',
      ]),
    },
    dataSet: { type: 'object' },
    cloud: { enum: ['public', 'private'] },
    latency: duration,
    contract: { type: 'object', required: ['operations', 'scopes'] },
    rules: {},
    rateLimit: closed({ requests: count, seconds: { type: 'number', exclusiveMinimum: 0 } }, [
      'requests',
      'seconds',
    ]),
    clock: { enum: ['own', 'Date'] },
    audience: text,
  }),
  'token()': closed({ scopes: texts, expiresIn: { type: 'number' }, claims: { type: 'object' } }),
  'failNext()': closed({
    operation: text,
    times: count,
    status: { type: 'integer', minimum: 200, maximum: 599 },
    before: { type: 'boolean' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    close: { type: 'boolean' },
    delayMs: duration,
  }),
  'waitForRequest()': closed({ timeout: duration }),
  'intercept()': closed({ host: text, others: { enum: ['pass', 'refuse'] } }, ['host']),
};

const parsers = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => {
    const fail = (problem: string) => new TypeError(`${name}: ${problem}`);
    return [name, createParser('the options', () => schema, fail)];
  }),
);

/** Checks the options of the named function. @throws TypeError with a one-line message */
export function checkOptions(name: keyof typeof schemas, value: unknown): void {
  parsers[name]?.(value);
}

/** Checks that the contract has these scopes. @throws TypeError */
export function checkScopes(name: string, scopes: readonly string[], contract: Contract): void {
  const known = new Set(contract.scopes.map((scope) => scope.name));
  const unknown = scopes.find((scope) => !known.has(scope));
  if (unknown !== undefined) throw new TypeError(`${name}: the contract has no scope ${unknown}`);
}
