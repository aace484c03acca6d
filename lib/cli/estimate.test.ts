import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { suite } from '../../suites/index.ts';
import { runHere } from '../../test/in-process.ts';
import { addedOperations } from '../../test/section-4.ts';
import { shippedFile } from '../contract/document.ts';
import { loadLedger } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import { type Fake, startFake } from '../fake/index.ts';
import { applicable } from '../runner/applicable.ts';
import { runConformance } from './run.ts';
import type { ConformanceOptions } from './settings.ts';

// Not the project's own directory: concurrent tests would find it locked.
const reports = mkdtempSync(join(tmpdir(), 'estimate-'));
let fake: Fake;
beforeAll(async () => {
  fake = await startFake({ control: true });
});
afterAll(async () => {
  await fake.close();
});

test('the requests of everything that sends any on the shipped contract are known', async () => {
  const contract = await loadContract();
  const { requirements, observations } = applicable(loadLedger(), suite, contract, 'public');
  const { usual } = JSON.parse(readFileSync(shippedFile('fixtures/request-counts.json'), 'utf8'));
  const sending = [...requirements, ...observations].filter(({ check }) => check.kind !== 'exchange');
  expect(sending.map(({ id }) => id).filter((id) => !Object.hasOwn(usual, id))).toEqual([]);
  expect(Object.keys(usual).filter((id) => !suite.some((check) => check.id === id))).toEqual([]);
});

test.each<[string, () => Promise<ConformanceOptions>]>([
  ['the embedded fake', async () => ({})],
  ['each scope in its own token', async () => ({ matrix: 'full', only: ['5.5'] })],
  ['a base URL alone', async () => ({ baseUrl: fake.url })],
  [
    'a token, read-only',
    async () => ({ baseUrl: fake.url, token: await fake.token(), readOnly: true, runs: 10 }),
  ],
  ['a selection', async () => ({ only: ['4.2', '5.1'], runs: 60 })],
])('the number of requests is estimated within 20 %% with %s', async (_, options) => {
  // The counts are averages of the operations of section 4.
  const { run } = await runConformance({ seed: 1, skip: addedOperations, ...(await options()) });
  expect(run.requests).toBeGreaterThan(20);
  expect((run.requests_estimated ?? 0) / run.requests).toBeGreaterThan(0.8);
  expect((run.requests_estimated ?? 0) / run.requests).toBeLessThan(1.2);
});

test('the estimate is printed before the run', async () => {
  const args = ['--base-url', fake.url, '--only', '5.1', '--seed', '1', '--report-dir', reports];
  const { stderr } = await runHere([...args, '--dry-run']);
  expect(stderr).toBe('');
  const shown = await runHere(args);
  expect(shown.stderr).toMatch(/about \d+ requests/);
});
