import { createHmac, createPublicKey } from 'node:crypto';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import type { TrustedKey } from '../../fake/keys.ts';
import type { RulesOverride, SignedToken } from '../../fake/rules.ts';
import { compose } from '../builders/builder.ts';
import { after, around, deletion, everywhere, remembering, replace, versions } from '../builders/on.ts';
import { type Fault, faultsOf } from '../fault.ts';

/** Accepts tokens with this `alg`, whatever their signature, if their header meets the condition. */
const unsigned = (name: string, condition: (header: JsonObject) => boolean = () => true): RulesOverride =>
  compose(
    after('token.accepts', (usual, algorithm) => usual || algorithm === name),
    everywhere.acceptsToken(({ algorithm, header }) => algorithm === name && condition(header)),
  );

/** Verifies an HMAC with an encoding of the public key as the secret. */
const hmac = (secret: (key: TrustedKey) => string | Buffer, bits = 256): RulesOverride =>
  compose(
    after('token.accepts', (usual, algorithm) => usual || algorithm === `HS${bits}`),
    around('token.verifiesSignature', async (usual, token, key, call) => {
      if (token.algorithm !== `HS${bits}`) return usual(token, key, call);
      if (key === undefined) return false;
      const [header, payload, signature] = token.text.split('.');
      return (
        signature === createHmac(`sha${bits}`, secret(key)).update(`${header}.${payload}`).digest('base64url')
      );
    }),
  );

const publicKey = ({ jwk }: TrustedKey) => createPublicKey({ key: { ...jwk }, format: 'jwk' });
const pem = (key: TrustedKey): string => publicKey(key).export({ type: 'spki', format: 'pem' }).toString();
const der = (key: TrustedKey): Buffer => publicKey(key).export({ type: 'spki', format: 'der' });

const signatureOf = ({ text }: SignedToken): string => text.split('.')[2] ?? '';
const signatureBytes = (token: SignedToken): Buffer => Buffer.from(signatureOf(token), 'base64url');
const isWhole = (token: SignedToken): boolean => signatureBytes(token).length >= 64;
const isZero = (token: SignedToken): boolean => signatureBytes(token).every((byte) => byte === 0);
const isPlausible = (token: SignedToken): boolean => isWhole(token) && !isZero(token);
const isPlain = ({ header }: SignedToken): boolean => header.jwk === undefined;

/** Caches verified tokens by only a part of their text. */
const cachedBy = (key: (token: string) => string): RulesOverride => replace('token.rememberedAs', key);

/** Deletion accepts a token forever once it has accepted it. */
const acceptedForGood = remembering((seen) =>
  deletion.after('token.isExpired', (expired, _exp, { headers }) => {
    if (!expired) seen.add(headers.authorization);
    return expired && !seen.has(headers.authorization);
  }),
);

/** Accepts expired tokens that meet the condition; `exp` in seconds since the epoch. */
const outlives = (condition: (exp: number, call: Call) => boolean): RulesOverride =>
  after('token.isExpired', (usual, exp, call) => usual && !condition(Number(exp), call));

const hour = 3600;
const day = 24 * hour;
const seconds = ({ now }: Call): number => now / 1000;
const leeway = (allowed: number): RulesOverride => outlives((exp, call) => seconds(call) < exp + allowed);

/** Section 7: which signatures are valid, and when a token has expired. */
export const tokenFaults: readonly Fault[] = faultsOf({
  '7/alg-none': {
    'alg-none': unsigned('none'),
    'alg-none-mixed-case': unsigned('nOnE'),
    'alg-none-with-kid': unsigned('none', ({ kid }) => kid !== undefined),
  },
  '7/hmac-public-key': {
    'hmac-pem': hmac(pem),
    'hmac-der': hmac(der),
    'hmac-512': hmac(pem, 512),
    // The content of the file, which is empty, is the secret.
    'hmac-with-the-file-of-the-kid': unsigned('HS256', ({ kid }) => kid === '../../dev/null'),
    'hmac-kid': hmac(({ jwk }) => String(jwk.kid)),
  },
  '7/untrusted-key': {
    'signature-not-verified-on-versions': versions.acceptsToken(
      (token, key) => token.header.kid === key?.kid && isPlausible(token),
    ),
    'cache-without-signature': cachedBy((token) => token.split('.').slice(0, 2).join('.')),
  },
  '7/unknown-kid': {
    'unknown-kid-unverified': everywhere.acceptsToken(
      (token, key) => isPlain(token) && token.header.kid !== undefined && token.header.kid !== key?.kid,
    ),
    'missing-kid-unverified': everywhere.acceptsToken(
      (token) => isPlain(token) && token.header.kid === undefined,
    ),
  },
  '7/embedded-key': {
    'embedded-key-delete': deletion.acceptsToken(({ header }) => isObject(header.jwk)),
    'key-at-url': everywhere.acceptsToken(({ header }) => header.jku !== undefined),
  },
  '7/payload-changed': { 'cache-by-signature': cachedBy((token) => token.split('.')[2] ?? '') },
  '7/signature-missing': {
    'empty-signature': everywhere.acceptsToken(
      (token) => signatureOf(token) === '' && token.algorithm !== 'none',
    ),
    'short-signature': everywhere.acceptsToken((token) => signatureOf(token) !== '' && !isWhole(token)),
    'zero-signature': everywhere.acceptsToken((token) => isWhole(token) && isZero(token)),
  },
  '7/expired-minutes': { 'leeway-half-an-hour': leeway(hour / 2) },
  '7/expired-hour': {
    'leeway-two-hours': leeway(2 * hour),
    'expiry-of-31-bits': after(
      'token.isExpired',
      (usual, exp, call) => usual && ((call.now - Number(exp) * 1000) | 0) >= 0,
    ),
    'expired-fraction': after('token.isExpired', (expired, exp) => expired && Number.isInteger(exp)),
    'expiry-by-issue': after(
      'token.isExpired',
      (usual, _exp, call, { iat }) => usual && Number(iat) + 2 * hour < seconds(call),
    ),
    'expired-403': everywhere.refusalStatus(403, /^expired_token$/),
  },
  '7/expired-year': {
    'expired-long-ago': outlives((exp, call) => seconds(call) - exp > 90 * day),
    'expiry-of-zero-is-none': outlives((exp) => exp === 0),
  },
  '7/expires-with-time': {
    'token-cached-on-delete': acceptedForGood,
    'expiry-by-another-clock': outlives((exp, call) => exp > seconds(call) - call.clockOffset),
  },
});
