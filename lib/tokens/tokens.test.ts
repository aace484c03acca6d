import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Driver } from '../client/driver.ts';
import type { Scope } from '../contract/model.ts';
import { Clock } from './clock.ts';
import type { TokensOptions } from './token-source.ts';
import { createTokens } from './tokens.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of open.splice(0).reverse()) await close();
});

const scope = (name: string): Scope => ({
  name,
  verb: name.split(':')[0] ?? '',
  resource: name.split(':')[1] ?? '',
});
const now = () => Math.floor(Date.now() / 1000);

function jwt(claims: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'EdDSA' })}.${part(claims)}.${'s'.repeat(40)}`;
}

function make(options: Partial<TokensOptions>, clock = new Clock()) {
  const driver = new Driver({ baseUrl: 'http://127.0.0.1:1', timeout: 2000 });
  open.push(() => driver.close());
  return createTokens({ driver, clock, audience: '/api/v2/', ...options });
}

/** A token endpoint. `answer` gets the form and returns the response. */
async function endpoint(
  answer: (form: URLSearchParams, number: number) => { status?: number; body: unknown },
) {
  const forms: URLSearchParams[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      forms.push(new URLSearchParams(text));
      const { status = 200, body } = answer(new URLSearchParams(text), forms.length);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const client = {
    tokenUrl: `http://127.0.0.1:${port}/oauth/token/`,
    client_id: 'me',
    client_secret: 's3cr3t-s3cr3t',
    audience: '/api/v2/',
  };
  return { client, forms };
}

describe('--token', () => {
  test('permits what its claims say', async () => {
    const token = jwt({ exp: now() + 60, scopes: { actions: { actions: ['read'] } } });
    const tokens = await make({ token });
    expect((await tokens.permitting([scope('read:actions')]))?.value).toBe(`Bearer ${token}`);
    expect((await tokens.permitting([]))?.claims).toMatchObject({ scopes: {} });
    expect(await tokens.permitting([scope('read:users')])).toBeUndefined();
    expect(await tokens.permitting([scope('read:actions'), scope('read:users')])).toBeUndefined();
    expect(tokens.minter).toBeUndefined();
  });

  test('an opaque token permits anything, an expired one nothing', async () => {
    expect(await (await make({ token: 'opaque' })).permitting([scope('read:users')])).toEqual({
      value: 'Bearer opaque',
    });
    const clock = new Clock();
    const tokens = await make({ token: jwt({ exp: now() + 60 }) }, clock);
    expect(await tokens.permitting([scope('read:users')])).toBeDefined();
    clock.offsetSeconds = 3600;
    expect(await tokens.permitting([scope('read:users')])).toBeUndefined();
  });
});

describe('client credentials', () => {
  test('are sent as in RFC 6749; the token is cached', async () => {
    const token = jwt({ exp: now() + 3600, scopes: { actions: { actions: ['read'] } } });
    const { client, forms } = await endpoint(() => ({ body: { access_token: token, token_type: 'Bearer' } }));
    const tokens = await make({ clients: [client] });
    const all = await Promise.all(
      Array.from({ length: 5 }, () => tokens.permitting([scope('read:actions')])),
    );
    expect(new Set(all.map((each) => each?.value))).toEqual(new Set([`Bearer ${token}`]));
    expect(await tokens.permitting([scope('read:users')])).toBeUndefined();
    expect(forms).toHaveLength(1);
    expect(Object.fromEntries(forms[0] ?? [])).toEqual({
      grant_type: 'client_credentials',
      client_id: 'me',
      client_secret: 's3cr3t-s3cr3t',
      audience: '/api/v2/',
    });
    tokens.invalidate();
    await tokens.permitting([]);
    expect(forms).toHaveLength(2);
  });

  test('get a new token before it expires, and when the clock is moved', async () => {
    const { client, forms } = await endpoint((_, number) => ({
      body: { access_token: `opaque-${number}`, expires_in: number === 1 ? 31 : 3600, scope: 'read:actions' },
    }));
    const clock = new Clock();
    const tokens = await make({ clients: [client] }, clock);
    await tokens.permitting([]);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect((await tokens.permitting([scope('read:actions')]))?.value).toBe('Bearer opaque-2');
    expect(await tokens.permitting([scope('read:users')])).toBeUndefined();
    clock.offsetSeconds = 86_460;
    expect((await tokens.permitting([]))?.value).toBe('Bearer opaque-3');
    expect(forms).toHaveLength(3);
  });

  test('of several clients, the one with the fewest sufficient scopes is used', async () => {
    const { client, forms } = await endpoint((form) => ({
      body: { access_token: `token-of-${form.get('client_id')}` },
    }));
    const tokens = await make({
      clients: [
        { ...client, client_id: 'all', scopes: ['read:actions', 'read:users'] },
        { ...client, client_id: 'one', scopes: ['read:actions'] },
      ],
    });
    expect((await tokens.permitting([scope('read:actions')]))?.value).toBe('Bearer token-of-one');
    expect((await tokens.permitting([scope('read:users')]))?.value).toBe('Bearer token-of-all');
    expect(await tokens.permitting([scope('read:logs')])).toBeUndefined();
    expect(forms).toHaveLength(2);
  });

  test('refusals are reported in one line without the secret', async () => {
    const { client } = await endpoint(() => ({
      status: 401,
      body: { error: 'invalid_client s3cr3t-s3cr3t' },
    }));
    const tokens = await make({ clients: [client] });
    await expect(tokens.permitting([])).rejects.toThrow(
      `token endpoint ${client.tokenUrl} answered 401: invalid_client $CLIENT_SECRET, for client me`,
    );
    const none = await make({ clients: [{ ...client, tokenUrl: 'http://127.0.0.1:1/' }] });
    await expect(none.permitting([])).rejects.toThrow('ECONNREFUSED');
  });
});

