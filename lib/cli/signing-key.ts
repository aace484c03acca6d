import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CompactSign } from 'jose/jws/compact/sign';
import { compactVerify } from 'jose/jws/compact/verify';
import { importSigningKey, type SigningKey } from '../tokens/signing-key.ts';
import { programName } from './package.ts';
import { UsageError } from './usage.ts';

/**
 * Reads a private JSON Web Key.
 * @throws UsageError that says in one line what is wrong with the file, without quoting it
 */
export async function readSigningKey(file: string): Promise<unknown> {
  const text = readFileSync(file, 'utf8').trim();
  const wrong = (why: string) => new UsageError(`--signing-key ${file}: ${why}`);
  const make = `\`${programName()} keys\` makes one`;
  if (text === '') throw wrong(`the file is empty; ${make}`);
  if (text.startsWith('-----BEGIN'))
    throw wrong(`this is PEM; a private JSON Web Key (JWK) is needed, and ${make}`);
  let key: unknown;
  try {
    key = JSON.parse(text);
  } catch {
    throw wrong(`this is not JSON; a private JSON Web Key (JWK) is needed, and ${make}`);
  }
  if (typeof key !== 'object' || key === null) throw wrong('this is not a JSON Web Key');
  if ('keys' in key && Object.hasOwn(key, 'keys')) {
    if (!Array.isArray(key.keys) || key.keys.length !== 1)
      throw wrong('this is a set of keys (JWKS); give a single private key');
    key = key.keys[0];
  }
  if (typeof key === 'object' && key !== null && 'kty' in key) {
    if (key.kty === 'oct') throw wrong('this is a symmetric key; an asymmetric one is needed');
    if (!('d' in key)) throw wrong('this is a public key; the private key is needed (with the member "d")');
  }
  const imported = await importSigningKey(key).catch((error: unknown) => {
    throw wrong(error instanceof Error ? error.message : 'this key cannot be used');
  });
  if (!(await isPair(imported))) throw wrong('its private and its public members do not match');
  return key;
}

/** True if the public members verify what the private ones sign; the target has only the public ones. */
async function isPair({ alg, privateKey, publicJwk }: SigningKey): Promise<boolean> {
  try {
    const signed = await new CompactSign(new Uint8Array(1)).setProtectedHeader({ alg }).sign(privateKey);
    await compactVerify(signed, createPublicKey({ key: { ...publicJwk }, format: 'jwk' }));
    return true;
  } catch {
    return false;
  }
}
