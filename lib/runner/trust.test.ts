import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { suite } from '../../suites/index.ts';
import { startProxy } from '../../test/tcp-proxy.ts';
import { tenantFile } from '../cli/saved-tenant.ts';
import { type DataSet, parseDataSet } from '../contract/data-set.ts';
import { loadLedger } from '../contract/ledger.ts';
import { loadContract } from '../contract/load.ts';
import { ControlError } from '../control/control.ts';
import { inProcessControl } from '../control/in-process-control.ts';
import { type Fake, type FakeOptions, startFake } from '../fake/index.ts';
import { Clock } from '../tokens/clock.ts';
import { connectTarget, type Target, type TargetOptions } from './connect.ts';
import { expectServed } from './expect.ts';
import { type Check, requirement } from './requirement.ts';
import type { RunOptions } from './run-options.ts';
import { Runner, runSuite } from './runner.ts';

const contract = await loadContract();
const ledger = loadLedger();
const shipped = await startFake({ contract });
const runData = parseDataSet(shipped.dataSet);
await shipped.close();

/** What the tenant contains before a run: other data than the run's. */
const before: DataSet = {
  ...runData,
  phone_templates: { enrollment_message: 'ours {{code}}', verification_message: 'ours' },
  experiments: runData.experiments.slice(0, 5),
};

async function fakeWith(options: FakeOptions = {}): Promise<Fake> {
  const fake = await startFake({ contract, control: true, dataSet: before, ...options });
  onTestFinished(() => fake.close());
  return fake;
}

async function targetOf(fake: Fake, options: Partial<TargetOptions> = {}): Promise<Target> {
  const target = await connectTarget({
    contract,
    baseUrl: fake.url,
    control: fake.controlUrl ?? '',
    signingKey: fake.signingKey,
    ...options,
  });
  onTestFinished(() => target.close());
  return target;
}

const runOptions = (only: readonly string[], options: Partial<RunOptions> = {}): RunOptions => ({
  seed: 1,
  runs: 5,
  dataSet: runData,
  logWaitMs: 300,
  selected: new Set(
    suite.map(({ id }) => id).filter((id) => only.some((each) => id === each || id.startsWith(`${each}/`))),
  ),
  ...options,
});

/** Does something as soon as the fake has got so many requests. */
async function after(requests: number, fake: Fake, act: () => unknown): Promise<void> {
  while (fake.requests.length < requests) await sleep(5);
  await act();
}

const port = (fake: Fake) => Number(new URL(fake.url).port);

test('requirements can be run alone, in any order and again, with the same results', async () => {
  const fake = await fakeWith();
  const runner = new Runner(await targetOf(fake), ledger, suite, {
    seed: 1,
    runs: 5,
    dataSet: runData,
  });
  await runner.begin();
  const ids = [
    '8/checkpoint-restart',
    '4.3/delete-succeeds',
    '4.2/walk-edges',
    '4.1/update-is-stored',
    '4.3/delete-succeeds',
  ];
  for (const id of [...ids, ...ids.toReversed()])
    expect(await runner.run(id)).toMatchObject({ result: { id, verdict: 'passed' } });
  const executions = await Promise.all(ids.slice(0, 4).map((id) => runner.run(id)));
  expect(executions.map(({ result }) => result.verdict)).toEqual(['passed', 'passed', 'passed', 'passed']);
  const { result } = await runner.run('5.1/no-header', 'listExperiments');
  expect(result).toMatchObject({ verdict: 'passed', operations: ['listExperiments'] });
  await expect(runner.run('4.2/nothing')).rejects.toThrow(RangeError);
  await runner.end();
  expect(fake.dataSet).toEqual(before);
});