test.each(['line\nbreak', 'blank in it', 'lone \ud800 surrogate', ''])(
  'a token that no header field can contain is refused: %j',
  async (token) => {
    const { client } = await endpoint(() => ({ body: { access_token: token } }));
    const tokens = await make({ clients: [{ ...client, client_id: 'id-\ud800' }] });
    await expect(tokens.permitting([])).rejects.toThrow('issued a token with characters that');
  },
);

test('a token whose scopes are nested 5,000 deep is not decoded', async () => {
  const nested = `{"scopes":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`;
  const token = `e30.${Buffer.from(nested).toString('base64url')}.x`;
  expect(await (await make({ token })).permitting([])).toEqual({ value: `Bearer ${token}` });
});

test('each source declares its capabilities', async () => {
  expect([...(await make({})).capabilities]).toEqual([]);
  expect([...(await make({ token: 'opaque' })).capabilities]).toEqual(['token']);
  const client = { tokenUrl: 'http://127.0.0.1:1/', client_id: 'me', client_secret: 's', audience: '' };
  const token = jwt({ exp: now() + 60, scopes: {} });
  expect([...(await make({ token })).capabilities]).toEqual(['token', 'known_scopes']);
  expect([...(await make({ clients: [client] })).capabilities]).toEqual(['token', 'client', 'known_scopes']);
  expect((await make({ tokenCommand: 'false' })).capabilities).toEqual(
    new Set(['token', 'scopes', 'known_scopes']),
  );
});

describe('--token-command', () => {
  test('gets the scopes and prints the token, once for the same scopes', async () => {
    const tokens = await make({ tokenCommand: 'printf "  "; tr -d " \\n"; echo' });
    const [one, other] = await Promise.all([
      tokens.permitting([scope('update:guardian_factors')]),
      tokens.permitting([scope('update:guardian_factors')]),
    ]);
    expect(one?.value).toBe(
      'Bearer {"scopes":{"guardian_factors":{"actions":["update"]}},"expires_in":3600}',
    );
    expect(other).toBe(one);
  });

  test.each([
    ['exit 3', /^the token command exited with 3$/],
    ['echo "hunter2pass is wrong" >&2; exit 1', /^the token command exited with 1$/],
    ['head -c 70000 /dev/zero | tr "\\0" a', /^the token command printed more than 65536 characters$/],
    ['yes | cat', /^the token command printed more than 65536 characters$/],
    ['true', 'the token command printed no token'],
    ['echo two words', 'the token command printed no token'],
    ['kill -9 $$', 'the token command was ended by SIGKILL'],
  ])('%s', async (tokenCommand, message) => {
    await expect((await make({ tokenCommand })).permitting([])).rejects.toThrow(message);
  });
});
