import { createHmac, createPublicKey } from 'node:crypto';
import { compactVerify, importJWK } from 'jose';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import type { TrustedKey } from '../../fake/keys.ts';
import type { RulesOverride, SignedToken } from '../../fake/rules.ts';
import type { Builder } from '../builders/builder.ts';
import type { TokenBuilder } from '../builders/credentials.ts';
import { deletion, everywhere, on, versions } from '../builders/on.ts';
import { isGet } from '../builders/predicates.ts';
import { type Fault, fault, faultsOf } from '../fault.ts';
import { compose, replace } from '../rule-overrides.ts';

const reads = on(isGet);

/** Unsigned tokens are accepted where `alg` is such a name. */
const unsigned = (named: (algorithm: string) => boolean, where: Builder = everywhere): RulesOverride =>
  compose(
    where.after('token.accepts', (usual, algorithm) => usual || named(algorithm)),
    where.after('token.needsNoKey', (_usual, { alg }) => typeof alg === 'string' && named(alg)),
    where.around('token.signatureHolds', async (usual, token, key, call) =>
      key === undefined ? true : usual(token, key, call),
    ),
  );

const isNone = (algorithm: string): boolean => algorithm.toLowerCase() === 'none';

/** HS256 is verified with a form of the public key as its secret. */
const hmac = (secret: (key: TrustedKey) => string | Buffer, where: Builder = everywhere): RulesOverride =>
  compose(
    where.after('token.accepts', (usual, algorithm) => usual || algorithm === 'HS256'),
    where.around('token.signatureHolds', async (usual, token, key, call) => {
      if (token.algorithm !== 'HS256') return usual(token, key, call);
      if (key === undefined) return false;
      const [header, payload, signature] = token.text.split('.');
      return (
        signature === createHmac('sha256', secret(key)).update(`${header}.${payload}`).digest('base64url')
      );
    }),
  );

const publicKey = ({ jwk }: TrustedKey) => createPublicKey({ key: { ...jwk }, format: 'jwk' });
const pem = (key: TrustedKey): string => publicKey(key).export({ type: 'spki', format: 'pem' }).toString();
const der = (key: TrustedKey): Buffer => publicKey(key).export({ type: 'spki', format: 'der' });

/** The key in a token's JOSE header is trusted. */
const embedded = (trusts: (header: JsonObject) => boolean, where: Builder = everywhere): RulesOverride =>
  compose(
    where.around('token.candidates', (usual, header, keys, call) =>
      isObject(header.jwk) && trusts(header) ? keys : usual(header, keys, call),
    ),
    where.around('token.signatureHolds', async (usual, token, key, call) => {
      const { text, header, algorithm } = token;
      if (!isObject(header.jwk) || !trusts(header)) return usual(token, key, call);
      const verified = compactVerify(text, await importJWK({ ...header.jwk }, algorithm));
      return verified.then(
        () => true,
        () => false,
      );
    }),
  );

const signatureOf = ({ text }: SignedToken): string => text.split('.')[2] ?? '';
const signatureBytes = (token: SignedToken): Buffer => Buffer.from(signatureOf(token), 'base64url');
const isWhole = (token: SignedToken): boolean => signatureBytes(token).length >= 64;
const isZero = (token: SignedToken): boolean => signatureBytes(token).every((byte) => byte === 0);
const isPlausible = (token: SignedToken): boolean => isWhole(token) && !isZero(token);
const hasKnownKey = ({ header }: SignedToken, keys: readonly TrustedKey[]): boolean =>
  keys.some(({ kid }) => kid === header.kid);
const isPlain = ({ header }: SignedToken): boolean => header.jwk === undefined;

/** Verified tokens are cached under a part of their text. */
const cachedBy = (key: (token: string) => string): RulesOverride => replace('token.rememberedAs', key);

/** Tokens stay accepted as long as the condition holds of when they were first seen. */
const cachedWhile =
  (holds: (seenAt: number, call: Call) => boolean, where: Builder = everywhere): RulesOverride =>
  (rules) => {
    const seen = new Map<string, number>();
    return where.after('token.isExpired', (expired, _exp, call) => {
      const key = call.headers.authorization ?? '';
      const seenAt = seen.get(key);
      if (seenAt !== undefined && holds(seenAt, call)) return false;
      if (!expired) seen.set(key, call.now);
      return expired;
    })(rules);
  };

/** Such tokens are accepted whoever signed them. */
const unverified = (condition: Parameters<TokenBuilder['isUnverified']>[0]): RulesOverride =>
  everywhere.token.isUnverified(condition);
/** Such expired tokens are accepted. */
const outlives = (
  condition: Parameters<TokenBuilder['outlivesExpiry']>[0],
  where: Builder = everywhere,
): RulesOverride => where.token.outlivesExpiry(condition);

const hour = 3600;
const day = 24 * hour;
const seconds = ({ now }: Call): number => now / 1000;
const leeway = (allowed: number): RulesOverride => outlives((exp, call) => seconds(call) < exp + allowed);

