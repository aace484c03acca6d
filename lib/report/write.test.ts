import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { failingRun, hostileRun } from '../../test/sample-runs.ts';
import { parseReportText } from './parse.ts';
import { writeReports } from './write.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'report-'));
});

/** What the function prints to standard output. */
async function printedBy(act: () => Promise<void>): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await act();
  const printed = write.mock.calls.map(([text]) => String(text)).join('');
  write.mockRestore();
  return printed;
}

test('writes all files, and nothing else stays', async () => {
  await writeReports(failingRun(), join(directory, 'a/b'), 'failures', {});
  expect(await readdir(join(directory, 'a/b'))).toEqual([
    'badge.svg',
    'ctrf.json',
    'exchanges.har',
    'index.html',
    'junit.xml',
    'repeat',
    'report.json',
    'summary.md',
  ]);
});

test('every file that people read has the notes of the run', async () => {
  const report = failingRun();
  await writeReports(
    { ...report, run: { ...report.run, notes: ['away for <3> s'] } },
    directory,
    'failures',
    {},
  );
  for (const file of ['index.html', 'summary.md', 'junit.xml', 'ctrf.json'])
    expect(await readFile(join(directory, file), 'utf8')).toMatch(/away for (&lt;|<)3(&gt;|>) s/);
});

test('what a hostile target sent is bounded, and the report is one all the same', async () => {
  await writeReports(hostileRun(), directory, 'none', {});
  const { size } = await stat(join(directory, 'report.json'));
  expect(size).toBeLessThan(20_000_000);
  const report = parseReportText(await readFile(join(directory, 'report.json'), 'utf8'));
  for (const { exchanges } of report.requirements)
    for (const exchange of exchanges) expect(JSON.stringify(exchange).length).toBeLessThan(64 * 1024);
});

test('a report is written even if JSON nests deeper than the stack', async () => {
  let deep: unknown = 'leaf';
  for (let level = 0; level < 100_000; level += 1) deep = { scopes: [deep] };
  const [first, ...others] = failingRun().requirements;
  if (first === undefined) throw new Error('no requirement');
  const [exchange] = failingRun().requirements.flatMap(({ exchanges }) => exchanges);
  if (exchange === undefined) throw new Error('no exchange');
  const request = { ...exchange.request, token: { claims: deep } };
  const result = { ...first, counterexample: deep, exchanges: [{ ...exchange, request }] };
  const report = { ...failingRun(), requirements: [result, ...others] };
  await writeReports(report, directory, 'failures', {});
  expect(parseReportText(await readFile(join(directory, 'report.json'), 'utf8')).verdict).toBe(
    'does-not-conform',
  );
});

test('a report of more than 20 MB gives up exchanges, not verdicts', async () => {
  const { requirements, ...report } = failingRun();
  const broken = requirements.filter(({ exchanges }) => exchanges.length > 0);
  const many = Array.from({ length: 10 }, (_, index) => index).flatMap((index) =>
    broken.map((result) => ({
      ...result,
      id: `${result.id}-${index}`,
      exchanges: result.exchanges.flatMap((exchange) => {
        const request = { ...exchange.request, body: 'x'.repeat(40_000) };
        return [
          { ...exchange, request },
          { ...exchange, request },
        ];
      }),
    })),
  );
  expect(JSON.stringify(many).length).toBeGreaterThan(20_000_000);
  await writeReports({ ...report, requirements: many }, directory, 'none', {});
  expect((await stat(join(directory, 'report.json'))).size).toBeLessThan(20_000_000);
  const read = parseReportText(await readFile(join(directory, 'report.json'), 'utf8'));
  expect(read.requirements).toHaveLength(many.length);
});

test('without an archive no old one stays next to the report', async () => {
  await writeFile(join(directory, 'exchanges.har'), 'old');
  await writeReports(failingRun(), directory, 'none', {});
  expect(await readdir(directory)).not.toContain('exchanges.har');
});

test('GitHub Actions gets annotations, escaped, and the step’s summary', async () => {
  const file = join(directory, 'step.md');
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file };
  const printed = await printedBy(() => writeReports(hostileRun(), directory, 'none', env));
  const lines = printed.trimEnd().split('\n');
  // Whatever a target sends begins no line of its own, and no command within one.
  expect(printed).not.toContain('::error::');
  for (const line of lines) expect(line).toMatch(/^::(error|warning) title=[^:,]+::/);
  expect(await readFile(file, 'utf8')).toMatch(/^## ❌ Does not conform/);
});

test('without GitHub Actions nothing is printed', async () => {
  expect(await printedBy(() => writeReports(failingRun(), directory, 'failures', {}))).toBe('');
});
