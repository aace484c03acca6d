import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../test/in-process.ts';
import { type Fake, startFake } from '../fake/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'token-'));
const key = join(folder, 'key.jwk');

let fake: Fake;
beforeAll(async () => {
  fake = await startFake();
  writeFileSync(key, JSON.stringify(fake.signingKey));
});
afterAll(() => fake.close());

const mint = (...args: readonly string[]) => runHere(['token', '--signing-key', key, ...args]);

test('a printed token works in a request, as far as its scopes go', async () => {
  const { code, stdout } = await mint(
    '--scopes',
    'read:experimentation,read:actions',
    '--issuer',
    `${fake.origin}/`,
  );
  expect(code).toBe(0);
  const status = async (path: string) =>
    (await fetch(fake.url + path, { headers: { authorization: `Bearer ${stdout.trim()}` } })).status;
  expect(await status('/experimentation/experiments')).toBe(200);
  expect(await status('/self-service-profiles/x/custom-text/en/get-started')).toBe(403);
  expect(decodeProtectedHeader(stdout)).toMatchObject({ alg: 'EdDSA', typ: 'JWT' });
});

test('claims replace the usual ones, null removes one, and the profile adds some', async () => {
  const profile = join(folder, 'profile.yaml');
  writeFileSync(
    profile,
    'auth: { claims: { client_id: me, jti: one }, header: { typ: at+jwt } }\nsigning_key: key.jwk\n',
  );
  const claims = JSON.stringify({ jti: 'two', sub: null, scopes: { actions: 'odd' } });
  const { stdout } = await runHere([
    'token',
    '--profile',
    profile,
    '--issuer',
    'https://i.example/',
    '--expires-in',
    '-60',
    '--claims',
    claims,
  ]);
  const found = decodeJwt(stdout);
  expect(decodeProtectedHeader(stdout)).toMatchObject({ typ: 'at+jwt' });
  expect(found).toMatchObject({
    iss: 'https://i.example/',
    aud: '/api/v2/',
    client_id: 'me',
    jti: 'two',
    scopes: { actions: 'odd' },
  });
  expect(found).not.toHaveProperty('sub');
  expect(Math.abs((found.exp ?? 0) + 60 - Date.now() / 1000)).toBeLessThan(30);
});

test('a token from elsewhere is printed, or with another signature', async () => {
  const token = await fake.token();
  const given = (...args: readonly string[]) =>
    runHere(['token', '--base-url', fake.url, ...args], { CONFORMANCE_TOKEN: token });
  expect((await given()).stdout).toBe(`${token}\n`);
  const { stdout } = await given('--signature', 'none', '--token-header', '{"kid":null}');
  expect(decodeProtectedHeader(stdout)).toEqual({ alg: 'none', typ: 'JWT' });
  expect(decodeJwt(stdout)).toEqual(decodeJwt(token));
  for (const [args, message] of [
    [['--claims', '{}'], /^error: token: --claims and --expires-in need --signing-key\n$/],
    [['--signature', 'hmac-pem'], /^error: token: --signature hmac-pem needs --signing-key: .*\n$/],
    [
      ['--token-header', '{}'],
      /^error: token: --token-header needs --signing-key, or another --signature\n$/,
    ],
  ] as const)
    expect(await given(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

test.each([
  [[], /^error: token needs --signing-key, or --base-url with another source of tokens\n$/],
  [['--signing-key', key, '--scopes', 'actions'], /^error: --scopes: actions is not a scope such as/],
  [['--signing-key', key, '--claims', '[]'], /^error: --claims must be a JSON object\n$/],
  [['--signing-key', key, '--claims', '{'], /^error: --claims: [^\n]+\n$/],
])('token %j is wrong usage', async (args, message) => {
  const { code, stderr } = await runHere(['token', ...args]);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
