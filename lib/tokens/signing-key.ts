import * as crypto from 'node:crypto';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { isObject, type JsonObject } from '../contract/json.ts';

/** Signature algorithms (RFC 7518, RFC 8037) that a signing key may have. */
export type Algorithm = 'EdDSA' | 'Ed25519' | 'ES256' | 'RS256' | 'PS256';

/** A private key that signs tokens. */
export type SigningKey = Awaited<ReturnType<typeof importSigningKey>>;

/**
 * Reads a private JSON Web Key: Ed25519, P-256 (ES256) or RSA (RS256, or PS256 if its `alg` says so). The key id is its
 * `kid`, else its thumbprint (RFC 7638).
 * @throws TypeError with a message of one line, without the key, for anything else
 */
export async function importSigningKey(jwk: unknown) {
  if (!isObject(jwk) || typeof jwk.d !== 'string')
    throw new TypeError('the signing key is not a private JSON Web Key');
  const alg = algorithmOf(jwk);
  let privateKey: crypto.KeyObject;
  try {
    privateKey = crypto.createPrivateKey({ key: { ...jwk }, format: 'jwk' });
  } catch {
    // The cause's message may quote the key.
    throw new TypeError('the signing key is not a valid private JSON Web Key');
  }
  const publicKey = crypto.createPublicKey(privateKey);
  // The members by name, as in a thumbprint.
  const members = Object.entries(publicKey.export({ format: 'jwk' })).map(([name, value]) => [
    name,
    String(value),
  ]);
  const publicJwk: Record<string, string> = Object.fromEntries(members.sort());
  return {
    alg,
    kid: typeof jwk.kid === 'string' ? jwk.kid : await calculateJwkThumbprint(publicJwk),
    privateKey,
    publicKey,
    /** The public members as a JSON Web Key (RFC 7517). */
    publicJwk,
  };
}

function algorithmOf(jwk: JsonObject): Algorithm {
  const { kty, crv, alg } = jwk;
  if (kty === 'OKP' && crv === 'Ed25519') return alg === 'Ed25519' ? alg : 'EdDSA';
  if (kty === 'EC' && crv === 'P-256') return 'ES256';
  if (kty === 'RSA' && (alg === undefined || alg === 'RS256' || alg === 'PS256')) return alg ?? 'RS256';
  throw new TypeError('the signing key must be Ed25519, P-256 (ES256) or RSA (RS256, PS256)');
}

/**
 * Generates a private key for this algorithm; an RSA key for one that is unknown. It is read back from PEM, because on Node 20 a
 * garbage collection during the JWK export of a key that was just generated waits for the lock of that key, for ever.
 */
export function generateKey(alg: unknown): crypto.KeyObject {
  return crypto.createPrivateKey(generatePem(alg));
}

function generatePem(alg: unknown): string {
  const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
  const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
  if (alg === 'ES256') {
    const options = { namedCurve: 'P-256', publicKeyEncoding, privateKeyEncoding };
    return crypto.generateKeyPairSync('ec', options).privateKey;
  }
  if (alg === 'EdDSA' || alg === 'Ed25519')
    return crypto.generateKeyPairSync('ed25519', { publicKeyEncoding, privateKeyEncoding }).privateKey;
  const options = { modulusLength: 2048, publicKeyEncoding, privateKeyEncoding };
  return crypto.generateKeyPairSync('rsa', options).privateKey;
}

/** Signs in the format of JSON Web Signature (RFC 7518, section 3; RFC 8037, section 3.1). */
export function sign(alg: Algorithm, privateKey: crypto.KeyObject, input: string): Buffer {
  const padding = crypto.constants.RSA_PKCS1_PSS_PADDING;
  return crypto.sign(alg.startsWith('Ed') ? null : 'sha256', Buffer.from(input), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
    ...(alg === 'PS256' && { padding, saltLength: 32 }),
  });
}
