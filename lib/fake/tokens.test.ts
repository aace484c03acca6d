import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  SignJWT,
} from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadContract } from '../contract/load.ts';
import { type Fake, override, startFake } from './index.ts';

interface Pair {
  readonly alg: string;
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly privateKey: CryptoKey;
}

async function pair(alg: string): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { alg, kid, publicJwk: { ...jwk, kid }, privateKey };
}

const algorithms = ['EdDSA', 'ES256', 'RS256', 'PS256'];
let pairs: Pair[];
let untrusted: Pair;
let fake: Fake;

beforeAll(async () => {
  pairs = await Promise.all(algorithms.map(pair));
  untrusted = await pair('ES256');
  fake = await startFake({ trustedKeys: { keys: pairs.map(({ publicJwk }) => publicJwk) } });
});
afterAll(() => fake.close());

const now = () => Math.floor(Date.now() / 1000);
const permitted = () => ({
  iss: `${fake.origin}/`,
  aud: '/api/v2/',
  exp: now() + 60,
  scopes: { experimentation: { actions: ['read'] } },
});

function sign({ alg, kid, privateKey }: Pair, claims: object, header = {}): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
}

async function statusWith(authorization: string | undefined): Promise<number> {
  const headers = authorization === undefined ? {} : { authorization };
  const answer = await fetch(`${fake.url}/experimentation/experiments?take=1`, { headers });
  await answer.arrayBuffer();
  return answer.status;
}

const own = (claims: object): Promise<string> => fake.token({ claims: { ...permitted(), ...claims } });

