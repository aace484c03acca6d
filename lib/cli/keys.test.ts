import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSigningKey } from '../fake/keys.ts';
import { importSigningKey } from '../tokens/signing-key.ts';
import { keyAlgorithms } from './command-options.ts';
import { readSigningKey } from './signing-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'keys-'));

test.each(keyAlgorithms)(
  '%s makes a key that the suite signs with, and a JWKS without its private half',
  async (alg) => {
    const { privateJwk, publicJwk } = await createSigningKey(alg);
    expect((await importSigningKey(privateJwk)).alg).toBe(alg);
    expect(publicJwk).toMatchObject({ alg, use: 'sig', kid: privateJwk.kid });
    for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(publicJwk).not.toHaveProperty(member);
  },
);

test('what is wrong with a key file is said in one line, without quoting it', async () => {
  const { privateJwk, publicJwk } = await createSigningKey('ES256');
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
  expect(await refusal(JSON.stringify({ keys: [publicJwk] }))).toMatch(/not a private JSON Web Key/);
  expect(await refusal(JSON.stringify({ keys: [1, 2] }))).toMatch(/set of keys/);
  expect(await refusal('{"kty":"oct","k":"s3cret"}')).toMatch(/not a private JSON Web Key/);
  expect(await refusal(JSON.stringify({ ...privateJwk, crv: 'P-384' }))).toMatch(/must be Ed25519, P-256/);
  const broken = await refusal(JSON.stringify({ ...privateJwk, x: 's3cret' }));
  expect(broken).toMatch(/not a valid private JSON Web Key/);
  expect(broken).not.toMatch(/s3cret|\n/);
  expect(await refusal(JSON.stringify(privateJwk))).toBe('taken');
});
