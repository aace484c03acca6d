import { expect, test } from 'vitest';
import { loadContract } from '../contract/load.ts';
import { routerOf } from './routes.ts';

const contract = await loadContract();
const [operation] = contract.operations;
if (operation === undefined) throw new Error('the contract has no operation');
const get = (path: string) => ({ ...operation, id: path, method: 'GET' as const, path });
const placeOf = routerOf({
  ...contract,
  operations: [get('/a/{id}'), get('/a/{id}/b'), get('/a/fixed'), get('/a/{id}/{page}'), get('/a.b/{id}')],
});

test.each([
  ['/api/v2/a/1', '/a/{id}', { id: '1' }],
  ['/api/v2/a/fixed', '/a/fixed', {}],
  ['/api/v2/a/%2F%zz', '/a/{id}', { id: '%2F%zz' }],
  ['/api/v2/a/1/b', '/a/{id}/b', { id: '1' }],
  ['/api/v2/a/1/2', '/a/{id}/{page}', { id: '1', page: '2' }],
  ['/api/v2/a.b/1', '/a.b/{id}', { id: '1' }],
])('%s leads to %s', (path, id, texts) => {
  const place = placeOf('GET', path);
  expect([place?.operation.id, place?.texts]).toEqual([id, texts]);
});

test.each([
  '/api/v2/a',
  '/api/v2/a/',
  '/a/1',
  '/api/v2/a/1/',
  '/api/v2/%61/1',
  '/api/v2/axb/1',
  'http://h/api/v2/a/1',
])('%s leads nowhere', (path) => expect(placeOf('GET', path)).toBeUndefined());

test('another method leads nowhere', () => {
  expect(placeOf('HEAD', '/api/v2/a/1')).toBeUndefined();
});
