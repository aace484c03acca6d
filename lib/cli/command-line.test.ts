import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningCli, runCli, startCli } from '../../test/child-process.ts';
import { runHere } from '../../test/in-process.ts';
import { faults } from '../mutation/faults/index.ts';
import { parseReportText } from '../report/parse.ts';
import type { Report } from '../report/report.ts';

const folder = mkdtempSync(join(tmpdir(), 'command-line-'));
const key = join(folder, 'key.jwk');
const jwks = join(folder, 'jwks.json');
const secret = 'a-secret-of-the-client';

let fake: RunningCli;
let [baseUrl, control, token] = ['', '', ''];

beforeAll(async () => {
  await runHere(['keys', '--out', key, '--jwks', jwks]);
  fake = startFakeProcess();
  const printed = await fake.until('Ctrl-C stops it');
  baseUrl = /^base URL +(\S+)/m.exec(printed)?.[1] ?? '';
  control = /^control +(\S+)/m.exec(printed)?.[1] ?? '';
  token = /^TOKEN=(\S+)/m.exec(printed)?.[1] ?? '';
});

afterAll(async () => {
  fake.child.kill('SIGINT');
  expect((await fake.ended).code).toBe(0);
});

function faultOf(id: string): string {
  return faults.find(({ requirement }) => requirement === id)?.name ?? '';
}

function startFakeProcess(...more: readonly string[]): RunningCli {
  const flags = [...more, '--control-port', '0', '--trusted-jwks', jwks, '--client-id', 'tester'];
  return startCli(['fake', ...flags], { CONFORMANCE_CLIENT_SECRET: secret });
}

/** Every text in a folder. */
function texts(directory: string): string {
  return readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('\n');
}

function reportIn(directory: string): Report {
  return parseReportText(readFileSync(join(directory, 'report.json'), 'utf8'));
}

/** As `judge`, within this process: for what a process of its own is not needed. */
async function judgeHere(name: string, args: readonly string[], environment: Record<string, string> = {}) {
  const reportDir = join(folder, name);
  const ended = await runHere(
    ['--report-dir', reportDir, '--runs', '3', '--seed', '1', ...args],
    environment,
  );
  return { ...ended, reportDir, report: () => reportIn(reportDir) };
}

/** Judges little, so that it is quick, and leaves the reports in a folder of their own. */
async function judge(name: string, args: readonly string[], environment: Record<string, string> = {}) {
  const reportDir = join(folder, name);
  const ended = await runCli(['--report-dir', reportDir, '--runs', '3', '--seed', '1', ...args], environment);
  return { ...ended, reportDir, report: () => reportIn(reportDir) };
}

