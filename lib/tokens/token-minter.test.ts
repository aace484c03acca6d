import { createHmac, generateKeyPairSync } from 'node:crypto';
import { compactVerify, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { describe, expect, test } from 'vitest';
import type { Scope } from '../contract/model.ts';
import { Clock } from './clock.ts';
import { decodeJwt, permittedScopes, signatures } from './jwt.ts';
import { createTokenMinter } from './token-minter.ts';

const scope = (verb: string, resource: string): Scope => ({ name: `${verb}:${resource}`, verb, resource });

async function pair(alg: string): Promise<{ signingKey: JWK; publicJwk: JWK }> {
  const made = await generateKeyPair(alg, { extractable: true });
  return {
    signingKey: { ...(await exportJWK(made.privateKey)), alg },
    publicJwk: await exportJWK(made.publicKey),
  };
}

const options = { audience: '/api/v2/', clock: new Clock() };
const compact = (value: string) => value.replace('Bearer ', '');

describe.each(['EdDSA', 'Ed25519', 'ES256', 'RS256', 'PS256'])('%s', (alg) => {
  test('signs tokens that the trusted key verifies, and tokens that it does not', async () => {
    const { signingKey, publicJwk } = await pair(alg);
    const trusted = await importJWK(publicJwk, alg);
    const minter = await createTokenMinter({ ...options, signingKey, issuer: 'https://issuer' });
    const claims = minter.claims([
      scope('read', 'actions'),
      scope('update', 'actions'),
      scope('read', 'users'),
    ]);
    expect(claims.scopes).toEqual({ actions: { actions: ['read', 'update'] }, users: { actions: ['read'] } });
    expect(claims).toMatchObject({ iss: 'https://issuer', aud: '/api/v2/' });
    const signed = await minter.sign(claims);
    const verified = await compactVerify(compact(signed.value), trusted);
    expect(JSON.parse(Buffer.from(verified.payload).toString())).toEqual(claims);
    expect(verified.protectedHeader).toEqual({ alg, typ: 'JWT', kid: signed.header?.kid });

    const untrusted = await minter.sign(claims, {}, 'untrusted-key');
    expect(untrusted.header).toEqual(signed.header);
    await expect(compactVerify(compact(untrusted.value), trusted)).rejects.toThrow('signature');
    const tampered = await minter.tampered(claims, { ...claims, sub: 'other' });
    await expect(compactVerify(compact(tampered.value), trusted)).rejects.toThrow('signature');
    expect(decodeJwt(compact(tampered.value))?.claims.sub).toBe('other');
    expect(await minter.sign(claims, { kid: undefined }, 'untrusted-key')).toMatchObject({
      header: { kid: undefined },
    });
  });
});

test('the key id is the given one, else the thumbprint of RFC 8037, appendix A.3', async () => {
  const signingKey = {
    kty: 'OKP',
    crv: 'Ed25519',
    d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  };
  const minter = await createTokenMinter({ ...options, signingKey });
  expect((await minter.sign({})).header?.kid).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  const named = await createTokenMinter({ ...options, signingKey: { ...signingKey, kid: 'mine' } });
  expect((await named.sign({})).header?.kid).toBe('mine');
  expect(decodeJwt(compact((await named.sign({}, { kid: undefined })).value))?.header).toEqual({
    alg: 'EdDSA',
    typ: 'JWT',
  });
});

test('additional claims and header parameters, as RFC 9068 requires', async () => {
  const { signingKey } = await pair('ES256');
  const minter = await createTokenMinter({
    ...options,
    signingKey,
    claims: { client_id: 'suite', sub: 'somebody', exp: 1 },
    tokenHeader: { typ: 'at+jwt' },
  });
  const { header, claims } = await minter.sign(minter.claims([]));
  expect(header).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
  expect(claims).toMatchObject({ client_id: 'suite', sub: 'somebody', aud: '/api/v2/', scopes: {} });
  expect(Number(claims?.exp)).toBeGreaterThan(Date.now() / 1000);
});

test('tokens stay the same for a while, and follow the clock', async () => {
  const { signingKey } = await pair('EdDSA');
  const clock = new Clock();
  const minter = await createTokenMinter({ ...options, clock, signingKey });
  const scopes = [scope('read', 'actions')];
  expect(await minter.sign(minter.claims(scopes))).toBe(await minter.sign(minter.claims(scopes)));
  const before = Number(minter.claims(scopes).exp);
  clock.offsetSeconds = 86_460;
  expect(Number(minter.claims(scopes).exp) - before).toBeGreaterThanOrEqual(86_400);
});

test('unsigned tokens, and HMACs with the public key in each form', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const { createPrivateKey } = await import('node:crypto');
  const minter = await createTokenMinter({
    ...options,
    signingKey: createPrivateKey(privateKey).export({ format: 'jwk' }),
  });
  expect((await minter.sign({ a: 1 }, {}, 'none')).value).toMatch(/^Bearer eyJ[\w-]+\.eyJ[\w-]+\.$/);
  expect((await minter.sign({}, { alg: 'None' }, 'none')).header).toMatchObject({ alg: 'None', typ: 'JWT' });
  const forms = await Promise.all(
    signatures.filter((each) => each.startsWith('hmac')).map((each) => minter.sign({ a: 1 }, {}, each)),
  );
  expect(new Set(forms.map(({ value }) => value)).size).toBe(10);
  const [head, payload, signature] = compact(forms[0]?.value ?? '').split('.');
  expect(createHmac('sha256', publicKey).update(`${head}.${payload}`).digest('base64url')).toBe(signature);
  expect(forms[0]?.header?.alg).toBe('HS256');
  const again = await minter.sign({ a: 1 }, { alg: 'HS512' }, 'hmac-pem');
  const [signed, signature512] = compact(again.value).split(/\.(?=[^.]*$)/);
  expect(again.header?.alg).toBe('HS512');
  expect(createHmac('sha512', publicKey).update(String(signed)).digest('base64url')).toBe(signature512);
});

test.each([
  [undefined],
  ['text'],
  [{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }],
  [{ kty: 'OKP', crv: 'X25519', x: 'AA', d: 'secret-value' }],
  [{ kty: 'OKP', crv: 'Ed25519', x: 'AA', d: 'secret-value' }],
  [{ kty: 'RSA', n: 'AA', d: 'secret-value' }],
  [{ kty: 'RSA', alg: 'RS512', n: 'AA', e: 'AQAB', d: 'secret-value' }],
])('an invalid key is refused: %j', async (signingKey) => {
  const made = createTokenMinter({ ...options, signingKey });
  await expect(made).rejects.toThrow(TypeError);
  await expect(made).rejects.not.toThrow('secret-value');
});

test('permitted scopes', () => {
  expect(permittedScopes({ scopes: { a: { actions: ['read', 'x'] }, b: {}, c: 1 } })).toEqual(
    new Set(['read:a', 'x:a']),
  );
  expect(permittedScopes({ scope: 'read:a  read:b' })).toEqual(new Set(['read:a', 'read:b']));
  expect(permittedScopes({ scopes: [] })).toBeUndefined();
});
