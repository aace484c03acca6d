import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCli } from '../../test/child-process.ts';
import { sampleDocumentText } from '../../test/sample-document.ts';
import { loadContract } from '../contract/load.ts';
import { startFake } from '../fake/index.ts';
import { runConformance } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'other-contract-'));

function documentFile(operations: number): string {
  const file = join(folder, `${operations}.yaml`);
  writeFileSync(file, sampleDocumentText(operations));
  return file;
}

test('all of its operations are judged, for the same requests each', async () => {
  const requests = async (operations: number) => {
    const contract = documentFile(operations);
    const only = ['5.1', '8/offset*', '7/*'];
    const { verdict, summary, run, requirements } = await runConformance({
      contract,
      only,
      seed: 1,
      runs: 2,
    });
    expect(verdict).toBe('incomplete');
    expect(summary.judged + summary.deselected).toBe(summary.requirements);
    const judged = new Set(requirements.flatMap((each) => each.operations));
    expect(judged.size).toBe(operations);
    return run.requests / operations;
  };
  const [few, many] = [await requests(10), await requests(30)];
  expect(many / few).toBeLessThan(1.3);
});

test('a run says what of the document is not tested', async () => {
  const get = { responses: { 200: { description: 'found' } } };
  const elsewhere = { servers: [{ url: 'https://elsewhere.example' }], get };
  const file = join(folder, 'skipped.json');
  writeFileSync(
    file,
    JSON.stringify({
      openapi: '3.1.0',
      info: {},
      paths: { '/a': { get: { ...get, operationId: 'toString' }, trace: get }, '/b': elsewhere },
    }),
  );
  const { run, scope_matrix } = await runConformance({
    contract: file,
    only: ['7/no-server-error'],
    seed: 1,
  });
  expect(run.notes?.join()).toMatch(/^not tested: TRACE \/a: .*; GET \/b: it has servers of its own/);
  // An operationId may be the name of a member that every JavaScript object has.
  expect(scope_matrix.operations).toEqual({});
});

test('every operation conforms if the server does', async () => {
  const { verdict, summary } = await runConformance({ contract: documentFile(10), seed: 1, runs: 2 });
  expect(verdict).toBe('conforms');
  expect(summary.operations).toEqual({ conforms: 10, 'does-not-conform': 0, incomplete: 0 });
});

