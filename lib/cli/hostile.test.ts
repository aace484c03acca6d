import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { runCli } from '../../test/child-process.ts';
import { behaviors, elsewhere, startHostile } from '../../test/hostile-targets.ts';
import type { HostileRun } from '../../test/run-hostile.ts';
import type { SocketServer } from '../../test/socket-server.ts';
import { parseReportText } from '../report/parse.ts';

/** Targets that misbehave on real sockets: each run ends soon, in little memory, its verdict is honest, there is a report. */

const names = Object.keys(behaviors);

/** Longest run, in seconds, on a busy machine. */
const longest = 60;

/** What is not bounded takes more than a gigabyte: bodies of 50 or 100 MB, 16 at a time. Node 24 needs more memory than Node 20. */
const mostMegabytes = 600;

const open: SocketServer[] = [elsewhere];
afterAll(async () => {
  for (const server of open) await server.close();
});

/** Processes for each of the two rounds: they wait half of the time. */
const processes = 2;

/**
 * Starts processes that test all targets, each one after another: so that each has little memory, and none can hide what it leaves
 * behind. Returns a function that gives the run against one of them, called in their order.
 */
async function testAll(goodRequests: number): Promise<(name: string) => Promise<HostileRun>> {
  const parts = Array.from({ length: processes }, (_, part) =>
    testOneByOne(
      names.filter((_, index) => index % processes === part),
      goodRequests,
    ),
  );
  const started = await Promise.all(parts);
  return (name) => started[names.indexOf(name) % processes]?.(name) ?? Promise.reject(new Error(name));
}

async function testOneByOne(
  targets: readonly string[],
  goodRequests: number,
): Promise<(name: string) => Promise<HostileRun>> {
  const urls = new Map<string, string>();
  for (const name of targets) {
    const server = await startHostile(name, goodRequests);
    open.push(server);
    urls.set(name, `${server.url}/api/v2`);
  }
  const script = fileURLToPath(new URL('../../test/run-hostile.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=512', '--import', 'tsx', script, ...urls.values()],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (name) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('the process has ended: it ran out of memory, or crashed');
      const run: HostileRun = JSON.parse(value);
      if (run.baseUrl === urls.get(name)) return run;
    }
  };
}

const fromTheStart = await testAll(0);
const afterGoodResponses = await testAll(60);

describe.each([
  ['from the start', fromTheStart],
  ['after 60 good responses', afterGoodResponses],
])('%s', (_, runAgainst) => {
  test.each(names)(
    'a target that %s',
    async (name) => {
      const run = await runAgainst(name);
      expect(run.verdict).not.toBe('conforms');
      expect([1, 3]).toContain(run.code);
      expect(run.seconds).toBeLessThan(longest);
      expect(run.peakMegabytes).toBeLessThan(mostMegabytes);
      // What is broken is the target; the suite itself breaks nowhere.
      expect(run.reasons.join('\n')).not.toMatch(/TypeError|RangeError|undefined|internal error/);
    },
    2 * longest * 1000,
  );
});

test('no token is ever led to another host', () => {
  expect(elsewhere.connections).toBe(0);
});

test('the command against a target that dies half-way: an honest exit code, every report', async () => {
  const server = await startHostile('resets the connection', 60);
  const reportDir = mkdtempSync(join(tmpdir(), 'hostile-'));
  // The target answers a chunked body before its end; the suite then waits until the time limit.
  const limits = ['--runs', '2', '--restart-wait', '1', '--timeout', '1000'];
  const args = ['--base-url', `${server.url}/api/v2`, ...limits];
  const { code } = await runCli([...args, '--report-dir', reportDir], { CONFORMANCE_TOKEN: 'opaque-token' });
  await server.close();
  expect([1, 3]).toContain(code);
  const { verdict } = parseReportText(readFileSync(join(reportDir, 'report.json'), 'utf8'));
  expect(verdict).not.toBe('conforms');
  for (const name of ['junit.xml', 'index.html', 'summary.md', 'exchanges.har'])
    expect(existsSync(join(reportDir, name))).toBe(true);
});
