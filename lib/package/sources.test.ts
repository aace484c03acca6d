import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isBuilt, recordFile, sourcesOf } from './sources.js';

const folder = mkdtempSync(join(tmpdir(), 'sources-'));
const file = (path: string) => join(folder, path);

beforeEach(() => {
  for (const each of ['lib/cli', 'suites', 'fixtures', 'reports', 'dist'])
    mkdirSync(file(each), { recursive: true });
  for (const each of [
    'lib/cli/main.ts',
    'suites/index.ts',
    'fixtures/openapi.yaml',
    'reports/report.schema.json',
  ])
    writeFileSync(file(each), 'as it was built');
  for (const each of ['package.json', 'tsconfig.json', 'tsconfig.build.json']) cpSync(each, file(each));
  writeFileSync(file(recordFile), sourcesOf(folder));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a build of these very sources is used', () => {
  expect(isBuilt(folder)).toBe(true);
});

test.each([
  ['was changed', () => writeFileSync(file('lib/cli/main.ts'), 'as it was edited')],
  ['was touched', () => utimesSync(file('suites/index.ts'), 1, 1)],
  ['is new', () => writeFileSync(file('suites/other.ts'), '')],
  ['is gone', () => rmSync(file('fixtures/openapi.yaml'))],
  ['was never built', () => rmSync(file('dist'), { recursive: true })],
])('a build is not used where something %s', (_, change) => {
  change();
  expect(isBuilt(folder)).toBe(false);
});
