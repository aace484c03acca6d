import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { runCli } from '../../test/child-process.ts';
import { behaviors, elsewhere, type HostileServer, startHostile } from '../../test/hostile-targets.ts';
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

/** Gives the run against the target of this name, and the target. Has to be called in their order. */
type RunAgainst = (name: string) => Promise<{ readonly run: HostileRun; readonly target: HostileServer }>;

/**
 * Starts processes that test the chosen targets, each one after another: so that each has little memory, and none can hide what it leaves
 * behind.
 */
async function testAll(chosen: readonly string[], goodRequests: number): Promise<RunAgainst> {
  const parts = Array.from({ length: processes }, (_, part) =>
    testOneByOne(
      chosen.filter((_, index) => index % processes === part),
      goodRequests,
    ),
  );
  const started = await Promise.all(parts);
  return (name) => started[chosen.indexOf(name) % processes]?.(name) ?? Promise.reject(new Error(name));
}

async function testOneByOne(chosen: readonly string[], goodRequests: number): Promise<RunAgainst> {
  const targets = new Map<string, HostileServer>();
  for (const name of chosen) targets.set(name, await startHostile(name, goodRequests));
  open.push(...targets.values());
  const urls = [...targets.values()].map(({ url }) => `${url}/api/v2`);
  // Only a target that has responded well can have changed.
  const options = goodRequests > 0 ? ['--read-only'] : [];
  const script = fileURLToPath(new URL('../../test/run-hostile.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=512', '--import', 'tsx', script, ...options, ...urls],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (name) => {
    const target = targets.get(name);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('the process has ended: it ran out of memory, or crashed');
      const run: HostileRun = JSON.parse(value);
      if (target && run.baseUrl === `${target.url}/api/v2`) return { run, target };
    }
  };
}

const fromTheStart = await testAll(names, 0);
/** Half of the targets, to save time, after half of the requests of a run. */
const later = names.filter((_, index) => index % 2 === 0);
const afterGoodResponses = await testAll(later, 8);

describe.each([
  { when: 'from the start', targets: names, runAgainst: fromTheStart },
  { when: 'after 8 good responses', targets: later, runAgainst: afterGoodResponses },
])('$when', ({ targets, runAgainst }) => {
  test.each(targets)(
    'a target that %s',
    async (name) => {
      const { run, target } = await runAgainst(name);
      expect(target.misbehaved).toBeGreaterThan(0);
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
