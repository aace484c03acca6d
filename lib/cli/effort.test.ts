import { expect, test } from 'vitest';
import { runHere } from '../../test/in-process.ts';
import { runConformance } from './run.ts';

test('a quick run sends at most 400 requests, says what it left out, and never that the target conforms', async () => {
  const { run, verdict, summary, requirements } = await runConformance({
    seed: 1,
    effort: 'quick',
    // As --watch sets it.
    only: [],
  });
  expect(run.requests).toBeGreaterThan(250);
  expect(run.requests).toBeLessThanOrEqual(400);
  expect(run.effort).toBe('quick');
  expect(verdict).toBe('incomplete');
  expect(summary.judged).toBeGreaterThan(30);
  expect(requirements.some(({ reason }) => reason === 'deselected')).toBe(true);
});

test('with --only a quick run judges what was chosen, with few examples', async () => {
  const wanted = { seed: 1, only: ['4.1/json-accepted'] };
  const quick = await runConformance({ ...wanted, effort: 'quick' });
  const usual = await runConformance(wanted);
  expect(quick.summary.judged).toBe(1);
  expect(quick.run.requests).toBeLessThan(usual.run.requests);
  const more = await runConformance({ ...wanted, effort: 'quick', runs: 60 });
  expect(more.run.requests).toBeGreaterThan(usual.run.requests);
});

test('an unknown effort is wrong usage', async () => {
  const { code, stderr } = await runHere(['--effort', 'some']);
  expect([code, stderr.split('\n').filter((line) => line !== '').length]).toEqual([2, 1]);
});
