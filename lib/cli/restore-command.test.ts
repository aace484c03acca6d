import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../test/in-process.ts';
import { parseDataSet } from '../contract/data-set.ts';
import { differences } from '../contract/data-set-differences.ts';
import { type Fake, startFake } from '../fake/index.ts';
import { tenantBackup } from './saved-tenant.ts';

const file = join(mkdtempSync(join(tmpdir(), 'restore-')), 'tenant.json');

let fake: Fake;
beforeAll(async () => {
  fake = await startFake({ control: true });
});
afterAll(() => fake.close());

async function tenantOf(control: string) {
  const response = await fetch(`${control}/tenant`);
  return parseDataSet(await response.json());
}

test('puts back what a killed run saved, and deletes the file', async () => {
  const control = fake.controlUrl ?? '';
  const before = await tenantOf(control);
  tenantBackup(file, control).save(before);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const other = { ...before, experiments: [], rate_limit_policies: [{ id: 'left-behind' }] };
  await fetch(`${control}/tenant`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(other),
  });
  expect(differences(before, await tenantOf(control))).toContain(
    'rate_limit_policies: left-behind was not there before',
  );
  const { code, stdout } = await runHere(['restore', file]);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('is deleted') });
  expect(await tenantOf(control)).toEqual(before);
  expect(existsSync(file)).toBe(false);
});

test('keeps the file if the target cannot be reached', async () => {
  tenantBackup(file, 'http://127.0.0.1:9').save(await tenantOf(fake.controlUrl ?? ''));
  const { code, stderr } = await runHere(['restore', file]);
  expect(code).toBe(3);
  expect(stderr).toMatch(/^error: control: GET .*; the data is still in [^\n]+\n$/);
  expect(existsSync(file)).toBe(true);
});

test.each([
  ['{}', 'version is missing'],
  ['{', 'JSON'],
  ['{"version":1,"control":"http://x","saved_at":"","tenant":{}}', 'phone_templates'],
])('%s is refused', async (text, message) => {
  writeFileSync(file, text);
  expect(await runHere(['restore', file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  });
});
