import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failingRun, hostileRun } from '../../test/sample-runs.ts';
import { parseReportText } from './parse.ts';
import { writeReports } from './write.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'report-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('writes all files, and nothing else stays', async () => {
  const written = await writeReports(failingRun(), join(directory, 'a/b'), { env: {} });
  expect(await readdir(join(directory, 'a/b'))).toEqual([
    'badge.svg',
    'exchanges.har',
    'index.html',
    'junit.xml',
    'report.json',
    'summary.md',
  ]);
  expect(written[0]).toBe(join(directory, 'a/b/report.json'));
});

test('what a hostile target sent comes back from the report as it was', async () => {
  await writeReports(hostileRun(), directory, { env: {}, har: 'none' });
  expect(parseReportText(await readFile(join(directory, 'report.json'), 'utf8'))).toEqual(hostileRun());
});

test('without an archive no old one stays beside the report', async () => {
  await writeFile(join(directory, 'exchanges.har'), 'old');
  await writeReports(failingRun(), directory, { env: {}, har: 'none' });
  expect(await readdir(directory)).not.toContain('exchanges.har');
});

test('GitHub Actions gets annotations, escaped, and the step’s summary', async () => {
  const file = join(directory, 'step.md');
  let printed = '';
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file };
  await writeReports(hostileRun(), directory, { env, har: 'none', print: (text) => (printed += text) });
  const lines = printed.trimEnd().split('\n');
  // 10 failures, 4 errors, 5 warnings: whatever a target sends begins no line of its own.
  expect(lines).toHaveLength(19);
  for (const line of lines) expect(line).toMatch(/^::(error|warning) title=[^:,]+::/);
  expect(await readFile(file, 'utf8')).toMatch(/^## ❌ Does not conform/);
});

test('without GitHub Actions nothing is printed', async () => {
  let printed = '';
  await writeReports(failingRun(), directory, { env: {}, print: (text) => (printed += text) });
  expect(printed).toBe('');
});
