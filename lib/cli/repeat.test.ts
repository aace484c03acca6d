import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../test/in-process.ts';
import { type Fake, startFake } from '../fake/index.ts';
import { faults } from '../mutation/faults/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'repeat-'));
const key = join(folder, 'key.jwk');
const reports = join(folder, 'reports');
const names = ['take-maximum-51', 'delete-by-number'];
const rules = faults.filter(({ name }) => names.includes(name)).map((each) => each.rules);

let fake: Fake;
beforeAll(async () => {
  fake = await startFake({ control: true, rules });
  writeFileSync(key, JSON.stringify(fake.signingKey));
  const { controlUrl = '' } = fake;
  const access = ['--base-url', fake.url, '--control', controlUrl, '--signing-key', key];
  const ids = ['4.2/take-maximum', '4.2/take-minimum', '4.3/others-stay', '5.1/no-header'];
  const only = ids.flatMap((id) => ['--only', id]);
  await runHere([...access, ...only, '--seed', '7', '--report-dir', reports]);
});
afterAll(async () => {
  await fake.close();
});

const repeat = (...args: readonly string[]) => runHere(['repeat', ...args, '--report', reports]);

test('the failing case is repeated against the same target, its difference marked', async () => {
  const { code, stdout } = await repeat('4.2/take-maximum');
  expect(code).toBe(1);
  expect(stdout).toContain(`GET ${fake.url}/experimentation/experiments?take=51`);
  expect(stdout).toContain('response  ✗ 200');
  expect(stdout).toContain('expected  400');
  expect(stdout).toContain('"read"');
});

test('a requirement that runs alone is judged again with plain requests too', async () => {
  const { code, stdout } = await repeat('4.3/others-stay');
  expect([code, stdout]).toEqual([1, expect.stringContaining(`DELETE ${fake.url}/rate-limit-policies/`)]);
  // A varied request would have a token with many scopes.
  expect(stdout.replace(/\s+/g, '')).toContain('"scopes":{"rate_limit_policies":{"actions":["delete"]}}}');
});

test('what passes is said to pass', async () => {
  const { code, stdout } = await repeat('4.2/take-minimum');
  expect([code, stdout]).toEqual([0, expect.stringContaining('✓ 4.2/take-minimum')]);
});

test('a requirement is repeated on one operation', async () => {
  const sentBy = async (name: string) => {
    const before = fake.requests.length;
    expect((await repeat(name)).code).toBe(0);
    return fake.requests.slice(before).map(({ operation }) => operation);
  };
  expect(await sentBy('5.1/no-header')).toContain('deleteRateLimitPolicy');
  expect(await sentBy('5.1/no-header@listExperiments')).not.toContain('deleteRateLimitPolicy');
  const { stderr } = await repeat('5.1/no-header@nothing');
  expect(stderr).toContain('names no requirement');
});

test.each([
  [['4.2/take-maximun'], /no requirement 4\.2\/take-maximun; did you mean 4\.2\/take-maximum/],
  [['4.2/take-maximum', '--report', folder], /there is no report/],
])('%j is wrong usage', async (args, message) => {
  const { code, stderr } = await runHere(['repeat', '--report', reports, ...args]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test('a report names no command to run', async () => {
  const file = join(reports, 'report.json');
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const words = ['--token-command', `touch ${join(folder, 'ran')}`];
  const other = join(folder, 'other.json');
  writeFileSync(other, JSON.stringify({ ...report, run: { ...report.run, arguments: words } }));
  await runHere(['repeat', '4.2/take-maximum', '--report', other]);
  expect(() => readFileSync(join(folder, 'ran'))).toThrow('ENOENT');
});