describe('a run', () => {
  test('of the embedded fake finds nothing, says what was left out, and leaves every report', async () => {
    const { code, stdout, report, reportDir } = await judge('embedded', ['--only', '4.5', '--only', '5.4']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/INCOMPLETE {2}13 of \d+ stated requirements judged, \d+ deselected/);
    expect(report()).toMatchObject({ verdict: 'incomplete', run: { seed: 1 } });
    for (const name of ['report.json', 'junit.xml', 'index.html', 'summary.md', 'exchanges.har'])
      expect(existsSync(join(reportDir, name))).toBe(true);
  });

  test('of a fake in another process comes to the same verdicts, with everything given', async () => {
    const only = ['--only', '4.5', '--only', '5.4', '--only', '5.1', '--only', '4.3'];
    const own = await judgeHere('own', only);
    const args = ['--base-url', baseUrl, '--control', control, '--signing-key', key, '--client-id', 'tester'];
    const other = await judgeHere('other', [...args, ...only], { CONFORMANCE_CLIENT_SECRET: secret });
    expect(other.code).toBe(0);
    const verdicts = ({ requirements }: Report) =>
      requirements
        // Its client has every scope, so that there is none to refuse.
        .filter(({ id }) => id !== '5.4/token-scoped')
        .map(({ id, verdict }) => `${id} ${verdict}`);
    expect(verdicts(other.report())).toEqual(verdicts(own.report()));
    expect(other.stderr).toMatch(/about \d+ requests/);
    expect(other.stderr).toMatch(/tenant's data is replaced during the run and restored/);
  });

  test('with only a base URL judges what needs no token, and names the options for the rest', async () => {
    const { code, stdout, report } = await judgeHere('bare', ['--base-url', baseUrl]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/INCOMPLETE/);
    expect(stdout).toMatch(/no valid token\n +needs +--signing-key +--token-command +--token/);
    const { stated } = report().summary;
    expect(stated.passed).toBeGreaterThan(0);
    expect(stated.not_judged).toBeGreaterThan(100);
  });

  test.each([
    ['token', () => ['--token', token], {}, judgeHere],
    ['client', () => ['--client-id', 'tester'], { CONFORMANCE_CLIENT_SECRET: secret }, judgeHere],
    ['variable', () => [], { CONFORMANCE_TOKEN: 'env:MY_TOKEN' }, judge],
    ['command', () => ['--token-command', 'printf %s "$MY_TOKEN"'], {}, judgeHere],
  ])('with a %s judges more, and prints no secret', async (name, args, environment, run) => {
    const only = ['--only', '4.2/take-maximum', '--only', '5.1/valid-token'];
    const { code, stdout, stderr, reportDir, report } = await run(
      name,
      ['--base-url', baseUrl, ...args(), ...only],
      { ...environment, MY_TOKEN: token },
    );
    expect(code).toBe(0);
    expect(report().requirements.find(({ id }) => id === '4.2/take-maximum')?.verdict).toBe('passed');
    const everything = stdout + stderr + texts(reportDir);
    for (const hidden of [token, secret]) expect(everything).not.toContain(hidden);
  });

  test('takes all of it from a profile', async () => {
    const profile = join(folder, 'conformance.yaml');
    const lines = [`base_url: ${baseUrl}`, 'signing_key: key.jwk', 'only: [4.2/take*]', 'runs: 2', 'seed: 5'];
    writeFileSync(profile, lines.join('\n'));
    const reportDir = join(folder, 'profiled');
    const { code } = await runCli(['--profile', profile, '--seed', '6', '--report-dir', reportDir]);
    expect(code).toBe(0);
    const { run, requirements } = reportIn(reportDir);
    expect(run.seed).toBe(6);
    expect(requirements[0]?.rerun).toBe(
      `npm test -- --profile ${profile} --report-dir ${reportDir} --seed 6 --only '${requirements[0]?.id}'`,
    );
  });

  test('of a fake with a fault fails with 1, names what is broken, and how to see it again', async () => {
    const broken = startFakeProcess('--fault', faultOf('4.2/take-maximum'));
    const url = /^base URL +(\S+)/m.exec(await broken.until('Ctrl-C stops it'))?.[1] ?? '';
    const args = ['--base-url', url, '--signing-key', key, '--only', '4.2/take-m*'];
    const { code, stdout, report } = await judgeHere('broken', args);
    broken.child.kill('SIGINT');
    expect(code).toBe(1);
    expect(stdout).toMatch(/4\.2\/take-maximum/);
    const found = report().requirements.find(({ id }) => id === '4.2/take-maximum');
    expect(found?.verdict).toBe('failed');
    expect(found?.rerun).toMatch(/--signing-key \S+ .*--seed 1 --only '4\.2\/take-maximum'$/);
  });

  test('that is quiet prints little, one with a baseline excuses what it lists', async () => {
    const baseline = join(folder, 'baseline.yaml');
    writeFileSync(baseline, '- id: 4.5/reads\n  reason: known\n');
    const { code, stdout } = await judgeHere('baseline', [
      '--only',
      '4.5',
      '--quiet',
      '--baseline',
      baseline,
    ]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/4\.5\/reads/);
    const updated = await judgeHere('updated', [
      '--only',
      '4.5',
      '--quiet',
      '--baseline',
      baseline,
      '--update-baseline',
    ]);
    expect(updated.code).toBe(0);
    expect(readFileSync(baseline, 'utf8').trim()).toBe('[]');
    writeFileSync(baseline, '- id: 4.5/nothing\n  reason: known\n');
    const wrong = await judgeHere('wrong', ['--only', '4.5', '--baseline', baseline]);
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no requirement 4.5/nothing'),
    });
  });

  test('in shards is merged to the whole', async () => {
    const only = ['--only', '4.5', '--only', '5.1', '--only', '4.3'];
    const first = await judgeHere('s1', ['--shard', '1/2', ...only]);
    const second = await judgeHere('s2', ['--shard', '2/2', ...only]);
    const places = [first.reportDir, second.reportDir];
    const merged = await runHere(['merge', ...places, '--report-dir', join(folder, 'merged')]);
    expect(merged.code).toBe(0);
    const whole = (await judgeHere('whole', only)).report();
    const found = reportIn(join(folder, 'merged'));
    expect(found.requirements.map(({ id, verdict }) => [id, verdict])).toEqual(
      whole.requirements.map(({ id, verdict }) => [id, verdict]),
    );
    expect(found).toMatchObject({ verdict: whole.verdict, summary: whole.summary });
    const rendered = await runHere([
      'render',
      join(folder, 'merged'),
      '--report-dir',
      join(folder, 'rendered'),
    ]);
    expect(rendered.code).toBe(0);
    expect(existsSync(join(folder, 'rendered', 'index.html'))).toBe(true);
  });
});

/** Little, but slowly: a run that lasts for seconds, and costs the machine nothing. */
const lasting = ['--only', '4.2/take*', '--only', '5.1', '--runs', '4', '--seed', '1', '--rate', '60'];

/** Base URL of a server of the test's own. */
async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