/** Section 7: which signatures are valid, and when a token has expired. */
export const tokenFaults: readonly Fault[] = [
  ...faultsOf('7/alg-none', [
    fault('alg-none', 'alg none needs no signature.').by(unsigned((alg) => alg === 'none')),
    fault('alg-none-blocked-in-lower-case', 'Only none in lower case is refused.').by(
      unsigned((alg) => isNone(alg) && alg !== 'none'),
    ),
    fault('alg-none-mixed-case', 'nOnE needs no signature.').by(unsigned((alg) => alg === 'nOnE')),
  ]),
  ...faultsOf('7/hmac-public-key', [
    fault('hmac-pem', 'HS256 is verified with the PEM of the public key.').by(hmac(pem)),
    fault('hmac-der', 'HS256 is verified with the DER of the public key.').by(hmac(der)),
  ]),
  ...faultsOf('7/stranger-key', [
    fault('signature-not-verified', 'A token of a known key is only decoded.').by(unverified(hasKnownKey)),
    fault('signature-not-verified-on-versions', 'The listing of versions only decodes tokens.').by(
      versions.token.isUnverified((token, keys) => hasKnownKey(token, keys) && isPlausible(token)),
    ),
    fault('cache-without-signature', 'Verified tokens are cached by their header and payload.').by(
      cachedBy((token) => token.split('.').slice(0, 2).join('.')),
    ),
  ]),
  ...faultsOf('7/unknown-kid', [
    fault('unknown-kid-unverified', 'A token with an unknown kid is not verified.').by(
      unverified(
        (token, keys) => isPlain(token) && token.header.kid !== undefined && !hasKnownKey(token, keys),
      ),
    ),
    fault('missing-kid-unverified', 'A token without kid is not verified.').by(
      unverified((token) => isPlain(token) && token.header.kid === undefined),
    ),
    fault('kid-is-a-path', 'kid names the file of the key; an empty file verifies everything.').by(
      unverified((token) => isPlain(token) && String(token.header.kid).endsWith('/dev/null')),
    ),
  ]),
  ...faultsOf('7/embedded-key', [
    fault('embedded-key', 'The key in a token is trusted.').by(embedded(() => true)),
    fault('embedded-key-delete', 'Deletion trusts the key in a token.').by(embedded(() => true, deletion)),
  ]),
  ...faultsOf('7/payload-changed', [
    fault('cache-by-signature', 'It is a cache key.').by(cachedBy((token) => token.split('.')[2] ?? '')),
    fault('cache-by-last-characters', 'Its end is a cache key.').by(cachedBy((token) => token.slice(-32))),
    fault('payload-unprotected-on-delete', 'Deletion only checks the length of the signature.').by(
      deletion.token.isUnverified((token, keys) => hasKnownKey(token, keys) && isPlausible(token)),
    ),
  ]),
  ...faultsOf('5.3/empty-scopes', [
    fault('cache-by-first-characters', 'Its start is a cache key.').by(
      cachedBy((token) => token.slice(0, 100)),
    ),
  ]),
  ...faultsOf('7/signature-missing', [
    fault('empty-signature', 'A token with an empty signature is not verified.').by(
      unverified((token) => signatureOf(token) === '' && token.algorithm !== 'none'),
    ),
    fault('short-signature', 'A signature that is too short is not verified.').by(
      unverified((token) => signatureOf(token) !== '' && !isWhole(token)),
    ),
    fault('zero-signature', 'A signature of zeros is valid for everything, as in CVE-2022-21449.').by(
      unverified((token) => isWhole(token) && isZero(token)),
    ),
  ]),
  ...faultsOf('7/expired-minutes', [
    fault('leeway-half-an-hour', 'Tokens are accepted half an hour too long.').by(leeway(hour / 2)),
    fault('expiry-by-issue', 'A token is valid for two hours from iat, whatever its exp.').by(
      outlives((_exp, call, { iat }) => typeof iat === 'number' && seconds(call) < iat + 2 * hour),
    ),
  ]),
  ...faultsOf('7/expired-hour', [
    fault('leeway-two-hours', 'exp is read as local time, two hours off.').by(leeway(2 * hour)),
    fault('expiry-ignored', 'The expiry is not verified.').by(outlives(() => true)),
    fault('expiry-ignored-on-get', 'Reads do not verify exp.').by(outlives(() => true, reads)),
    fault('expired-403', 'An expired token is 403.').by(everywhere.refusalStatus(403, /^expired_token$/)),
  ]),
  ...faultsOf('7/expired-year', [
    fault('expiry-in-milliseconds', 'exp in milliseconds is compared with a now in seconds.').by(
      outlives((exp, call) => exp * 1000 > seconds(call)),
    ),
    fault('expired-long-ago', 'Expired tokens are forgotten, and accepted again, after 90 days.').by(
      outlives((exp, call) => seconds(call) - exp > 90 * day),
    ),
  ]),
  ...faultsOf('7/expires-with-time', [
    fault('token-cached-for-good', 'A token accepted once is accepted for good.').by(cachedWhile(() => true)),
    fault('token-cached-on-delete', 'Deletion accepts a known token.').by(cachedWhile(() => true, deletion)),
    fault('expiry-by-another-clock', 'Expiry follows a clock that does not move with the service.').by(
      outlives((exp, call) => exp > seconds(call) - call.clockOffset),
    ),
    fault('expiry-ignored-after-clock-move', 'Once the clock was set forward, expiry is not verified.').by(
      outlives((_exp, call) => call.clockOffset > 0),
    ),
  ]),
];
