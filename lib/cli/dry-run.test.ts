import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../test/in-process.ts';
import { listen, type SocketServer } from '../../test/socket-server.ts';
import { type Fake, startFake } from '../fake/index.ts';
import { faults } from '../mutation/faults/index.ts';
import { createKeyPair } from './keys.ts';
import type { ConformanceOptions } from './library-options.ts';
import { runConformance } from './run.ts';

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
  expect(stdout).toMatch(/\n[\d,]+ requests would be sent, none was/);
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
  const { privateJwk } = await createKeyPair('ES256');
  const key = join(folder, 'key.jwk');
  writeFileSync(key, JSON.stringify(privateJwk));
  const args = ['--base-url', `${trap.url}/a`, '--signing-key', key, '--action-id', 'act/mine'];
  const { code, stdout } = await runHere(['--dry-run', '--seed', '1', ...args, '--only', '5.1/valid-token']);
  expect(code).toBe(0);
  expect(stdout).toContain(`GET ${trap.url}/a/actions/actions/act%2Fmine/versions\n`);
  expect(trap.connections).toBe(0);
});

test('wrong usage is told as in a run', async () => {
  expect(await dry('--only', 'nowhere')).toMatchObject({ code: 2, stdout: '' });
});

test('without a base URL the requests to the embedded fake are printed', async () => {
  const { code, stdout } = await runHere(['--dry-run', '--seed', '1', '--runs', '2', '--only', '4.5']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/api\/v2\/self-service-profiles\//m);
});

/** How far the foretold number is from the truth. */
async function foretold(options: ConformanceOptions) {
  const { run, verdict } = await runConformance({ baseUrl: fake.url, seed: 1, ...options });
  return { ratio: (run.requests_estimated ?? 0) / run.requests, requests: run.requests, verdict };
}

test.each<[string, () => Promise<ConformanceOptions>]>([
  ['with a base URL alone', async () => ({})],
  [
    'with everything',
    async () => ({
      signingKey: { ...fake.signingKey },
      control: fake.controlUrl ?? '',
      only: ['4.1', '4.3', '5.5/wrong-verb', '8/checkpoint-restart'],
      runs: 7,
    }),
  ],
  [
    'with a token and named data, read-only',
    async () => ({
      token: await fake.token(),
      actionId: ['ad626d7e-6f1f-4cc1-abb7-0b253be6287f'],
      readOnly: true,
      only: ['4.4', '4.1', '5.1'],
      runs: 5,
    }),
  ],
  [
    'with a client and more runs than are rehearsed',
    async () => ({
      clientId: fake.clients[0]?.client_id ?? '',
      clientSecret: fake.clients[0]?.client_secret ?? '',
      only: ['4.2/take*', '5.4'],
      runs: 300,
    }),
  ],
])('the number of requests is foretold within 10 %% %s', async (_, options) => {
  const { ratio, requests, verdict } = await foretold(await options());
  expect(verdict).not.toBe('does-not-conform');
  expect(requests).toBeGreaterThan(50);
  expect(ratio).toBeGreaterThan(0.9);
  expect(ratio).toBeLessThan(1.1);
});

/** The shipped data, with so many experiments and versions. */
function sized(count: number): Fake['dataSet'] {
  const { experiments, actions, ...rest } = fake.dataSet;
  const repeat = <T>(items: readonly T[], change: (item: T, index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => {
      const item = items[index % items.length];
      if (item === undefined) throw new Error('the shipped data holds none');
      return change(item, index);
    });
  return {
    ...rest,
    experiments: repeat(experiments, ({ status, experiment }, index) => ({
      status,
      experiment: { ...experiment, id: `exp_${index}` },
    })),
    actions: actions.slice(0, 1).map(({ action, versions }) => ({
      action,
      versions: repeat(versions, (version, index) => ({ ...version, id: `ver_${index}` })),
    })),
  };
}

test.each([3, 137, 1000])(
  'and for a tenant of %i experiments and versions, without control',
  async (count) => {
    const tenant = await startFake({ dataSet: sized(count) });
    try {
      const { run } = await runConformance({
        baseUrl: tenant.url,
        token: await tenant.token(),
        actionId: [tenant.dataSet.actions[0]?.action.id ?? ''],
        only: ['4.2/take-limits', '4.2/flow-filter-only', '8/checkpoint-order', '4.4/per-page-limits'],
        runs: 2,
        seed: 1,
      });
      const ratio = (run.requests_estimated ?? 0) / run.requests;
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.1);
    } finally {
      await tenant.close();
    }
  },
);

test('nothing is foretold of a listing that has no end', async () => {
  const endless = faults.find(({ name }) => name === 'walk-repeats-its-last-page');
  const tenant = await startFake(endless && { rules: endless.rules });
  const { run } = await runConformance({
    baseUrl: tenant.url,
    token: await tenant.token(),
    only: ['4.2/take-minimum'],
    runs: 1,
    seed: 1,
  });
  await tenant.close();
  expect(run.requests).toBeGreaterThan(5);
  expect(run.requests_estimated).toBeUndefined();
});

test('what is foretold stands on the screen before the start, and in the report', async () => {
  const reportDir = join(folder, 'report');
  const args = ['--base-url', fake.url, '--only', '5.1', '--seed', '1', '--report-dir', reportDir];
  const { stderr } = await runHere(args);
  expect(stderr).toMatch(/requests +about \d+/);
});
