import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import { expect, test } from 'vitest';
import { readDocument } from './document.ts';
import { ContractError, contractFile, loadContract } from './load.ts';
import { operation } from './model.ts';
import { createAjv } from './validation.ts';

const folder = mkdtempSync(join(tmpdir(), 'contract-'));

const contract = await loadContract();

/** Writes the document to a file. */
function writeDocument(document: unknown): string {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.json`);
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document));
  return file;
}

const aliasBomb = [
  'a0: &a0 [x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 9 }, (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index}, `.repeat(9)}]`),
].join('\n');

const small = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Small', version: '1' },
  paths,
  ...more,
});

test('a JSON document is parsed as JSON, whatever precedes it: the YAML parser takes minutes for megabytes', () => {
  // YAML forbids duplicate keys (1.2.2, section 3.2.1.3).
  expect(readDocument(writeDocument('\uFEFF\n {"a": 1, "a": 2}'))).toEqual({ a: 2 });
  expect(() => readDocument(writeDocument('a: 1\na: 2'))).toThrow('unique');
});

test('the shipped contract is valid OpenAPI 3.1', async () => {
  await expect(SwaggerParser.validate(contractFile)).resolves.toBeDefined();
});

test('it has the operations of section 4, 250 scopes on 91 resources, and the token endpoint', () => {
  expect(contract.operations.map(({ method, path }) => `${method} ${path}`)).toEqual(
    expect.arrayContaining([
      'PUT /guardian/factors/phone/templates',
      'GET /experimentation/experiments',
      'DELETE /rate-limit-policies/{id}',
      'GET /actions/actions/{actionId}/versions',
      'GET /self-service-profiles/{id}/custom-text/{language}/{page}',
    ]),
  );
  expect(new Set(contract.scopes.map(({ name }) => name)).size).toBe(250);
  expect(new Set(contract.scopes.map(({ resource }) => resource)).size).toBe(91);
  expect(contract.tokenEndpoint).toEqual({ path: '/oauth/token/', audience: '/api/v2/' });
});

test('one scope is stated, four are inferred', () => {
  expect(
    contract.operations.map(({ scopes, scopeInferred }) => [
      scopes.map(({ name }) => name).join(),
      scopeInferred,
    ]),
  ).toEqual(
    expect.arrayContaining([
      ['update:guardian_factors', false],
      ['read:experimentation', true],
      ['delete:rate_limit_policies', true],
      ['read:actions', true],
      ['read:self_service_profile_custom_texts', true],
    ]),
  );
});

test('pagination is recognized by its parameters, its items by the only array', () => {
  expect(operation(contract, 'listExperiments').pagination).toMatchObject({
    kind: 'checkpoint',
    items: 'experiments',
    lifetime: 86_400,
    size: { default: 25, minimum: 1, maximum: { public: 50, private: 50 } },
  });
  expect(operation(contract, 'listActionVersions').pagination).toMatchObject({
    kind: 'offset',
    items: 'versions',
    size: { default: 20, maximum: { public: 50, private: 100 } },
  });
});

test('limits come from the document', () => {
  expect(contract.payload).toEqual({ accepts: 1_000_000, refuses: 1_048_577 });
  const recorded = (id: string) => operation(contract, id).correlation?.recordedLength;
  expect([recorded('put_factor_phone_templates'), recorded('listExperiments')]).toEqual([64, undefined]);
});

test('the default messages are those of section 2.1', () => {
  const properties = contract.component('TemplateMessages')?.properties;
  expect(properties?.enrollment_message?.default).toBe(
    '{{code}} is your verification code for {{tenant.friendly_name}}. Please enter this code to verify your enrollment.',
  );
  expect(properties?.verification_message?.default).toBe(
    '{{code}} is your verification code for {{tenant.friendly_name}}',
  );
});

test('a schema error names the place, the keyword and the component', () => {
  const validate = operation(contract, 'listExperiments').success[0]?.content[0]?.validate;
  expect(
    validate?.({ experiments: [{ id: 'a' }, { allocations: [{ weight: '1' }] }], next: 'x' }),
  ).toMatchObject([
    { pointer: '/experiments/1/allocations/0/weight', keyword: 'type', component: 'Allocation', value: '1' },
  ]);
});

test('a date-time has a zone with a colon (RFC 3339, section 5.6)', () => {
  const isValid = createAjv().compile({ type: 'string', format: 'date-time' });
  const zones = ['Z', 'z', '+05:30', '+0530', '+05', ''];
  expect(zones.map((zone) => isValid(`2026-01-31T23:59:59.5${zone}`))).toEqual([
    ...[true, true, true],
    ...[false, false, false],
  ]);
});

test('a document of another service is a normal input', async () => {
  const flows = { clientCredentials: { tokenUrl: '/token', scopes: {} } };
  const schemes = {
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, oauth: { type: 'oauth2', flows } },
    },
  };
  const found = await loadContract(
    writeDocument(
      small(
        {
          '/users': {
            parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
            get: {
              operationId: 'listUsers',
              security: [{ bearer: [] }, { oauth: ['read:users'] }],
              parameters: [
                { name: 'page', in: 'query', schema: { type: 'integer', minimum: 0 } },
                { name: 'per_page', in: 'query', schema: { type: 'integer', maximum: 30 } },
              ],
              responses: {
                200: {
                  description: 'users',
                  content: {
                    'application/json': {
                      schema: { type: 'object', properties: { users: { type: 'array' } } },
                    },
                  },
                },
              },
            },
            post: { responses: { 201: { description: 'made' } } },
          },
        },
        schemes,
      ),
    ),
  );
  expect(found.operations.map(({ id }) => id)).toEqual(['listUsers', 'POST /users']);
  expect(found.operations[0]).toMatchObject({
    scopes: [{ name: 'read:users' }],
    scopeInferred: false,
    pagination: {
      kind: 'offset',
      items: 'users',
      size: { default: 15, maximum: { public: 30, private: 30 } },
    },
  });
  expect(found.operations[0]?.parameters.map(({ name }) => name)).toEqual(['q', 'page', 'per_page']);
  expect(found.operations[1]?.correlation).toEqual({ header: 'X-Correlation-ID', recordedLength: 64 });
  expect(found.payload).toEqual(contract.payload);
});

test.each([
  ['no such file', () => join(folder, 'missing.yaml'), /missing\.yaml/],
  ['invalid YAML', () => writeDocument('{'), /./],
  [
    'OpenAPI 2.0',
    () => writeDocument({ swagger: '2.0', info: { title: '', version: '' }, paths: {} }),
    /OpenAPI 2\.0 is not supported, only 3\.0 and 3\.1: convert it/,
  ],
  ['OpenAPI 4', () => writeDocument({ openapi: '4.0.0', paths: {} }), /"4\.0\.0" is not supported/],
  ['not OpenAPI', () => writeDocument({ paths: {} }), /it has no openapi field/],
  ['no operations', () => writeDocument(small({})), /no operations/],
  [
    'a path parameter that is not declared',
    () => writeDocument(small({ '/a/{id}': { get: { responses: {} } } })),
    /GET \/a\/\{id\}: its path parameter id is not declared/,
  ],
  [
    'a reference to a URL',
    () => writeDocument(small({ '/a': { $ref: 'https://127.0.0.1:9/a.yaml' } })),
    /\$ref https:\/\/127\.0\.0\.1:9\/a\.yaml is not fetched without --fetch-refs/,
  ],
  [
    'a reference to a missing file',
    () => writeDocument(small({ '/a': { $ref: 'none.yaml#/a' } })),
    /none\.yaml/,
  ],
  [
    'a dangling reference',
    () =>
      writeDocument(
        small({
          '/a': {
            get: {
              parameters: [{ $ref: '#/components/parameters/None' }],
              responses: { 200: { description: '' } },
            },
          },
        }),
      ),
    /None/,
  ],
  [
    'a duplicate operationId',
    () =>
      writeDocument(
        small({
          '/a': { get: { operationId: 'x', responses: { 200: { description: '' } } } },
          '/b': { get: { operationId: 'x', responses: { 200: { description: '' } } } },
        }),
      ),
    /x/,
  ],
  [
    'aliases that expand to more than fits into memory',
    () => writeDocument(`openapi: 3.1.0\n${aliasBomb}`),
    /alias/,
  ],
])('%s is refused in one line', async (_what, file, message) => {
  const error = await loadContract(file()).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ContractError);
  expect(String(error)).toMatch(message);
  expect(String(error)).not.toContain('\n');
});
