import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importSigningKey } from '../tokens/signing-key.ts';
import { keyAlgorithms } from './command-options.ts';
import { createKeyPair, readSigningKey } from './signing-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'keys-'));

test.each(keyAlgorithms)(
  '%s makes a key that the suite signs with, and a JWKS without its private half',
  async (alg) => {
    const { privateJwk, jwks } = await createKeyPair(alg);
    expect((await importSigningKey(privateJwk)).alg).toBe(alg);
    expect(jwks.keys[0]).toMatchObject({ alg, use: 'sig', kid: privateJwk.kid });
    for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(jwks.keys[0]).not.toHaveProperty(member);
  },
);

test('what is wrong with a key file is said in one line, without quoting it', async () => {
  const { privateJwk, jwks } = await createKeyPair('ES256');
  const file = join(folder, 'key');
  const refusal = async (text: string) => {
    writeFileSync(file, text);
    return readSigningKey(file).then(
      () => 'taken',
      (error: Error) => error.message,
    );
  };
  expect(await refusal('')).toMatch(/this is not JSON/);
  expect(await refusal('-----BEGIN PRIVATE KEY-----\nabc')).toMatch(/this is PEM/);
  expect(await refusal('s3cret')).toMatch(/this is not JSON/);
  expect(await refusal('[1]')).toMatch(/not a private JSON Web Key/);
  expect(await refusal(JSON.stringify(jwks))).toMatch(/not a private JSON Web Key/);
  expect(await refusal(JSON.stringify({ keys: [1, 2] }))).toMatch(/set of keys/);
  expect(await refusal('{"kty":"oct","k":"s3cret"}')).toMatch(/not a private JSON Web Key/);
  expect(await refusal(JSON.stringify({ ...privateJwk, crv: 'P-384' }))).toMatch(/must be Ed25519, P-256/);
  const broken = await refusal(JSON.stringify({ ...privateJwk, x: 's3cret' }));
  expect(broken).toMatch(/not a valid private JSON Web Key/);
  expect(broken).not.toMatch(/s3cret|\n/);
  expect(await refusal(JSON.stringify(privateJwk))).toBe('taken');
});
