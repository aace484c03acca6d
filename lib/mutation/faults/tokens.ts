import { createHmac, createPublicKey } from 'node:crypto';
import { compactVerify, importJWK } from 'jose';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import type { TrustedKey } from '../../fake/keys.ts';
import { override, type SignedToken, type TokenRules } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { everywhere, onCustomText, onDelete, onGet, onPut, onVersions, type Where } from './where.ts';

/** Section 7: which signatures hold. */

/** Changes the rules of tokens. */
const changes = (
  name: string,
  requirement: string,
  description: string,
  change: (usual: TokenRules) => Partial<TokenRules>,
): Fault => ({ name, requirement, description, rules: (rules) => override(rules, 'token', change) });

/** Takes unsigned tokens of an algorithm that is named so. */
const unsigned = (
  name: string,
  description: string,
  named: (algorithm: string, call: Call) => boolean,
): Fault =>
  changes(name, '7/alg-none', description, (usual) => ({
    accepts: (algorithm, header, call) => named(algorithm, call) || usual.accepts(algorithm, header, call),
    needsNoKey: ({ alg }, call) => typeof alg === 'string' && named(alg, call),
    signatureHolds: async (token, key, call) => key === undefined || usual.signatureHolds(token, key, call),
  }));

const isNone = (algorithm: string): boolean => algorithm.toLowerCase() === 'none';

/** Takes HS256 with one form of the public key as its secret. */
const hmac = (
  name: string,
  description: string,
  secret: (key: TrustedKey) => string | Buffer,
  where: Where = everywhere,
): Fault =>
  changes(name, '7/hmac-public-key', description, (usual) => ({
    accepts: (algorithm, header, call) =>
      (algorithm === 'HS256' && where(call)) || usual.accepts(algorithm, header, call),
    async signatureHolds(token, key, call) {
      if (token.algorithm !== 'HS256') return usual.signatureHolds(token, key, call);
      if (key === undefined) return false;
      const [header, payload, signature] = token.text.split('.');
      return (
        signature === createHmac('sha256', secret(key)).update(`${header}.${payload}`).digest('base64url')
      );
    },
  }));

