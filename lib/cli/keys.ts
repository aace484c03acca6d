import { rmSync } from 'node:fs';
import { assertReplaceable, json, labelled, writeJson } from './files.ts';
import { printError } from './output.ts';
import { programName } from './package.ts';

/** Algorithms that a signing key can be made for. */
export const keyAlgorithms = ['EdDSA', 'ES256', 'RS256', 'PS256'] as const;
type KeyAlgorithm = (typeof keyAlgorithms)[number];

/** Options of `keys`. */
export interface KeysOptions {
  readonly alg: KeyAlgorithm;
  /** File of the private key. */
  readonly out: string;
  /** File of the JWKS, which is printed too. */
  readonly jwks?: string;
  readonly force?: boolean;
}

/** Makes a private key and the JWKS that a target is to trust, with WebCrypto: Node 20's generateKeyPair was seen to hang when its key is exported as a JWK. */
export async function createKeyPair(alg: KeyAlgorithm) {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose');
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicPart = await exportJWK(publicKey);
  const named = { ...publicPart, kid: await calculateJwkThumbprint(publicPart), alg, use: 'sig' };
  return { privateJwk: { ...(await exportJWK(privateKey)), ...named }, jwks: { keys: [named] } };
}

/** Makes a signing key: the private half in a file that only its owner can read, the public half as a JWKS on standard output. */
export async function keysCommand(options: KeysOptions): Promise<number> {
  const { alg, out, jwks: jwksFile, force = false } = options;
  assertReplaceable(out, force);
  const { privateJwk, jwks } = await createKeyPair(alg);
  // A file that is overwritten keeps its mode, which may let others read it.
  labelled('--out', () => {
    rmSync(out, { force: true });
    writeJson(out, privateJwk, 0o600);
  });
  if (jwksFile !== undefined) labelled('--jwks', () => writeJson(jwksFile, jwks));
  process.stdout.write(json(jwks));
  printError(
    `${[
      `private key: ${out} (keep it secret); run the suite: ${programName()} --signing-key ${out} --base-url URL`,
      `the target must trust the JWKS above${jwksFile === undefined ? '' : `, also in ${jwksFile}`}`,
    ].join('\n')}\n`,
  );
  return 0;
}
