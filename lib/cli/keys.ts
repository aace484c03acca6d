import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { programName } from './package.ts';
import { oneLine, UsageError } from './usage.ts';

/** Algorithms that a signing key can be made for. */
export const keyAlgorithms = ['EdDSA', 'ES256', 'RS256', 'PS256'] as const;
export type KeyAlgorithm = (typeof keyAlgorithms)[number];

/** Options of `keys`. */
export interface KeysOptions {
  readonly alg: KeyAlgorithm;
  /** File of the private key. */
  readonly out: string;
  /** File of the JWKS, which is printed too. */
  readonly jwks?: string;
  readonly force?: boolean;
}

/** A private key, and the set of public keys that a target is to trust. */
export interface KeyPair {
  readonly privateJwk: Readonly<Record<string, unknown>>;
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] };
}

/** Makes a signing key with WebCrypto: Node 20's generateKeyPair was seen to hang when its key is exported as a JWK. */
export async function createKeyPair(alg: KeyAlgorithm): Promise<KeyPair> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose');
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicPart = await exportJWK(publicKey);
  const named = { ...publicPart, kid: await calculateJwkThumbprint(publicPart), alg, use: 'sig' };
  return { privateJwk: { ...(await exportJWK(privateKey)), ...named }, jwks: { keys: [named] } };
}

/** Makes a signing key: the private half in a file that only its owner can read, the public half as a JWKS on standard output. */
export async function keysCommand(options: KeysOptions): Promise<number> {
  const { alg, out, jwks: jwksFile, force = false } = options;
  if (existsSync(out) && !force)
    throw new UsageError(`${out} exists; use --force to replace it, or --out to name another file`);
  const { privateJwk, jwks } = await createKeyPair(alg);
  const text = `${JSON.stringify(jwks, null, 2)}\n`;
  save(out, `${JSON.stringify(privateJwk, null, 2)}\n`, { mode: 0o600, force });
  if (jwksFile !== undefined) save(jwksFile, text, { mode: 0o644, force: true });
  process.stdout.write(text);
  process.stderr.write(
    `${[
      `private key: ${out} (keep it secret); run the suite: ${programName()} --signing-key ${out} --base-url URL`,
      `the target must trust the JWKS above${jwksFile === undefined ? '' : `, also in ${jwksFile}`}`,
    ].join('\n')}\n`,
  );
  return 0;
}

function save(file: string, text: string, { mode, force }: { mode: number; force: boolean }): void {
  try {
    // A file that is overwritten keeps its mode, which may let others read it.
    if (force) rmSync(file, { force: true });
    writeFileSync(file, text, { mode, flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw new UsageError(oneLine(error));
  }
}
