import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { type Fake, type FakeOptions, startFake } from '../fake/index.ts';
import { faults } from '../mutation/faults/index.ts';
import type { RequirementResult } from '../report/report.ts';
import { runConformance } from './run.ts';

/** Checkpoints that one run keeps and a later one judges, of a target whose clock the suite can't move. */

const file = join(mkdtempSync(join(tmpdir(), 'checkpoints-')), 'kept.json');
const [minute, hour] = [60, 3600];
const only = ['8/checkpoint-valid-24h@listExperiments', '8/checkpoint-restart@listExperiments'];

const open: Fake[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((fake) => fake.close()));
});

async function start(options: FakeOptions = {}): Promise<Fake> {
  const fake = await startFake(options);
  open.push(fake);
  return fake;
}

/** A run with nothing but a token. */
async function run(fake: Fake, options: { saveCheckpoints?: string; resumeCheckpoints?: string }) {
  const report = await runConformance({
    baseUrl: fake.url,
    token: await fake.token(),
    seed: 1,
    only,
    ...options,
  });
  const of = (id: string): RequirementResult | undefined =>
    report.requirements.find((each) => each.id === id);
  return { report, valid: of('8/checkpoint-valid-24h'), restart: of('8/checkpoint-restart') };
}

/** Lets so many seconds go by, here and there. */
function pass(seconds: number, fake: Fake): void {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
  fake.clock.move(seconds);
}

/** Keeps checkpoints, lets time go by, and judges by them. */
async function after(seconds: number, fake: Fake, meanwhile: () => void = () => {}) {
  const saving = await run(fake, { saveCheckpoints: file });
  expect([saving.valid?.verdict, saving.restart?.verdict]).toEqual(['not-judged', 'not-judged']);
  expect(saving.restart?.required_flags).toContain('--resume-checkpoints');
  meanwhile();
  pass(seconds, fake);
  return run(fake, { resumeCheckpoints: file });
}

test('a checkpoint of 23 h 59 min must still work', async () => {
  const { valid, restart } = await after(24 * hour - minute - 5, await start());
  expect(valid?.verdict).toBe('passed');
  expect(restart).toMatchObject({
    verdict: 'not-judged',
    reason: expect.stringMatching(/no saved checkpoint is older/),
  });
  // It grants nothing to others, and its place is the user's own.
  expect(statSync(file).mode & 0o077).toBe(0);
});

test('one of 24 h 1 min starts over', async () => {
  const { valid, restart } = await after(24 * hour + minute + 5, await start());
  expect(restart?.verdict).toBe('passed');
  expect(valid?.verdict).toBe('not-judged');
});

test('between the two nothing is judged, and early success says little', async () => {
  const fake = await start();
  const between = await after(24 * hour, fake);
  expect([between.valid?.verdict, between.restart?.verdict]).toEqual(['not-judged', 'not-judged']);
  pass(0, fake);
  const early = await after(hour, fake);
  expect(early.valid).toMatchObject({
    verdict: 'not-judged',
    reason: expect.stringContaining('after 1 h 0 min: resume it between 12 h 0 min and 23 h 59 min'),
  });
});

test('the fake by its own clock, with a file that is as old', async () => {
  const fake = await start();
  await run(fake, { saveCheckpoints: file });
  fake.clock.move(25 * hour);
  const kept: { checkpoints: { issued_at: string }[] } = JSON.parse(readFileSync(file, 'utf8'));
  for (const each of kept.checkpoints) each.issued_at = new Date(Date.now() - 25 * hour * 1000).toISOString();
  writeFileSync(file, JSON.stringify(kept));
  expect((await run(fake, { resumeCheckpoints: file })).restart?.verdict).toBe('passed');
});

test.each([
  ['8/checkpoint-valid-24h', 24 * hour - minute - 5],
  ['8/checkpoint-restart', 24 * hour + minute + 5],
])('a server that breaks %s is caught', async (id, seconds) => {
  const fault = faults.find(({ requirement }) => requirement === id);
  if (fault === undefined) throw new Error(`no fault breaks ${id}`);
  const { report } = await after(seconds, await start({ rules: fault.rules }));
  expect(report.requirements.find((each) => each.id === id)?.verdict).toBe('failed');
});

test('data that changed meanwhile is not reported as a violation', async () => {
  const fault = faults.find(({ requirement }) => requirement === '8/checkpoint-restart');
  const fake = await start(fault && { rules: fault.rules });
  const { restart } = await after(25 * hour, fake, () => {
    const { experiments, ...rest } = fake.dataSet;
    fake.seed({ ...rest, experiments: experiments.slice(1) });
  });
  expect(restart).toMatchObject({
    verdict: 'not-judged',
    reason: expect.stringMatching(/listing has changed/),
  });
});

test('one file serves day after day: what is not spent stays in it', async () => {
  const fake = await start();
  await run(fake, { saveCheckpoints: file });
  const count = () => JSON.parse(readFileSync(file, 'utf8')).checkpoints.length;
  const issued = count();
  pass(25 * hour, fake);
  await run(fake, { resumeCheckpoints: file, saveCheckpoints: file });
  expect(count()).toBe(2 * issued - 1);
  pass(9 * 24 * hour, fake);
  await run(fake, { resumeCheckpoints: file, saveCheckpoints: file });
  expect(count()).toBe(issued);
});

test('a file of another target, or of something else, is wrong usage', async () => {
  const fake = await start();
  await run(fake, { saveCheckpoints: file });
  await expect(run(await start(), { resumeCheckpoints: file })).rejects.toThrow(
    `its checkpoints are of ${fake.url}`,
  );
  writeFileSync(file, '{"checkpoints": [1]}');
  await expect(run(fake, { resumeCheckpoints: file })).rejects.toThrow('base_url is missing');
  writeFileSync(file, 'x');
  await expect(run(fake, { resumeCheckpoints: file })).rejects.toThrow(/^--resume-checkpoints .*JSON/);
  await expect(runConformance({ saveCheckpoints: file })).rejects.toThrow(
    '--save-checkpoints needs --base-url',
  );
});
