import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadContract } from '../contract/load.ts';
import type { Contract } from '../contract/model.ts';
import { type Fake, startFake } from './index.ts';

const item = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string' },
    kind: { enum: ['a', 'b'] },
    at: { type: 'string', format: 'date-time' },
  },
};
const query = (name: string, schema: object) => ({ name, in: 'query', schema });
const page = (properties: object) => ({
  200: {
    description: 'A page.',
    content: {
      'application/json': { schema: { type: 'object', required: Object.keys(properties), properties } },
    },
  },
});
const things = { type: 'array', items: item };
const security = (scope: string) => [{ oauth: [scope] }];
const document = {
  openapi: '3.1.0',
  info: { title: 'Another service', version: '1' },
  paths: {
    '/things': {
      get: {
        operationId: 'listThings',
        security: security('read:things'),
        parameters: [
          query('from', { type: 'string' }),
          query('take', { type: 'integer', minimum: 1, maximum: 20, default: 10 }),
          query('kind', { enum: ['a', 'b'] }),
        ],
        responses: page({ things, next: { type: 'string' } }),
      },
      post: {
        operationId: 'createThing',
        security: security('create:things'),
        requestBody: { required: true, content: { 'application/json': { schema: item } } },
        responses: { 201: { description: 'Made.', content: { 'application/json': { schema: item } } } },
      },
    },
    '/groups/{group-id}/things:all': {
      get: {
        operationId: 'listThingsOfGroup',
        security: security('read:things'),
        parameters: [
          { name: 'group-id', in: 'path', required: true, schema: { type: 'string', maxLength: 3 } },
          query('page', { type: 'integer', default: 0 }),
          query('per_page', { type: 'integer', default: 25 }),
        ],
        responses: page({ things, total: { type: 'integer' } }),
      },
    },
  },
  components: {
    securitySchemes: {
      oauth: {
        type: 'oauth2',
        flows: {
          clientCredentials: { tokenUrl: '/oauth/token', scopes: { 'read:things': '', 'create:things': '' } },
        },
      },
    },
  },
};

let contract: Contract;
let fake: Fake;
const folder = mkdtempSync(join(tmpdir(), 'contract-'));
beforeAll(async () => {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  contract = await loadContract(file);
  fake = await startFake({ contract });
});
afterAll(async () => {
  await fake.close();
});

async function ask(path: string, init: RequestInit = {}, scopes?: readonly string[]) {
  const token = await fake.token(scopes ? { scopes } : {});
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(fake.url + path, { ...init, headers });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

test('answers match their schemas', async () => {
  for (const { method, path, success } of contract.operations) {
    const init = method === 'POST' ? { method, body: '{"id":"x"}' } : { method };
    const { status, body } = await ask(path.replace('{group-id}', 'a'), init);
    expect(String(status)).toBe(success[0]?.status);
    expect(success[0]?.content[0]?.validate(body)).toEqual([]);
  }
});

test('requests are judged by scope and schema', async () => {
  expect((await ask('/things', {}, ['create:things'])).status).toBe(403);
  expect((await ask('/things?take=21')).status).toBe(400);
  expect((await ask('/things?kind=c')).status).toBe(400);
  expect((await ask('/things', { method: 'POST', body: '{}' })).status).toBe(400);
  expect((await ask('/groups/long/things:all')).status).toBe(400);
  expect((await ask('/groups/a/things:none')).status).toBe(404);
});

test('both kinds of pages walk over the generated items once', async () => {
  const walked: string[] = [];
  for (let from = ''; ; ) {
    const { body } = await ask(`/things?take=7${from && `&from=${from}`}`);
    walked.push(...body.things.map(({ id }: { id: string }) => id));
    // If the document requires the field, it is empty on the last page.
    if (body.next === '') break;
    from = body.next;
  }
  const { body: first } = await ask('/groups/a/things:all?per_page=50');
  const { body: second } = await ask('/groups/a/things:all?per_page=50&page=1');
  expect(first.total).toBe(walked.length);
  expect(new Set(walked).size).toBe(walked.length);
  expect([...first.things, ...second.things]).toHaveLength(walked.length);
  const { body: filtered } = await ask('/things?kind=b&take=20');
  expect(filtered.things.every(({ kind }: { kind: string }) => kind === 'b')).toBe(true);
});
