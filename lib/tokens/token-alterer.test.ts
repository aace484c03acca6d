import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { Clock } from './clock.ts';
import { parseToken } from './issued-token.ts';
import { generateKey } from './signing-key.ts';
import { createTokenAlterer } from './token-alterer.ts';
import { createTokenMinter } from './token-minter.ts';

const clock = new Clock();
const alterable = createTokenAlterer(clock);

/** A token as a server issues it, and what can be made of it. */
async function issued(alg: string) {
  const signingKey = { ...(await generateKey(alg)), kid: 'k1' };
  const minter = await createTokenMinter({
    signingKey,
    audience: 'a',
    clock,
    tokenHeader: { typ: 'at+jwt' },
  });
  const { value } = await minter.sign(minter.claims([]));
  const token = value.replace('Bearer ', '');
  return { token, alterable: alterable(parseToken(token, 0).authorization) };
}

test.each(['ES256', 'EdDSA', 'RS256', 'PS256'])('%s: another signature, the same claims', async (alg) => {
  const { token, alterable } = await issued(alg);
  const altered = await alterable?.altered('untrusted-key');
  const text = altered?.value.replace('Bearer ', '') ?? '';
  expect(decodeProtectedHeader(text)).toEqual({ alg, kid: 'k1', typ: 'at+jwt' });
  expect(decodeJwt(text)).toEqual(decodeJwt(token));
  expect(text.split('.')[2]).not.toBe(token.split('.')[2]);
  expect(altered).toMatchObject({ signature: 'untrusted-key', claims: decodeJwt(token) });
});

test('the header changes, the signature is removed, the payload is not the signed one', async () => {
  const { token, alterable } = await issued('ES256');
  const [header, payload, signature] = token.split('.');
  const altered = async (...how: Parameters<NonNullable<typeof alterable>['altered']>) =>
    (await alterable?.altered(...how))?.value.replace('Bearer ', '') ?? '';
  expect(decodeProtectedHeader(await altered('none', { kid: undefined }))).toEqual({
    alg: 'none',
    typ: 'at+jwt',
  });
  expect(await altered('none')).toMatch(/\.$/);
  expect(await altered('missing')).toBe(`${header}.${payload}.`);
  expect(await altered('further-part')).toBe(`${token}.AAAA`);
  const changed = await altered('changed-payload');
  expect(changed).toMatch(new RegExp(`^${header}\\..*\\.${signature}$`));
  expect(decodeJwt(changed)).toEqual({ ...decodeJwt(token), sub: 'someone-else' });
});

test('an opaque token cannot be altered', () => {
  expect(alterable({ value: 'Bearer opaque' })).toBeUndefined();
});
