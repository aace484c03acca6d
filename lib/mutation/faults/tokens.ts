import { createHmac, createPublicKey } from 'node:crypto';
import { isObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import type { TrustedKey } from '../../fake/keys.ts';
import type { RulesOverride, SignedToken } from '../../fake/rules.ts';
import { deletion, everywhere, stateful, versions } from '../builders/on.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { after, around, compose, replace } from '../rule-overrides.ts';

/** Unsigned tokens are accepted with this `alg`. */
const unsigned = (name: string): RulesOverride =>
  compose(
    after('token.accepts', (usual, algorithm) => usual || algorithm === name),
    after('token.candidates', (keys, { alg }) => (alg === name ? [undefined] : keys)),
    around('token.verifiesSignature', async (usual, token, key, call) =>
      key === undefined ? true : usual(token, key, call),
    ),
  );

/** An HMAC is verified with a form of the public key as its secret. */
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

/** Verified tokens are cached under a part of their text. */
const cachedBy = (key: (token: string) => string): RulesOverride => replace('token.rememberedAs', key);

/** Deletion accepts for good a token that it accepted once. */
const acceptedForGood = stateful(() => {
  const seen = new Set<string>();
  return deletion.after('token.isExpired', (expired, _exp, call) => {
    const token = call.headers.authorization ?? '';
    if (!expired) seen.add(token);
    return expired && !seen.has(token);
  });
});

/** Such expired tokens are accepted; `exp` in seconds since the epoch. */
const outlives = (condition: (exp: number, call: Call) => boolean): RulesOverride =>
  after('token.isExpired', (usual, exp, call) => usual && !condition(Number(exp), call));

const hour = 3600;
const day = 24 * hour;
const seconds = ({ now }: Call): number => now / 1000;
const leeway = (allowed: number): RulesOverride => outlives((exp, call) => seconds(call) < exp + allowed);

/** Section 7: which signatures are valid, and when a token has expired. */
export const tokenFaults: readonly Fault[] = faultsOf({
  '7/alg-none': [
    fault('alg-none', 'alg none needs no signature.').by(unsigned('none')),
    fault('alg-none-mixed-case', 'nOnE needs no signature.').by(unsigned('nOnE')),
  ],
  '7/hmac-public-key': [
    fault('hmac-pem', 'HS256 is verified with the PEM of the public key.').by(hmac(pem)),
    fault('hmac-der', 'HS256 is verified with the DER of the public key.').by(hmac(der)),
    fault('hmac-512', 'HS512 is verified with the PEM of the public key.').by(hmac(pem, 512)),
  ],
  '7/stranger-key': [
    fault('signature-not-verified-on-versions', 'The listing of versions only decodes tokens.').by(
      versions.acceptsToken((token, key) => token.header.kid === key?.kid && isPlausible(token)),
    ),
    fault('cache-without-signature', 'Verified tokens are cached by their header and payload.').by(
      cachedBy((token) => token.split('.').slice(0, 2).join('.')),
    ),
  ],
  '7/unknown-kid': [
    fault('unknown-kid-unverified', 'A token with an unknown kid is not verified.').by(
      everywhere.acceptsToken(
        (token, key) => isPlain(token) && token.header.kid !== undefined && token.header.kid !== key?.kid,
      ),
    ),
    fault('missing-kid-unverified', 'A token without kid is not verified.').by(
      everywhere.acceptsToken((token) => isPlain(token) && token.header.kid === undefined),
    ),
  ],
  '7/embedded-key': fault('embedded-key-delete', 'Deletion trusts the key in a token.').by(
    deletion.acceptsToken(({ header }) => isObject(header.jwk)),
  ),
  '7/payload-changed': fault('cache-by-signature', 'It is a cache key.').by(
    cachedBy((token) => token.split('.')[2] ?? ''),
  ),
  '7/signature-missing': [
    fault('empty-signature', 'A token with an empty signature is not verified.').by(
      everywhere.acceptsToken((token) => signatureOf(token) === '' && token.algorithm !== 'none'),
    ),
    fault('short-signature', 'A signature that is too short is not verified.').by(
      everywhere.acceptsToken((token) => signatureOf(token) !== '' && !isWhole(token)),
    ),
    fault('zero-signature', 'A signature of zeros is valid for everything, as in CVE-2022-21449.').by(
      everywhere.acceptsToken((token) => isWhole(token) && isZero(token)),
    ),
  ],
  '7/expired-minutes': fault('leeway-half-an-hour', 'Tokens are accepted half an hour too long.').by(
    leeway(hour / 2),
  ),
  '7/expired-hour': [
    fault('leeway-two-hours', 'exp is read as local time, two hours off.').by(leeway(2 * hour)),
    fault('expired-fraction', 'A token whose exp has a fraction never expires.').by(
      after('token.isExpired', (expired, exp) => expired && Number.isInteger(exp)),
    ),
    fault('expiry-by-issue', 'Tokens live two hours from their issue.').by(
      after(
        'token.isExpired',
        (usual, _exp, call, { iat }) => usual && Number(iat) + 2 * hour < seconds(call),
      ),
    ),
    fault('expired-403', 'An expired token is 403.').by(everywhere.refusalStatus(403, /^expired_token$/)),
  ],
  '7/expired-year': fault(
    'expired-long-ago',
    'Expired tokens are forgotten, and accepted again, after 90 days.',
  ).by(outlives((exp, call) => seconds(call) - exp > 90 * day)),
  '7/expires-with-time': [
    fault('token-cached-on-delete', 'Deletion accepts a known token.').by(acceptedForGood),
    fault('expiry-by-another-clock', 'Expiry follows a clock that does not move with the service.').by(
      outlives((exp, call) => exp > seconds(call) - call.clockOffset),
    ),
  ],
});
