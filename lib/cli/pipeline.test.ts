import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCli } from '../../test/child-process.ts';
import { runHere } from '../../test/in-process.ts';
import { type Fake, startFake } from '../fake/index.ts';
import { parseReportText } from '../report/parse.ts';
import { lockTenant } from './lock.ts';

/** How the command line behaves among other programs: closed pipes, full disks, directories that can't be used. */

const folder = mkdtempSync(join(tmpdir(), 'pipeline-'));

test.each([
  ['--help', ['--help']],
  ['a list', ['--list', '--json']],
  ['a run', ['--only', '4.5/reads', '--seed', '1', '--report-dir', join(folder, 'pipe')]],
])('a closed pipe ends %s quietly, with its own exit code', async (_, args) => {
  const run = startCli(args);
  run.child.stdout?.destroy();
  run.child.stderr?.destroy();
  expect((await run.ended).code).toBe(0);
});

describe('the report directory', () => {
  test('that cannot be made is wrong usage, before anything is sent', async () => {
    const { code, stdout, stderr } = await runHere(['--report-dir', '/proc/conformance/reports']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: --report-dir \/proc\/conformance\/reports: ENOENT[^\n]*\n$/);
  });

  test('gets the report even if the baseline cannot be written', async () => {
    const reportDir = join(folder, 'baseline');
    const args = ['--only', '4.5/reads', '--seed', '1', '--report-dir', reportDir];
    const { code, stderr } = await runHere([...args, '--baseline', '/proc/nowhere/b', '--update-baseline']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: --baseline: ENOENT/m);
    expect(parseReportText(readFileSync(join(reportDir, 'report.json'), 'utf8')).verdict).toBe('incomplete');
  });

  test('of a merge is checked too', async () => {
    const reportDir = join(folder, 'merged');
    await runHere(['--only', '4.5/reads', '--seed', '1', '--report-dir', reportDir]);
    const { code, stderr } = await runHere(['merge', reportDir, '--report-dir', '/proc/conformance']);
    expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 2, lines: 2 });
  });

  test('that another run is writing to is wrong usage; what a dead run has left there is not', async () => {
    const reportDir = join(folder, 'locked');
    const args = ['--only', '4.5/reads', '--seed', '1', '--report-dir', reportDir];
    expect((await runHere(args)).code).toBe(0);
    const lock = (pid: number) =>
      writeFileSync(join(reportDir, '.lock'), JSON.stringify({ pid, host: hostname() }));
    lock(process.ppid);
    expect(await runHere(args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`another run (process ${process.ppid}) is writing to it`),
    });
    // Beyond the largest process ID.
    lock(99_999_999);
    expect((await runHere(args)).code).toBe(0);
  });

  test('whose report cannot be written loses nothing on the screen, and does not succeed', async () => {
    const reportDir = join(folder, 'full');
    const args = ['--only', '4.5/reads', '--seed', '1', '--report-dir', reportDir];
    await runHere(args);
    // A file cannot be moved over a directory.
    rmSync(join(reportDir, 'report.json'));
    mkdirSync(join(reportDir, 'report.json'));
    const { code, stdout, stderr } = await runHere(args);
    expect(code).toBe(3);
    expect(stdout).toMatch(/judged/);
    expect(stderr).toMatch(/^error: the reports could not be written to /m);
  });
});

test('a tenant that another run uses is wrong usage', async () => {
  await using fake = await startFake({ control: true });
  const control = fake.controlUrl ?? '';
  const release = lockTenant(control);
  const reportDir = join(folder, 'second');
  const args = [
    '--base-url',
    fake.url,
    '--control',
    control,
    '--only',
    '4.5/reads',
    '--report-dir',
    reportDir,
  ];
  expect(await startCli(args).ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`another run (process ${process.pid}) uses this tenant`),
  });
  release();
  expect((await startCli(args).ended).stderr).not.toContain('another run');
});

describe('--failed', () => {
  let fake: Fake;
  beforeAll(async () => {
    // A server that accepts every page size.
    fake = await startFake({
      rules: (usual) => ({ ...usual, parameters: { ...usual.parameters, violations: () => [] } }),
    });
  });
  afterAll(() => fake.close());

  test('tests again what failed, and says if nothing failed', async () => {
    const reportDir = join(folder, 'failed');
    const environment = { CONFORMANCE_TOKEN: await fake.token() };
    const args = ['--base-url', fake.url, '--seed', '1', '--runs', '2', '--report-dir', reportDir];
    const report = () => parseReportText(readFileSync(join(reportDir, 'report.json'), 'utf8'));
    const judged = () =>
      report().requirements.flatMap(({ id, verdict }) => (verdict === 'not-judged' ? [] : [id]));
    const none = await runHere([...args, '--failed'], environment);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no report at') });

    const only = ['--only', '4.2/take-m*', '--only', '4.2/status-accepted'];
    await runHere([...args, ...only], environment);
    expect(judged()).toContain('4.2/status-accepted');
    expect((await runHere([...args, '--failed'], environment)).code).toBe(1);
    expect(judged()).toContain('4.2/take-maximum');
    expect(judged()).not.toContain('4.2/status-accepted');

    // What was not judged again still counts as failed: after a selection, and after a run that ended early.
    await runHere([...args, '--only', '4.2/status-accepted'], environment);
    expect(judged()).toEqual(['4.2/status-accepted']);
    expect(report().run.failed_before).toContain('4.2/take-maximum');
    await runHere(['--base-url', 'http://127.0.0.1:9/api/v2', '--report-dir', reportDir, '--failed']);
    expect(judged()).toEqual([]);
    expect((await runHere([...args, '--failed'], environment)).code).toBe(1);
    expect(judged()).toContain('4.2/take-maximum');
    expect(judged()).not.toContain('4.2/status-accepted');

    // What passes now does not.
    await runHere(['--only', '4.2/take-m*', '--seed', '1', '--report-dir', reportDir]);
    const conforming = ['--only', '4.5/reads', '--seed', '1', '--report-dir', reportDir];
    await runHere(conforming);
    expect(await runHere([...conforming, '--failed'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('nothing that --only selects failed'),
    });
  });
});
