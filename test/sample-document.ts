import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { loadContract } from '../lib/contract/load.ts';
import type { Contract } from '../lib/contract/model.ts';

/**
 * An OpenAPI 3.1 document of another service in the same conventions, with this many operations: resources that are
 * listed (one half by checkpoints, one by pages), made, read, changed and deleted, each with its scope. For tests and
 * benchmarks of contracts that grow.
 */
function sampleDocument(operations: number): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas: Record<string, unknown> = {};
  const scopes: Record<string, string> = {};
  let count = 0;
  for (let number = 0; count < operations; number += 1) {
    const resource = `resource_${number}`;
    const name = `Resource${number}`;
    schemas[name] = resourceSchema(number);
    const kinds = [listing, making, reading, changing, deleting].slice(0, operations - count);
    for (const kind of kinds) {
      const { path, method, operation } = kind(resource, name, number);
      paths[path] = { ...paths[path], [method]: operation };
      const verb = String(operation.operationId).split('_')[0];
      scopes[`${verb}:${resource}`] = `${verb} ${resource}`;
      count += 1;
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: `Sample of ${operations} operations`, version: '1.0' },
    servers: [
      {
        url: 'https://{tenant}/api/v2',
        variables: { tenant: { default: 'localhost', description: 'The host.' } },
      },
    ],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        oAuth2ClientCredentials: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: '/oauth/token/', scopes } },
        },
      },
    },
  };
}

/** The document as YAML, as it would stand in a file. */
export function sampleDocumentText(operations: number): string {
  return stringify(sampleDocument(operations), { aliasDuplicateObjects: false });
}

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: Readonly<Record<string, unknown>>;
}

/** The contract of that document. */
export async function loadSampleContract(operations: number): Promise<Contract> {
  const folder = mkdtempSync(join(tmpdir(), 'sample-contract-'));
  try {
    const file = join(folder, 'contract.json');
    writeFileSync(file, JSON.stringify(sampleDocument(operations)));
    return await loadContract(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function resourceSchema(number: number): unknown {
  return {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: {
      id: { type: 'string' },
      name: { type: 'string', minLength: 1, maxLength: 40 + number },
      enabled: { type: 'boolean' },
      weight: { type: 'integer', minimum: 0, maximum: 100 },
      kind: { type: 'string', enum: ['plain', 'striped', 'dotted'] },
      created_at: { type: 'string', format: 'date-time' },
      tags: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 5 },
    },
  };
}

const security = (verb: string, resource: string) => [
  { bearerAuth: [] },
  { oAuth2ClientCredentials: [`${verb}:${resource}`] },
];
const json = (schema: unknown) => ({ 'application/json': { schema } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const query = (name: string, schema: unknown) => ({ name, in: 'query', schema });
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 40 } };
const refusals = {
  400: { description: 'bad request' },
  401: { description: 'unauthorized' },
  403: { description: 'forbidden' },
};

function listing(resource: string, name: string, number: number): Placed {
  const integer = { type: 'integer', minimum: 1, maximum: 50 };
  const pages =
    number % 2 === 0
      ? [query('from', { type: 'string' }), query('take', integer)]
      : [query('page', { type: 'integer', minimum: 0 }), query('per_page', integer)];
  const properties = {
    [resource]: { type: 'array', items: ref(name) },
    next: { type: 'string' },
    total: { type: 'integer' },
  };
  return {
    path: `/${resource}`,
    method: 'get',
    operation: {
      operationId: `read_${resource}`,
      security: security('read', resource),
      parameters: [...pages, query('kind', { type: 'string', enum: ['plain', 'striped', 'dotted'] })],
      responses: {
        200: { description: 'a page', content: json({ type: 'object', required: [resource], properties }) },
        ...refusals,
      },
    },
  };
}

function making(resource: string, name: string): Placed {
  return {
    path: `/${resource}`,
    method: 'post',
    operation: {
      operationId: `create_${resource}`,
      security: security('create', resource),
      requestBody: { required: true, content: json(ref(name)) },
      responses: { 201: { description: 'made', content: json(ref(name)) }, ...refusals },
    },
  };
}

function reading(resource: string, name: string): Placed {
  return {
    path: `/${resource}/{id}`,
    method: 'get',
    operation: {
      operationId: `read_one_${resource}`,
      security: security('read', resource),
      parameters: [id],
      responses: { 200: { description: 'one', content: json(ref(name)) }, ...refusals },
    },
  };
}

function changing(resource: string, name: string): Placed {
  return {
    path: `/${resource}/{id}`,
    method: 'patch',
    operation: {
      operationId: `update_${resource}`,
      security: security('update', resource),
      parameters: [id],
      requestBody: { required: true, content: json(ref(name)) },
      responses: { 200: { description: 'changed', content: json(ref(name)) }, ...refusals },
    },
  };
}

function deleting(resource: string): Placed {
  return {
    path: `/${resource}/{id}`,
    method: 'delete',
    operation: {
      operationId: `delete_${resource}`,
      security: security('delete', resource),
      parameters: [id],
      responses: { 204: { description: 'deleted' }, ...refusals },
    },
  };
}