const pem = ({ jwk }: TrustedKey): string =>
  createPublicKey({ key: { ...jwk }, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString();

/** The public key's own members in the order of RFC 7638. */
const bareJwk = ({ jwk }: TrustedKey): string => {
  const { kid: _kid, alg: _alg, use: _use, ...rest } = jwk;
  return JSON.stringify(Object.fromEntries(Object.entries(rest).toSorted()));
};

/** Lets these tokens pass whoever signed them. */
const unverified = (
  name: string,
  requirement: string,
  description: string,
  passes: (token: SignedToken, call: Call, keys: readonly TrustedKey[]) => boolean,
): Fault => ({
  name,
  requirement,
  description,
  rules(rules) {
    let trusted: readonly TrustedKey[] = [];
    return override(rules, 'token', (usual) => ({
      candidates(_header, keys) {
        trusted = keys;
        return keys;
      },
      async signatureHolds(token, key, call) {
        if (passes(token, call, trusted)) return true;
        return usual.candidates(token.header, trusted, call).some((each) => each === key)
          ? usual.signatureHolds(token, key, call)
          : false;
      },
    }));
  },
});

const signatureOf = ({ text }: SignedToken): string => text.split('.')[2] ?? '';
const isWhole = (token: SignedToken): boolean => Buffer.from(signatureOf(token), 'base64url').length >= 64;
const isZero = (token: SignedToken): boolean =>
  Buffer.from(signatureOf(token), 'base64url').every((byte) => byte === 0);
const isKnown = (header: JsonObject, keys: readonly TrustedKey[]): boolean =>
  keys.some(({ kid }) => kid === header.kid);
const isPlain = ({ header }: SignedToken): boolean => header.jwk === undefined;

/** Trusts the key that a token carries, where its header is so. */
const embedded = (
  name: string,
  description: string,
  trusts: (header: JsonObject, call: Call) => boolean,
): Fault =>
  changes(name, '7/embedded-key', description, (usual) => ({
    candidates: (header, keys, call) =>
      isObject(header.jwk) && trusts(header, call) ? keys : usual.candidates(header, keys, call),
    async signatureHolds(token, key, call) {
      const { text, header, algorithm } = token;
      if (!isObject(header.jwk) || !trusts(header, call)) return usual.signatureHolds(token, key, call);
      return compactVerify(text, await importJWK({ ...header.jwk }, algorithm)).then(
        () => true,
        () => false,
      );
    },
  }));

const algorithms: readonly Fault[] = [
  unsigned('alg-none', 'A token with alg none needs no signature.', (each) => each === 'none'),
  unsigned('alg-none-any-case', 'alg none needs no signature, in whatever case.', isNone),
  unsigned(
    'alg-none-blocked-in-lower-case',
    'Only none in lower case is on the list of refused algorithms.',
    (each) => isNone(each) && each !== 'none',
  ),
  unsigned('alg-none-upper-case', 'NONE is taken for a signature.', (each) => each === 'NONE'),
  unsigned('alg-none-mixed-case', 'nOnE is taken for a signature.', (each) => each === 'nOnE'),
  unsigned('alg-none-get', 'Reading takes unsigned tokens.', (each, call) => isNone(each) && onGet(call)),
  unsigned(
    'alg-none-custom-text',
    'The custom text takes unsigned tokens.',
    (each, call) => each === 'none' && onCustomText(call),
  ),
  hmac('hmac-pem', 'HS256 is verified with the PEM of the public key.', pem),
  hmac(
    'hmac-pem-trimmed',
    'HS256 is verified with the PEM of the public key, read without its last line break.',
    (key) => pem(key).trimEnd(),
  ),
  hmac('hmac-der', 'HS256 is verified with the DER of the public key.', ({ jwk }) =>
    createPublicKey({ key: { ...jwk }, format: 'jwk' }).export({ type: 'spki', format: 'der' }),
  ),
  hmac('hmac-jwk', 'HS256 is verified with the JSON of the public key.', bareJwk),
  hmac('hmac-raw', "HS256 is verified with the public key's raw bytes.", ({ jwk }) =>
    Buffer.concat([jwk.x, jwk.y, jwk.n].flatMap((each) => (each ? [Buffer.from(each, 'base64url')] : []))),
  ),
  hmac('hmac-pem-delete', 'Deletion verifies HS256 with the PEM of the public key.', pem, onDelete),
];

const keys: readonly Fault[] = [
  unverified(
    'signature-not-verified',
    '7/stranger-key',
    'A token of a known key is decoded, not verified.',
    ({ header }, _call, trusted) => isKnown(header, trusted),
  ),
  unverified(
    'signature-not-verified-on-versions',
    '7/stranger-key',
    'The listing of versions decodes tokens without verifying them.',
    (token, call, trusted) =>
      onVersions(call) && isKnown(token.header, trusted) && isWhole(token) && !isZero(token),
  ),
  changes(
    'cache-without-signature',
    '7/stranger-key',
    'Verified tokens are remembered by their header and payload.',
    () => ({ rememberedAs: (token) => token.split('.').slice(0, 2).join('.') }),
  ),
  unverified(
    'unknown-kid-unverified',
    '7/unknown-kid',
    'Where no key has the kid, nothing is verified.',
    (token, _call, trusted) =>
      isPlain(token) && token.header.kid !== undefined && !isKnown(token.header, trusted),
  ),
  unverified(
    'missing-kid-unverified',
    '7/unknown-kid',
    'A token without kid is not verified.',
    (token) => isPlain(token) && token.header.kid === undefined,
  ),
  unverified(
    'empty-kid-unverified',
    '7/unknown-kid',
    'A token with an empty kid is not verified.',
    (token) => isPlain(token) && token.header.kid === '',
  ),
  unverified(
    'kid-is-a-path',
    '7/unknown-kid',
    'The key is read from the file that kid names, and an empty file holds no key to verify with.',
    (token) => isPlain(token) && String(token.header.kid).endsWith('/dev/null'),
  ),
  unverified(
    'unknown-kid-unverified-on-update',
    '7/unknown-kid',
    'The update does not verify a token whose kid is not in the key set that it has in its cache.',
    (token, call, trusted) =>
      onPut(call) && isPlain(token) && token.header.kid === 'no-such-key' && !isKnown(token.header, trusted),
  ),
  embedded('embedded-key', 'The key that a token carries is trusted.', () => true),
  embedded(
    'embedded-key-without-kid',
    'Where a token names no kid, the key that it carries is trusted.',
    ({ kid }) => kid === undefined,
  ),
  embedded(
    'embedded-key-of-unknown-kid',
    'Where the kid is not known, the key that a token carries is trusted.',
    ({ kid }) => kid === 'embedded',
  ),
  embedded('embedded-key-delete', 'Deletion trusts the key that a token carries.', (_header, call) =>
    onDelete(call),
  ),
];

const signatures: readonly Fault[] = [
  changes(
    'cache-by-signature',
    '7/payload-changed',
    'Verified tokens are remembered by their signature alone.',
    () => ({ rememberedAs: (token) => token.split('.')[2] ?? '' }),
  ),
  changes(
    'cache-by-last-characters',
    '7/payload-changed',
    'Verified tokens are remembered by their last 32 characters.',
    () => ({ rememberedAs: (token) => token.slice(-32) }),
  ),
  changes(
    'cache-by-first-characters',
    '5.3/empty-scopes',
    'Verified tokens are remembered by their first 100 characters.',
    () => ({ rememberedAs: (token) => token.slice(0, 100) }),
  ),
  unverified(
    'payload-unprotected-on-delete',
    '7/payload-changed',
    'Deletion asks only whether the signature is as long as one.',
    (token, call, trusted) =>
      onDelete(call) && isKnown(token.header, trusted) && isWhole(token) && !isZero(token),
  ),
  unverified(
    'empty-signature',
    '7/signature-missing',
    'A token with an empty signature is not verified.',
    (token) => signatureOf(token) === '' && token.algorithm !== 'none',
  ),
  unverified(
    'short-signature',
    '7/signature-missing',
    'The error that a signature of the wrong length raises is swallowed.',
    (token) => signatureOf(token) !== '' && !isWhole(token),
  ),
  unverified(
    'zero-signature',
    '7/signature-missing',
    'A signature of zeros holds for everything, as with the psychic signatures of ECDSA.',
    (token) => isWhole(token) && isZero(token),
  ),
  unverified(
    'empty-signature-get',
    '7/signature-missing',
    'Reading takes a token whose signature was cut off.',
    (token, call) => signatureOf(token) === '' && onGet(call),
  ),
];

/** Faults of section 7 about signatures. */
export const tokenFaults: readonly Fault[] = [...algorithms, ...keys, ...signatures];