describe('signatures', () => {
  test.each(algorithms)('%s by a trusted key is accepted, twice', async (algorithm) => {
    const signer = pairs.find(({ alg }) => alg === algorithm);
    const token = await sign(signer ?? untrusted, permitted());
    expect(await statusWith(`Bearer ${token}`)).toBe(200);
    expect(await statusWith(`Bearer ${token}`)).toBe(200);
  });

  test('an untrusted key is refused, with its own kid and with a trusted one', async () => {
    const trusted = pairs.find(({ alg }) => alg === untrusted.alg);
    expect(await statusWith(`Bearer ${await sign(untrusted, permitted())}`)).toBe(401);
    expect(await statusWith(`Bearer ${await sign(untrusted, permitted(), { kid: trusted?.kid })}`)).toBe(401);
  });

  test('none, a shared secret, a changed payload and garbage are refused', async () => {
    const encode = (value: object | string) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [header, payload, signature] = (await own({})).split('.');
    const secret = new TextEncoder().encode(JSON.stringify(fake.jwks.keys[0]));
    const symmetric = await new SignJWT(permitted())
      .setProtectedHeader({ alg: 'HS256', kid: fake.jwks.keys[0]?.kid ?? '' })
      .sign(secret);
    const refused = [
      `${encode({ alg: 'none' })}.${encode(permitted())}.`,
      `${encode({ alg: 'none', kid: fake.jwks.keys[0]?.kid })}.${payload}.`,
      symmetric,
      `${header}.${encode({ ...permitted(), scopes: {} })}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      'garbage',
      'a.b.c',
      `${encode('text')}.${payload}.${signature}`,
    ];
    for (const token of refused) expect([token, await statusWith(`Bearer ${token}`)]).toEqual([token, 401]);
  });

  test('the private key that a fake shows signs tokens that it accepts', async () => {
    const key = await importJWK(fake.signingKey, 'EdDSA');
    const header = { alg: 'EdDSA', kid: fake.signingKey.kid ?? '' };
    const token = await new SignJWT(permitted()).setProtectedHeader(header).sign(key);
    expect(await statusWith(`bearer ${token}`)).toBe(200);
  });
});

describe('the header', () => {
  test('missing, another scheme, or no token at all is 401', async () => {
    const token = await own({});
    for (const value of [
      undefined,
      token,
      `Basic ${token}`,
      'Bearer',
      `Bearer a ${token}`,
      `Token ${token}`,
    ]) {
      expect(await statusWith(value)).toBe(401);
    }
    for (const value of [`BEARER ${token}`, `Bearer  ${token}`]) expect(await statusWith(value)).toBe(200);
  });

  test('a token with every scope fits', async () => {
    const { scopes } = await loadContract();
    const token = await fake.token({ scopes: scopes.map(({ name }) => name) });
    expect(token.length).toBeGreaterThan(7_000);
    expect(await statusWith(`Bearer ${token}`)).toBe(200);
  });
});

test.each([
  [-1, 401],
  [-300, 401],
  [undefined, 401],
  ['soon', 401],
  [2, 200],
  [10 ** 10, 200],
])('exp %s from now: %i', async (offset, expected) => {
  const exp = typeof offset === 'number' ? now() + offset : offset;
  expect(await statusWith(`Bearer ${await own({ exp })}`)).toBe(expected);
});

test('a remembered token expires by the clock of the fake', async () => {
  const token = await own({});
  expect(await statusWith(`Bearer ${token}`)).toBe(200);
  fake.clock.move(3600);
  expect(await statusWith(`Bearer ${token}`)).toBe(401);
  fake.clock.move(0);
  expect(await statusWith(`Bearer ${token}`)).toBe(200);
});

test('a token is verified once, one that is refused each time; a move of the clock verifies anew', async () => {
  const verifications: string[] = [];
  await using counting = await startFake({
    rules: (rules) =>
      override(rules, 'token', ({ verifiesSignature: usual }) => ({
        verifiesSignature(token, key, call) {
          verifications.push(token.text);
          return usual(token, key, call);
        },
      })),
  });
  const valid = await counting.token();
  const changed = `${valid.slice(0, -8)}AAAAAAAA`;
  const statuses: number[] = [];
  for (const token of [valid, changed, valid, changed, valid]) {
    const headers = { authorization: `Bearer ${token}` };
    statuses.push((await counting.fetch('/api/v2/experimentation/experiments', { headers })).status);
  }
  expect(statuses).toEqual([200, 401, 200, 401, 200]);
  expect(verifications.filter((each) => each === valid)).toHaveLength(1);
  expect(verifications.filter((each) => each === changed)).toHaveLength(2);
});

describe('claims besides the scopes', () => {
  test.each([
    ['the contract audience', {}, 200],
    ['an audience of this host', () => ({ aud: [`${fake.url}/`, 'https://userinfo'] }), 200],
    ['another audience', { aud: 'https://other.example/api/v2/' }, 401],
    ['no audience', { aud: undefined }, 401],
    ['another issuer', { iss: 'https://other.example/' }, 401],
    ['no issuer', { iss: undefined }, 401],
    ['nbf half a minute ahead', () => ({ nbf: now() + 30 }), 200],
    ['nbf two minutes ahead', () => ({ nbf: now() + 120 }), 401],
    ['iat two minutes ahead', () => ({ iat: now() + 120 }), 401],
  ])('%s: %o is answered with %i', async (_name, claims, status) => {
    const token = await own(typeof claims === 'function' ? claims() : claims);
    expect(await statusWith(`Bearer ${token}`)).toBe(status);
  });

  test.each([
    { b64: false, crit: ['b64'] },
    { b64: true, crit: ['b64'] },
    { crit: ['exp'], exp: 1 },
  ])('the header %o is refused', async (header) => {
    const key = await importJWK(fake.signingKey, 'EdDSA');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [, payload = ''] = (await own({})).split('.');
    const head = encode({ alg: 'EdDSA', kid: fake.signingKey.kid, ...header });
    if (key instanceof Uint8Array) throw new Error('no key pair');
    const signature = await crypto.subtle.sign('Ed25519', key, Buffer.from(`${head}.${payload}`));
    const token = `${head}.${payload}.${Buffer.from(signature).toString('base64url')}`;
    expect(await statusWith(`Bearer ${token}`)).toBe(401);
  });

  test('base64url that is not canonical is refused', async () => {
    const token = await own({});
    // A signature of 64 bytes leaves four unused bits in the last character.
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.indexOf(
      token.at(-1) ?? '',
    );
    const same =
      token.slice(0, -1) + 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'[last + 1];
    expect(Buffer.from(same.split('.')[2] ?? '', 'base64url')).toEqual(
      Buffer.from(token.split('.')[2] ?? '', 'base64url'),
    );
    expect(await statusWith(`Bearer ${same}`)).toBe(401);
  });

  test('a further audience is accepted if an option names it', async () => {
    await using other = await startFake({ audience: 'https://api.mine/' });
    const headers = {
      authorization: `Bearer ${await other.token({ claims: { aud: 'https://api.mine/' } })}`,
    };
    expect((await other.fetch('/api/v2/experimentation/experiments', { headers })).status).toBe(200);
  });

  test('each token differs', async () => {
    expect(await fake.token()).not.toBe(await fake.token());
  });
});

test.each([
  [{}],
  [undefined],
  [null],
  ['read:experimentation'],
  [['read:experimentation']],
  [{ experimentation: {} }],
  [{ experimentation: ['read'] }],
  [{ experimentation: { actions: 'read' } }],
  [{ experimentation: { actions: [] } }],
  [{ experimentation: { actions: ['update', 'Read'] } }],
  [{ Experimentation: { actions: ['read'] } }],
])('scopes %j: 403', async (scopes) => {
  expect(await statusWith(`Bearer ${await own({ scopes, scope: 'read:experimentation' })}`)).toBe(403);
});
