import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCli, startCli } from '../../test/child-process.ts';
import { runHere } from '../../test/in-process.ts';
import { startProxy } from '../../test/tcp-proxy.ts';
import { ControlError } from '../control/control.ts';
import { startFake } from '../fake/index.ts';
import { parseReportText } from '../report/parse.ts';
import { exitCode } from '../report/summary.ts';
import { Availability, type AvailabilityOptions } from '../runner/availability.ts';
import { runConformance } from './run.ts';

/** Every run ends: by itself, in a bounded time, with a report that says why and a tenant that is as it was. */

const reportIn = (directory: string) => parseReportText(readFileSync(join(directory, 'report.json'), 'utf8'));
const newDirectory = () => mkdtempSync(join(tmpdir(), 'ends-'));

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/api/v2`;
}

async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await sleep(20);
}

test('--max-time ends a run: exit code 3, the tenant as it was, the report says so', async () => {
  const fake = await startFake({ control: true, latency: 100 });
  onTestFinished(() => fake.close());
  fake.seed({ ...fake.dataSet, experiments: fake.dataSet.experiments.slice(0, 3) });
  const before = JSON.stringify(fake.dataSet);
  const reportDir = newDirectory();
  const target = ['--base-url', fake.url, '--control', fake.controlUrl ?? '', '--report-dir', reportDir];
  const { code, stdout } = await runCli([...target, '--max-time', '4'], {
    CONFORMANCE_TOKEN: await fake.token(),
  });
  expect(code).toBe(3);
  expect(stdout).toContain('early: the run was ended after 4 s (--max-time)');
  const { run, verdict, summary } = reportIn(reportDir);
  expect({ verdict, ended: run.ended_early }).toEqual({
    verdict: 'incomplete',
    ended: 'the run was ended after 4 s (--max-time)',
  });
  expect(summary.stated).toMatchObject({ failed: 0, error: 0 });
  expect(JSON.stringify(fake.dataSet)).toBe(before);
  expect(existsSync(join(reportDir, 'saved-tenant.json'))).toBe(false);
});

test('a server that is stopped ends the run, and its data is put back when it goes on', async () => {
  const server = startCli(['fake', '--control-port', '0']);
  onTestFinished(() => void server.child.kill('SIGKILL'));
  const greeting = await server.until(/eyJ[\w.-]+/);
  const [baseUrl = ''] = /http:\S+\/api\/v2/.exec(greeting) ?? [];
  const [, control = ''] = /control\S* +(http:\S+)/i.exec(greeting) ?? [];
  const [token = ''] = /eyJ[\w.-]+/.exec(greeting) ?? [];
  const tenant = async () => (await fetch(`${control}/tenant`)).text();
  const { experiments, ...rest } = JSON.parse(await tenant());
  await fetch(`${control}/tenant`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...rest, experiments: experiments.slice(0, 3) }),
  });
  const before = await tenant();
  const reportDir = newDirectory();
  const saved = join(reportDir, 'saved-tenant.json');
  const args = ['--base-url', baseUrl, '--control', control, '--report-dir', reportDir, '--timeout', '1000'];
  const run = startCli(args, { CONFORMANCE_TOKEN: token });
  await until(() => existsSync(saved));
  server.child.kill('SIGSTOP');
  const { code, stderr } = await run.ended;
  expect(code).toBe(3);
  expect(stderr).toMatch(/warning: the tenant's data could not be put back: /);
  const { notes, ended_early } = reportIn(reportDir).run;
  expect(ended_early).toMatch(/^the target has not responded for|^control: /);
  expect(notes).toContainEqual(expect.stringContaining("the tenant's data could not be put back"));
  server.child.kill('SIGCONT');
  // What was under way when it stopped is carried out first.
  for (let earlier = ''; earlier !== (await tenant()); await sleep(500)) earlier = await tenant();
  expect(await runHere([...args, '--only', '4.2/reads'], { CONFORMANCE_TOKEN: token })).toMatchObject({
    code: 0,
  });
  expect(await tenant()).toBe(before);
});

function availability(options: Partial<AvailabilityOptions>): Availability {
  return new Availability({
    isReachable: async () => false,
    waitMs: 0,
    onReturn: async () => {},
    onUnavailable: () => {},
    onRestart: () => {},
    ...options,
  });
}

test('requests without a response for 60 s end the run, however few are sent', () => {
  const reasons: string[] = [];
  const now = vi.spyOn(Date, 'now').mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  const ended = availability({ onUnavailable: (why) => reasons.push(why) });
  const timeout = (bodyBytes: number) =>
    ({
      number: 1,
      operation: 'a',
      request: { method: 'PUT', url: 'http://127.0.0.1/a', headers: [], bodyBytes, chunked: false },
      response: undefined,
      failure: { kind: 'timeout', message: '' },
      startedAt: 0,
      durationMs: 30_000,
    }) as const;
  // However long nothing was sent before.
  now.mockReturnValue(1_000_000);
  ended.record(timeout(0), '4.1/a', true);
  now.mockReturnValue(1_029_000);
  ended.record(timeout(1_000), '4.1/b', true);
  expect(reasons).toEqual([]);
  now.mockReturnValue(1_030_000);
  ended.record(timeout(1), '4.1/c', true);
  expect(reasons).toEqual([
    'the target has not responded for 60 s; the largest request was PUT http://127.0.0.1/a with 1,000 bytes (4.1/b)',
  ]);
});

test('a target that fails every request ends the run, and what it shows from then on is an error', async () => {
  const broken = { status: 500, headers: [], body: { message: 'broken' } };
  const fake = await startFake({
    control: true,
    rules: (usual) => ({
      ...usual,
      responses: { ...usual.responses, response: (other, { number }) => (number > 300 ? broken : other) },
    }),
  });
  onTestFinished(() => fake.close());
  const report = await runConformance({
    baseUrl: fake.url,
    signingKey: { ...fake.signingKey },
    seed: 1,
  });
  expect(report.run.ended_early).toMatch(/^the target fails every request: the last \d+ responses/);
  expect(report.requirements.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  expect(exitCode(report)).toBe(3);
});

test('a control endpoint that comes back later than the service is waited for', async () => {
  const resets = [new ControlError('PUT /clock: refused'), undefined];
  const isReachable = vi.fn(async () => true).mockResolvedValueOnce(false);
  const notes: string[] = [];
  const restarted = availability({
    isReachable,
    waitMs: 60_000,
    onReturn: async () => {
      const error = resets.shift();
      if (error !== undefined) throw error;
    },
    onRestart: (note) => notes.push(note),
  });
  expect(await restarted.recover(0, true)).toBe(true);
  expect(resets).toEqual([]);
  expect(notes).toHaveLength(1);
});

test('--restart-wait bounds the wait for a target that went away', async () => {
  const fake = await startFake();
  onTestFinished(() => fake.close());
  const proxy = await startProxy(Number(new URL(fake.url).port));
  const token = await fake.token();
  void until(() => fake.requests.length > 60).then(() => proxy.down());
  const began = performance.now();
  const report = await runConformance({
    baseUrl: `${proxy.origin}/api/v2`,
    token,
    only: ['4.2'],
    restartWait: 0.3,
  });
  expect(report.run.ended_early).toBe('the target became unavailable and did not respond again within 0.3 s');
  expect(performance.now() - began).toBeLessThan(25_000);
  expect(exitCode(report)).toBe(3);
});

test('a listing without an end ends the requirement, not the suite', async () => {
  let requests = 0;
  const baseUrl = await serve((_request, response) => {
    requests += 1;
    const body = { experiments: [{ id: `e${requests}` }], next: `n${requests}` };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  const only = ['8/checkpoint-walk-ends'];
  const report = await runConformance({ baseUrl, token: 'opaque', only, limits: { pages: 30 } });
  expect(report.requirements.find(({ id }) => id === only[0])).toMatchObject({
    verdict: 'error',
    reason: expect.stringContaining('does not end within 30 pages'),
  });
  expect(requests).toBeLessThan(120);
  expect(exitCode(report)).toBe(3);
});
