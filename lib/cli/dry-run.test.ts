import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../test/in-process.ts';
import { listen, type SocketServer } from '../../test/socket-server.ts';
import { type Fake, startFake } from '../fake/index.ts';
import { createSigningKey } from '../fake/keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'dry-run-'));
let trap: SocketServer;
let fake: Fake;
beforeAll(async () => {
  trap = await listen((socket) => socket.destroy());
  fake = await startFake({ control: true });
});
afterAll(() => Promise.all([trap.close(), fake.close()]));

/** A dry run against addresses that all lead to a server which counts connections. */
function dry(...args: readonly string[]) {
  const target = ['--base-url', `${trap.url}/tenant/v9`, '--control', `${trap.url}/control`];
  return runHere(['--dry-run', '--seed', '1', '--runs', '2', ...target, ...args], { HTTP_PROXY: trap.url });
}

test('every request is printed and none is sent, not even to the control or the token endpoint', async () => {
  const secret = 'a-very-secret-secret';
  const { code, stdout, stderr } = await dry(
    ...['--only', '4.5', '--only', '4.3', '--only', '5.4', '--header', 'X-Api-Key: key-of-mine'],
    ...['--client-id', 'me', '--client-secret', secret, '--token-url', `${trap.url}/elsewhere/token`],
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(trap.connections).toBe(0);
  for (const line of [
    `GET ${trap.url}/control/`,
    `PUT ${trap.url}/control/tenant`,
    `POST ${trap.url}/elsewhere/token`,
    `GET ${trap.url}/tenant/v9/self-service-profiles/`,
    `DELETE ${trap.url}/tenant/v9/rate-limit-policies/`,
    '    authorization: Bearer $TOKEN\n',
    '    x-api-key: $HEADER_X_API_KEY\n',
  ])
    expect(stdout).toContain(line);
  expect(stdout).toMatch(/\n {4}\(body of [\d,]+ bytes\)\n/);
  expect(stdout).toMatch(/\nA run would send [\d,]+ requests; none was sent\./);
  for (const hidden of [secret, 'key-of-mine', fake.origin]) expect(stdout).not.toContain(hidden);
});

test('read-only prints nothing that changes anything; a token command is not run', async () => {
  const proof = join(folder, 'was-run');
  const { code, stdout } = await dry(
    '--read-only',
    '--only',
    '4.5',
    '--only',
    '4.1',
    '--token-command',
    `touch ${proof}`,
  );
  expect(code).toBe(0);
  expect(trap.connections).toBe(0);
  expect(existsSync(proof)).toBe(false);
  expect([...new Set(stdout.match(/^[A-Z]+(?= http)/gm))]).toEqual(['GET']);
  expect(stdout).toContain('Bearer $TOKEN');
});

test('a signing key mints what the run would send; ids that are named stand in the paths', async () => {
  const { privateJwk } = await createSigningKey('ES256');
  const key = join(folder, 'key.jwk');
  writeFileSync(key, JSON.stringify(privateJwk));
  const args = ['--base-url', `${trap.url}/a`, '--signing-key', key, '--action-id', 'act/mine'];
  const { code, stdout } = await runHere(['--dry-run', '--seed', '1', ...args, '--only', '5.1/valid-token']);
  expect(code).toBe(0);
  expect(stdout).toContain(`GET ${trap.url}/a/actions/actions/act%2Fmine/versions\n`);
  expect(trap.connections).toBe(0);
});

test('wrong usage is reported as in a run', async () => {
  expect(await dry('--only', 'nowhere')).toMatchObject({ code: 2, stdout: '' });
});

test('without a base URL the requests to the embedded fake are printed', async () => {
  const { code, stdout } = await runHere(['--dry-run', '--seed', '1', '--runs', '2', '--only', '4.5']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/api\/v2\/self-service-profiles\//m);
});