describe.concurrent('a run that ends early', () => {
  test('by Ctrl-C reports what it has, puts clock and data back, and ends with 130', async () => {
    const before = await (await fetch(`${control}/tenant`)).text();
    const reportDir = join(folder, 'interrupted');
    const args = [
      '--base-url',
      baseUrl,
      '--control',
      control,
      '--signing-key',
      key,
      '--report-dir',
      reportDir,
    ];
    const run = startCli([...args, ...lasting]);
    await run.until('will change');
    await sleep(500);
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/interrupted: restoring/);
    const report = reportIn(reportDir);
    expect(report.run.ended_early).toBe('interrupted');
    expect(report.verdict).toBe('incomplete');
    expect(await (await fetch(`${control}/tenant`)).text()).toBe(before);
  });

  test('ends at once at the second Ctrl-C, whatever is still to be put back', async () => {
    const hanging = createServer((request, response) => {
      if (request.method === 'PUT') return;
      response.writeHead(request.url === '/' ? 200 : 401).end('{"supports":["clock"]}');
    });
    const url = await listening(hanging);
    const run = startCli([
      '--base-url',
      `${url}/api/v2`,
      '--control',
      url,
      '--report-dir',
      join(folder, 'twice'),
      ...lasting,
    ]);
    await run.until('will change');
    await sleep(500);
    run.child.kill('SIGINT');
    await run.until('interrupted');
    // As long as the same key press may come twice.
    await sleep(700);
    const again = performance.now();
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(performance.now() - again).toBeLessThan(3000);
    hanging.closeAllConnections();
    hanging.close();
  });

  test('because the target is killed half-way reports no violation, and ends with 3', async () => {
    const victim = startFakeProcess();
    const printed = await victim.until('Ctrl-C stops it');
    const url = /^base URL +(\S+)/m.exec(printed)?.[1] ?? '';
    const reportDir = join(folder, 'killed');
    const target = ['--base-url', url, '--signing-key', key, '--restart-wait', '2'];
    const run = startCli([...target, '--report-dir', reportDir, ...lasting]);
    await run.until('will change');
    await sleep(500);
    victim.child.kill('SIGKILL');
    const { code } = await run.ended;
    expect(code).toBe(3);
    const { summary, verdict } = reportIn(reportDir);
    expect(summary.stated.failed).toBe(0);
    expect(summary.stated.error).toBeGreaterThan(0);
    expect(verdict).toBe('incomplete');
  });

  test('by Ctrl-C while the target hangs in the preflight ends at once', async () => {
    const hanging = createServer((request, response) => {
      if (request.headers.authorization === undefined) response.writeHead(401).end();
      // Once, however many requests hang: the second signal ends the process at once.
      else if (!run.child.killed) run.child.kill('SIGINT');
    });
    const url = await listening(hanging);
    const reportDir = join(folder, 'hanging');
    const run = startCli(['--base-url', `${url}/api/v2`, '--report-dir', reportDir, ...lasting], {
      CONFORMANCE_TOKEN: 'opaque-token',
    });
    await run.until('interrupted');
    const interrupted = performance.now();
    expect((await run.ended).code).toBe(130);
    expect(performance.now() - interrupted).toBeLessThan(10_000);
    hanging.closeAllConnections();
    hanging.close();
    expect(reportIn(reportDir).run).toMatchObject({ ended_early: 'interrupted', requests: 0 });
  });
});

describe('a run that ends', () => {
  test.each([
    ['unreachable', () => ['--base-url', 'http://127.0.0.1:9/api/v2'], /No server is listening at/],
    [
      'refused',
      () => ['--base-url', baseUrl, '--token', 'eyJhbGciOiJub25lIn0.e30.c2ln'],
      /refuses the credentials/,
    ],
    [
      'tls',
      () => ['--base-url', baseUrl.replace('http:', 'https:')],
      /No server speaks this protocol .*right scheme/,
    ],
  ])(
    'before it began (%s) says why in a paragraph, with 3, and still reports',
    async (name, args, message) => {
      const { code, stderr, report } = await judgeHere(name, args());
      expect(code).toBe(3);
      expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(message);
      expect(stderr).not.toMatch(/^ +at /m);
      expect(report().run.ended_early).toMatch(message);
    },
  );
});

describe('the other commands', () => {
  test('--help names options and exit codes', async () => {
    const { code, stdout } = await runHere(['--help']);
    expect(code).toBe(0);
    for (const text of ['--base-url <URL>', 'Exit codes:', 'fake', 'keys', 'merge'])
      expect(stdout).toContain(text);
  });

  test('--list is a table or JSON, and needs no target', async () => {
    const { code, stdout } = await runHere(['--list', '--only', '4.2']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^4\.2\/take-maximum +stated /m);
    const listed: unknown = JSON.parse(
      (await runHere(['--list', '--json', '--only', '4.2/take-maximum'])).stdout,
    );
    expect(listed).toMatchObject([
      { id: '4.2/take-maximum', section: '4.2', operations: ['listExperiments'] },
    ]);
  });

  test('keys makes a key that only its owner can read, and replaces none without --force', async () => {
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(jwks, 'utf8'))).toMatchObject({ keys: [{ kty: 'EC', crv: 'P-256' }] });
    expect(readFileSync(jwks, 'utf8')).not.toContain('"d"');
    expect(await runHere(['keys', '--out', key])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(' exists; use --force'),
    });
  });

  test('fake says in one line why it cannot start', async () => {
    const { port } = new URL(baseUrl);
    expect(await runHere(['fake', '--port', port])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('address already in use'),
    });
  });
});
