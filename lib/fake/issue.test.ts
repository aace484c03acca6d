import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isObject } from '../contract/json.ts';
import { type Fake, startFake } from './index.ts';

let fake: Fake;
const client = {
  client_id: 'one',
  client_secret: 's:e+c%r é',
  scopes: ['read:experimentation', 'read:users'],
};
const good = { ...client, scopes: undefined, grant_type: 'client_credentials', audience: '/api/v2/' };
beforeAll(async () => {
  fake = await startFake({ clients: [client] });
});
afterAll(() => fake.close());

type Fields = Readonly<Record<string, string | undefined>>;

async function ask(fields: Fields, path = '/oauth/token/', as: 'form' | 'json' = 'form', headers = {}) {
  const given = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const answer = await fetch(`${fake.origin}${path}`, {
    method: 'POST',
    headers: { ...headers, ...(as === 'json' && { 'content-type': 'application/json' }) },
    body: as === 'json' ? JSON.stringify(Object.fromEntries(given)) : new URLSearchParams(given),
  });
  const value: unknown = await answer.json();
  const body = isObject(value) ? value : {};
  return { status: answer.status, body, token: String(body.access_token) };
}

describe('a token is issued', () => {
  test.each([
    ['/oauth/token/', 'form'],
    ['/oauth/token', 'form'],
    ['/oauth/token/', 'json'],
    ['/oauth/token', 'json'],
  ] as const)('at %s for %s', async (path, as) => {
    const { status, body, token } = await ask(good, path, as);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 86_400,
      scope: 'read:experimentation read:users',
    });
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${fake.url}/experimentation/experiments`, { headers })).status).toBe(200);
  });

  test('for the absolute audience', async () => {
    expect((await ask({ ...good, audience: `${fake.origin}/api/v2/` })).status).toBe(200);
  });

  test('with Basic credentials, and for fewer scopes', async () => {
    const pair = `${client.client_id}:${encodeURIComponent(client.client_secret)}`;
    const { client_id, client_secret, ...rest } = good;
    const headers = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    const { token } = await ask({ ...rest, scope: 'read:users' }, '/oauth/token/', 'form', headers);
    expect(decodeJwt(token).scopes).toEqual({ users: { actions: ['read'] } });
  });
});

test.each<[Fields, number, string]>([
  [{ client_secret: 'wrong' }, 401, 'invalid_client'],
  [{ client_id: 'unknown' }, 401, 'invalid_client'],
  [{ client_id: undefined }, 400, 'invalid_request'],
  [{ client_secret: undefined }, 400, 'invalid_request'],
  [{ grant_type: undefined }, 400, 'invalid_request'],
  [{ audience: undefined }, 400, 'invalid_request'],
  [{ audience: 'https://elsewhere.example/' }, 400, 'invalid_target'],
  [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
  [{ scope: 'delete:users' }, 400, 'invalid_scope'],
])('%j: %i %s, and no token', async (change, expected, error) => {
  const { status, body } = await ask({ ...good, ...change });
  expect(status).toBe(expected);
  expect(body).toMatchObject({ error });
  expect(body).not.toHaveProperty('access_token');
});

test('the JWKS shows the public key only', async () => {
  const answer = await fetch(`${fake.origin}/.well-known/jwks.json`);
  expect(await answer.json()).toEqual(fake.jwks);
  expect(JSON.stringify(fake.jwks)).not.toContain('"d"');
});