test('a document is judged whatever its scopes, media types, alternatives and listings look like', async () => {
  const item = { type: 'object', required: ['owner'], properties: { owner: { type: 'string' } } };
  const page = {
    type: 'object',
    properties: { items: { type: 'array', items: item }, next: { type: 'string' } },
  };
  const json = (schema: object) => ({ content: { 'application/json': { schema } } });
  const query = (name: string, schema: object, required = false) => ({ name, in: 'query', required, schema });
  const secured = { security: [{ oauth: ['items:read'] }] };
  const clientCredentials = { tokenUrl: '/oauth/token', scopes: { 'items:read': '' } };
  const file = join(folder, 'alternatives.json');
  writeFileSync(
    file,
    JSON.stringify({
      openapi: '3.1.0',
      info: {},
      paths: {
        '/items': {
          get: {
            ...secured,
            operationId: 'list',
            parameters: [
              query('owner', { type: 'string' }, true),
              query('from', { type: 'string' }),
              query('take', { type: 'integer', minimum: 1, maximum: 7 }),
            ],
            responses: { 200: json(page) },
          },
          post: {
            ...secured,
            operationId: 'create',
            requestBody: json({ oneOf: [{ type: 'string', maxLength: 9 }, item] }),
            responses: { 200: json(item) },
          },
          put: {
            ...secured,
            operationId: 'replace',
            requestBody: json({ description: 'Any JSON.' }),
            responses: { 200: json(item) },
          },
          patch: {
            ...secured,
            operationId: 'merge',
            requestBody: { content: { 'application/merge-patch+json': { schema: item } } },
            responses: { 200: json(item) },
          },
        },
        '/few': {
          get: {
            ...secured,
            operationId: 'toString',
            parameters: [
              query('offset', { type: 'integer' }),
              query('limit', { type: 'integer', minimum: 1, maximum: 10 }),
            ],
            responses: { 200: json({ type: 'array', items: item }) },
          },
        },
      },
      components: { securitySchemes: { oauth: { type: 'oauth2', flows: { clientCredentials } } } },
    }),
  );
  const { requirements, summary } = await runConformance({ contract: file, seed: 1, runs: 2 });
  const found = requirements.flatMap((each) => each.by_operation.map((one) => ({ id: each.id, ...one })));
  expect(found.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  expect(summary.operations.conforms).toBe(5);
  const operationsOf = (wanted: string) => requirements.find(({ id }) => id === wanted)?.operations;
  expect(operationsOf('9/invalid-body')).toEqual(['create', 'merge']);
  expect(operationsOf('8/checkpoint-next-present')).toEqual(['list']);
  expect(operationsOf('8/offset-pages-tile')).toEqual(['toString']);
});

test('its requests are estimated by what the requirements send to the shipped operations', async () => {
  const contract = documentFile(40);
  const fake = await startFake({ contract: await loadContract(contract), control: true });
  const { run, verdict } = await runConformance({
    contract,
    baseUrl: fake.url,
    control: fake.controlUrl ?? '',
    signingKey: { ...fake.signingKey },
    only: ['5.1', '8/offset*', '7/*'],
    seed: 1,
    runs: 3,
  });
  await fake.close();
  expect(verdict).not.toBe('does-not-conform');
  const ratio = (run.requests_estimated ?? 0) / run.requests;
  expect(ratio).toBeGreaterThan(0.7);
  expect(ratio).toBeLessThan(1.4);
});

test('the fake serves it', async () => {
  const running = startCli(['fake', '--contract', documentFile(450)]);
  const printed = await running.until('Ctrl-C stops it');
  const [, url = ''] = /^base URL +(\S+)/m.exec(printed) ?? [];
  const [, token = ''] = /^TOKEN=(\S+)/m.exec(printed) ?? [];
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/resource_3?per_page=5`, { headers });
  const body = JSON.parse(await answer.text());
  const refused = await fetch(`${url}/resource_3?per_page=51`, { headers });
  running.child.kill('SIGINT');
  expect((await running.ended).code).toBe(0);
  expect([answer.status, body.resource_3.length, refused.status]).toEqual([200, 5, 400]);
});

test('an answer for which no JSON is declared is not taken for a login page', async () => {
  const get = { security: [{ token: [] }], responses: { 200: { description: 'found' } } };
  const components = { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } };
  const file = join(folder, 'without-content.json');
  writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info: {}, components, paths: { '/a': { get } } }));
  const contract = await loadContract(file);
  const fake = await startFake({ contract });
  const { url: baseUrl, signingKey } = fake;
  const report = await runConformance({
    contract,
    baseUrl,
    signingKey: { ...signingKey },
    only: ['5.1/no-header'],
  });
  await fake.close();
  expect(report.requirements.find(({ id }) => id === '5.1/no-header')?.verdict).toBe('passed');
});

test('an operation that takes no body need not name a policy', async () => {
  const file = join(folder, 'bodyless.json');
  const post = {
    security: [{ oauth: ['update:policies'] }],
    operationId: 'refreshPolicies',
    responses: { 204: { description: 'refreshed' } },
  };
  const clientCredentials = { tokenUrl: '/oauth/token', scopes: { 'update:policies': '' } };
  writeFileSync(
    file,
    JSON.stringify({
      openapi: '3.1.0',
      info: {},
      paths: { '/policies/refresh': { post } },
      components: { securitySchemes: { oauth: { type: 'oauth2', flows: { clientCredentials } } } },
    }),
  );
  const { requirements } = await runConformance({ contract: file, only: ['8/payload-delete'], seed: 1 });
  expect(requirements.find(({ id }) => id === '8/payload-delete')).toMatchObject({ verdict: 'passed' });
});
