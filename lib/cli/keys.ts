import { existsSync, writeFileSync } from 'node:fs';
import { oneLine, UsageError } from './usage.ts';

/** Algorithms that a signing key can be made for. */
export const keyAlgorithms = ['EdDSA', 'ES256', 'RS256', 'PS256'] as const;
export type KeyAlgorithm = (typeof keyAlgorithms)[number];

/** What `keys` is told. */
export interface KeysOptions {
  readonly alg: KeyAlgorithm;
  /** Where the private key goes. */
  readonly out: string;
  /** Where the JWKS goes too, beside being printed. */
  readonly jwks?: string;
  readonly force?: boolean;
}

/** A private key with the set of public keys that a target is to trust. */
export interface KeyPair {
  readonly privateJwk: Readonly<Record<string, unknown>>;
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] };
}

/** Makes a signing key. By WebCrypto: Node 20's own generator was seen to hang when its key is exported as a JWK. */
export async function createKeyPair(alg: KeyAlgorithm): Promise<KeyPair> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose');
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicPart = await exportJWK(publicKey);
  const named = { ...publicPart, kid: await calculateJwkThumbprint(publicPart), alg, use: 'sig' };
  return { privateJwk: { ...(await exportJWK(privateKey)), ...named }, jwks: { keys: [named] } };
}

/** Makes a signing key: the private half into a file that nobody else may read, the public half as a JWKS on standard output. */
export async function keysCommand(options: KeysOptions): Promise<number> {
  const { alg, out, jwks: jwksFile, force = false } = options;
  if (existsSync(out) && !force)
    throw new UsageError(`${out} is there already; --force replaces it, --out names another`);
  const { privateJwk, jwks } = await createKeyPair(alg);
  const text = `${JSON.stringify(jwks, null, 2)}\n`;
  save(out, `${JSON.stringify(privateJwk, null, 2)}\n`, { mode: 0o600, force });
  if (jwksFile !== undefined) save(jwksFile, text, { mode: 0o644, force: true });
  process.stdout.write(text);
  process.stderr.write(
    `${[
      `private key: ${out} (keep it secret); run the suite with --signing-key ${out}`,
      `the target must trust the JWKS above${jwksFile === undefined ? '' : `, which is in ${jwksFile} too`}`,
    ].join('\n')}\n`,
  );
  return 0;
}

function save(file: string, text: string, { mode, force }: { mode: number; force: boolean }): void {
  try {
    // A file that is replaced would keep its own mode, so that it may be readable for others.
    if (force && existsSync(file)) writeFileSync(file, '');
    writeFileSync(file, text, { mode, flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw new UsageError(oneLine(error));
  }
}