test('nothing that a requirement has sent outlives it', async () => {
  let arrived = 0;
  const server = createServer((_request, response) => {
    // The first three: two find out what else a request may carry.
    const status = arrived++ < 3 ? 500 : 200;
    setTimeout(() => response.writeHead(status).end('{}'), 30);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const target = await connectTarget({ contract, baseUrl, token: 'opaque', concurrency: 2 });
  onTestFinished(() => target.close());
  let sentAfterwards: Promise<unknown> | undefined;
  const careless: Check = requirement('4.2/reads', { needs: ['token'], lane: 'operation' }, async (ctx) => {
    sentAfterwards = sleep(300).then(() => ctx.call());
    sentAfterwards.catch(() => {});
    await Promise.all(Array.from({ length: 20 }, async () => expectServed(await ctx.call())));
  });
  const { requirements } = await runSuite(target, ledger, [careless], { seed: 1 });
  expect(requirements[0]).toMatchObject({ verdict: 'failed' });
  const atTheEnd = arrived;
  await expect(sentAfterwards).rejects.toThrow('the requirement has ended');
  expect(arrived).toBe(atTheEnd);
});

test.each([
  // Still finding out what the target accepts.
  [1, 5],
  [50, 150],
  [150, 250],
  [300, 400],
])(
  'a run that is interrupted after %i requests sends less than %i, and leaves the tenant as it was',
  async (requests, most) => {
    const fake = await fakeWith({ latency: 20 });
    const trouble: string[] = [];
    const controller = new AbortController();
    const target = await targetOf(fake);
    void after(requests, fake, () => controller.abort());
    const found = await runSuite(
      target,
      ledger,
      suite,
      runOptions(['4.1', '4.3', '8'], { signal: controller.signal, onTrouble: (line) => trouble.push(line) }),
    );
    const { length } = fake.requests;
    expect(length).toBeLessThan(most);
    expect(found.requirements.map(({ reason }) => reason)).toContain('the run was interrupted');
    const accused = found.requirements.filter(({ verdict }) => verdict === 'error' || verdict === 'failed');
    expect(accused).toEqual([]);
    await sleep(100);
    expect(fake.requests).toHaveLength(length);
    expect(fake.dataSet).toEqual(before);
    expect(trouble).toEqual([]);
  },
);

test('a tenant that does not take its data back is reported, with what differs', async () => {
  const fake = await fakeWith();
  const control = inProcessControl(fake);
  const trouble: string[] = [];
  const target = await targetOf(fake, {
    control: (clock: Clock) => ({
      ...control(clock),
      seed: async (data) => fake.seed({ ...data, experiments: data.experiments.slice(1) }),
    }),
  });
  await runSuite(target, ledger, suite, runOptions(['4.5'], { onTrouble: (line) => trouble.push(line) }));
  expect(trouble).toHaveLength(2);
  expect(trouble[1]).toMatch(/^the tenant is not as it was before the run: experiments: \S+ is missing$/);
});

test('phone messages are put back through the API where the tenant can be inspected only', async () => {
  const fake = await fakeWith();
  const control = inProcessControl(fake);
  const target = await targetOf(fake, {
    control: (clock: Clock) => ({ ...control(clock), supports: new Set(['inspect'] as const) }),
  });
  await runSuite(target, ledger, suite, runOptions(['4.1/json-accepted']));
  expect(fake.requests.some(({ method }) => method === 'PUT')).toBe(true);
  expect(fake.dataSet.phone_templates).toEqual(before.phone_templates);
});

test('what the tenant contained is saved while it holds other data, and a later run puts it back', async () => {
  const fake = await fakeWith();
  const file = join(mkdtempSync(join(tmpdir(), 'saved-')), 'tenant.json');
  const backup = {
    save: (tenant: DataSet) => tenantFile(file, 'http://c.example').save(tenant),
    remove: () => undefined,
  };
  const runner = new Runner(await targetOf(fake), ledger, suite, runOptions(['4.5'], { backup }));
  await runner.begin();
  // Here the process is killed.
  expect(JSON.parse(readFileSync(file, 'utf8')).tenant).toEqual(before);
  expect(fake.dataSet).not.toEqual(before);
  const control = inProcessControl(fake)(new Clock());
  await expect(tenantFile(file, 'http://other.example').putBack(control)).rejects.toThrow('another tenant');
  expect(await tenantFile(file, 'http://c.example').putBack(control)).toContain(
    'an earlier run did not finish',
  );
  expect(fake.dataSet).toEqual(before);
  expect(existsSync(file)).toBe(false);
  expect(await tenantFile(file, 'http://c.example').putBack(control)).toBeUndefined();
});

test('a service that does not show what is seeded is not judged by it, and it says so', async () => {
  const one = await fakeWith();
  const other = await fakeWith({
    dataSet: { ...runData, self_service_profiles: [], actions: [] },
    trustedKeys: one.jwks,
  });
  const proxy = await startProxy(port(other));
  onTestFinished(() => proxy.close());
  const target = await targetOf(one, { baseUrl: `${proxy.origin}/api/v2` });
  const notes: string[] = [];
  const onTrouble = (line: string) => notes.push(line);
  const { requirements } = await runSuite(
    target,
    ledger,
    suite,
    runOptions(['4.5', '4.3', '8/checkpoint-restart'], { verifySeed: true, onTrouble }),
  );
  expect(notes).toEqual([expect.stringContaining('does not show the data that was seeded')]);
  expect(requirements.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  expect(requirements.find(({ id }) => id === '4.5/text-content')).toMatchObject({
    verdict: 'not-judged',
    reason: notes[0],
  });
  expect(one.dataSet).toEqual(before);
});

test('nothing is judged if even a listing is not found, and the data is put back', async () => {
  const one = await fakeWith();
  const target = await targetOf(one, { baseUrl: one.url.replace('/api/v2', '/api/v1') });
  const running = runSuite(target, ledger, suite, runOptions(['4.2', '4.5'], { verifySeed: true }));
  await expect(running).rejects.toThrow(/every request with 404: is http:\S+ the right --base-url/);
  expect(one.dataSet).toEqual(before);
});

test('two runs with the same seed send no correlation ID of two characters or more twice', async () => {
  const target = await targetOf(await fakeWith());
  const run = () =>
    runSuite(target, ledger, suite, runOptions(['5', '4.1', '4.3'], { recordExchanges: true }));
  const exchanges = [await run(), await run()].flatMap((found) => found.exchanges ?? []);
  const changes = exchanges.filter(({ request }) => request.method !== 'GET');
  const ids = changes.flatMap(({ request }) =>
    request.headers.flatMap(([name, value]) =>
      // 4.3/policy-is-gone repeats one on purpose.
      name === 'x-correlation-id' && value.length > 1 && !value.startsWith('Repeated')
        ? value.slice(0, 64)
        : [],
    ),
  );
  expect(ids.length).toBeGreaterThan(100);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('a target that restarts is waited for, and what was under way is run again', async () => {
  const fake = await fakeWith({ latency: 10 });
  const proxy = await startProxy(port(fake));
  onTestFinished(() => proxy.close());
  const target = await targetOf(fake, { baseUrl: `${proxy.origin}/api/v2` });
  void after(100, fake, async () => {
    await proxy.down();
    // It comes back with the data with which it starts.
    fake.seed(before);
    await sleep(700);
    await proxy.up();
  });
  const notes: string[] = [];
  const onTrouble = (line: string) => notes.push(line);
  const { requirements, endedEarly } = await runSuite(
    target,
    ledger,
    suite,
    runOptions(['4.1', '4.2'], { runs: 2, onTrouble }),
  );
  expect(notes).toEqual([
    expect.stringMatching(/^the target was unavailable for [\d.]+ s; interrupted checks were run again$/),
  ]);
  expect(endedEarly).toBeUndefined();
  expect(requirements.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  expect(fake.dataSet).toEqual(before);
});

test('what a restarted target shows before it is filled again is not judged', async () => {
  const fake = await fakeWith({ latency: 10 });
  const proxy = await startProxy(port(fake));
  onTestFinished(() => proxy.close());
  const target = await targetOf(fake, { baseUrl: `${proxy.origin}/api/v2` });
  const restarted = after(5, fake, async () => {
    await proxy.down();
    fake.seed(before);
    await sleep(300);
    await proxy.up();
  });
  // Sends nothing while the target is away, so that it does not notice the restart.
  const slow = requirement('4.2/reads', { needs: ['token'], lane: 'parallel' }, async (ctx) => {
    await restarted;
    expectServed(await ctx.call({ query: { status: 'active' } }), 'the status exists');
  });
  const others = suite.filter(({ id }) => id === '4.2/status-filter-all');
  const { requirements } = await runSuite(target, ledger, [...others, slow], runOptions(['4.2']));
  expect(requirements.map(({ verdict, reason }) => reason ?? verdict)).toEqual(['passed', 'passed']);
});

test('a restart that only the control protocol meets is noticed', async () => {
  const fake = await fakeWith();
  const proxy = await startProxy(port(fake));
  onTestFinished(() => proxy.close());
  let seeds = 0;
  const target = await targetOf(fake, {
    baseUrl: `${proxy.origin}/api/v2`,
    control: (clock: Clock) => ({
      ...inProcessControl(fake)(clock),
      async seed(data) {
        seeds += 1;
        // The first one fills the tenant.
        if (seeds === 2) {
          await proxy.down();
          setTimeout(() => void proxy.up(), 300);
          throw new ControlError('connect ECONNREFUSED');
        }
        fake.seed(data);
      },
    }),
  });
  const seeding = requirement('4.2/reads', { needs: ['seed'], lane: 'exclusive' }, async (ctx) =>
    ctx.control.seed(ctx.dataSet),
  );
  const { requirements } = await runSuite(target, ledger, [seeding], runOptions(['4.2']));
  expect(requirements.map(({ verdict, reason }) => reason ?? verdict)).toEqual(['passed']);
});

test('a target that does not come back ends the run', async () => {
  const fake = await fakeWith({ latency: 10 });
  const proxy = await startProxy(port(fake));
  const target = await targetOf(fake, { baseUrl: `${proxy.origin}/api/v2` });
  void after(200, fake, () => proxy.down());
  const { requirements, endedEarly } = await runSuite(
    target,
    ledger,
    suite,
    runOptions(['4.1', '4.2'], { runs: 2, restartWaitMs: 500 }),
  );
  expect(endedEarly).toBe('the target became unavailable and did not respond again within 0.5 s');
  expect(requirements.some(({ verdict }) => verdict === 'passed')).toBe(true);
  expect(
    requirements.filter(({ verdict }) => verdict === 'failed').map(({ id, reason }) => `${id} ${reason}`),
  ).toEqual([]);
  expect(fake.dataSet).toEqual(before);
});

test('a target that hangs ends the run, and the tenant is put back', async () => {
  const fake = await fakeWith({ latency: 10 });
  const proxy = await startProxy(port(fake));
  onTestFinished(() => proxy.close());
  const target = await targetOf(fake, { baseUrl: `${proxy.origin}/api/v2`, timeout: 1000 });
  void after(100, fake, () => proxy.hang());
  const { endedEarly, requirements } = await runSuite(
    target,
    ledger,
    suite,
    runOptions(['4.1', '4.2'], { runs: 2 }),
  );
  expect(endedEarly).toMatch(/^the target has not responded for/);
  expect(
    requirements.filter(({ verdict }) => verdict === 'failed').map(({ id, reason }) => `${id} ${reason}`),
  ).toEqual([]);
  expect(fake.dataSet).toEqual(before);
});

test('a run ends after so many failures', async () => {
  const fake = await fakeWith();
  const broken = suite.map(
    (check): Check =>
      check.kind === 'requirement' && check.id.startsWith('4.5')
        ? {
            ...check,
            judge: async (ctx) => expectServed(await ctx.call({ query: 'x', path: { language: 'xx' } })),
          }
        : check,
  );
  const { endedEarly } = await runSuite(
    await targetOf(fake),
    ledger,
    broken,
    runOptions(['4.5', '4.2'], { maxFailures: 2 }),
  );
  expect(endedEarly).toBe('the run was ended after 2 failures (--max-failures)');
});

test.each(['4.3/id-case', '8/payload-refused-changes-nothing'])(
  '%s is not judged by requests that are answered with 429',
  async (id) => {
    const fake = await fakeWith({ rateLimit: { requests: 1, seconds: 3600 } });
    const { requirements } = await runSuite(await targetOf(fake), ledger, suite, runOptions([id]));
    const result = requirements.find((each) => each.id === id);
    expect(result).toMatchObject({ verdict: 'not-judged', reason: expect.stringContaining('429') });
  },
);
