import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { differences } from '../contract/data-set-differences.ts';
import { inProcessControl } from '../control/in-process-control.ts';
import { startFake } from '../fake/index.ts';
import { Clock } from '../tokens/clock.ts';
import { tenantFile } from './saved-tenant.ts';

// Of the report directory, which nobody has made yet if a test runner runs the suite.
const file = join(mkdtempSync(join(tmpdir(), 'saved-')), 'reports', 'tenant.json');
const url = 'http://127.0.0.1:9';

await using fake = await startFake();
const control = inProcessControl(fake)(new Clock());

test('puts back what a killed run saved, and deletes the file', async () => {
  const before = await control.inspect();
  tenantFile(file, url).save(before);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await control.seed({ ...before, experiments: [], rate_limit_policies: [{ id: 'left-behind' }] });
  expect(differences(before, await control.inspect())).toContain(
    'rate_limit_policies: left-behind was not there before',
  );
  expect(await tenantFile(file, url).putBack(control)).toMatch(/^an earlier run did not finish: /);
  expect(await control.inspect()).toEqual(before);
  expect(existsSync(file)).toBe(false);
  expect(await tenantFile(file, url).putBack(control)).toBeUndefined();
});

test('keeps the data of another tenant, and says what puts it back', async () => {
  tenantFile(file, url).save(await control.inspect());
  await expect(tenantFile(file, 'http://127.0.0.1:8').putBack(control)).rejects.toThrow(
    `another tenant: a run with --control ${url} puts it back`,
  );
  expect(existsSync(file)).toBe(true);
});

test.each([
  ['{}', 'version is missing'],
  ['{', 'JSON'],
  ['{"version":1,"control":"http://x","saved_at":"","tenant":{}}', 'phone_templates'],
])('%s is refused', async (text, message) => {
  writeFileSync(file, text);
  await expect(tenantFile(file, url).putBack(control)).rejects.toThrow(message);
});
