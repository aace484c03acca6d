import * as crypto from 'node:crypto';
import type { JWK } from 'jose';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { exportJWK } from 'jose/key/export';
import { generateKeyPair } from 'jose/key/generate/keypair';
import { attempt, isObject, type JsonObject } from '../contract/json.ts';

/** Signature algorithms (RFC 7518, RFC 8037) that a signing key may have. */
const algorithms = ['EdDSA', 'Ed25519', 'ES256', 'RS256', 'PS256'] as const;
export type Algorithm = (typeof algorithms)[number];

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
  // The message of an error may quote the key.
  const privateKey = attempt(() => crypto.createPrivateKey({ key: { ...jwk }, format: 'jwk' }));
  if (privateKey === undefined) throw new TypeError('the signing key is not a valid private JSON Web Key');
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

/** Generates a private key for this algorithm; an RSA key for one that is unknown. */
export async function generateKey(alg: unknown): Promise<JWK> {
  const known = algorithms.find((each) => each === alg) ?? 'RS256';
  const { privateKey } = await generateKeyPair(known, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: known };
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
