import { expect, test } from 'vitest';
import { sampleExchange, sampleReport, sampleResult } from '../../test/sample-report.ts';
import { conformingRun, failingRun, littleRun } from '../../test/sample-runs.ts';
import { mergeReports } from './merge.ts';
import type { OperationVerdict, Report } from './report.ts';
import { runVerdict, summarize } from './summary.ts';

/** The run as shard number `index` of `count` would have reported it. */
function shard(run: Report, index: number, count: number): Report {
  const requirements = run.requirements.filter((_, place) => place % count === index);
  const operations = Object.entries(run.scope_matrix.operations).filter(
    (_, place) => place % count === index,
  );
  return {
    ...run,
    run: {
      ...run.run,
      shard: `${index + 1}/${count}`,
      requests: Math.ceil((run.run.requests - index) / count),
      ...(run.run.requests_estimated !== undefined && {
        requests_estimated: Math.ceil((run.run.requests_estimated - index) / count),
      }),
    },
    requirements,
    verdict: runVerdict(requirements),
    summary: summarize(requirements, run.contract.operations, {}),
    scope_matrix: { operations: Object.fromEntries(operations) },
    ...(index > 0 && run.input_coverage && { input_coverage: { operations: {}, left_out: {} } }),
    observations: run.observations.filter((_, place) => place % count === index),
  };
}

test.each([conformingRun, failingRun, littleRun])('shards together are the whole run: %o', (whole) => {
  const run = whole();
  const shards = [0, 1, 2].map((index) => shard(run, index, 3)).reverse();
  const merged = mergeReports(
    shards,
    run.requirements.map(({ id, caused_by: dependsOn = [] }) => ({ id, dependsOn })),
  );
  const byText = <T>(all: readonly T[] = [], text: (each: T) => string) =>
    all.toSorted((one, other) => text(one).localeCompare(text(other)));
  const sorted = (report: Report) => ({
    ...report,
    observations: byText(report.observations, ({ id }) => id),
  });
  expect(sorted(merged)).toEqual(sorted(run));
  expect(Object.keys(merged.scope_matrix.operations)).toEqual(Object.keys(run.scope_matrix.operations));
});

const two = (first: Report['requirements'], second: Report['requirements']) =>
  mergeReports(
    [
      sampleReport({ requirements: first, run: { shard: '1/2' } }),
      sampleReport({ requirements: second, run: { shard: '2/2', started_at: '2026-01-17T09:30:10.000Z' } }),
    ],
    [],
  );

test('a requirement that both judged has the worst verdict, and both counts', () => {
  const exchanges = [sampleExchange({ started_ms: 5 })];
  const merged = two(
    [sampleResult({ id: '7/a', requests: 3 })],
    [sampleResult({ id: '7/a', requests: 4, verdict: 'failed', reason: 'it is 500', exchanges })],
  );
  expect(merged.verdict).toBe('does-not-conform');
  expect(merged.requirements).toMatchObject([{ verdict: 'failed', reason: 'it is 500', requests: 7 }]);
  // Times count from the merged run's start.
  expect(merged.requirements[0]?.exchanges[0]?.started_ms).toBe(10_005);
  expect(merged.run).toMatchObject({
    shard: null,
    duration_ms: 52_310,
    started_at: '2026-01-17T09:30:00.000Z',
  });
});

test('a requirement that one judged has its verdict', () => {
  const merged = two(
    [sampleResult({ id: '7/a', verdict: 'not-judged', reason: 'in another shard' })],
    [sampleResult({ id: '7/a' })],
  );
  expect(merged).toMatchObject({ verdict: 'conforms', requirements: [{ verdict: 'passed' }] });
});

test('an operation that one of them judged counts as judged', () => {
  const unseen = { verdict: 'not-judged', reason: 'not seen' } as const;
  const judged = (...verdicts: Pick<OperationVerdict, 'verdict' | 'reason'>[]) =>
    sampleResult({
      id: '7/a',
      operations: ['x', 'y', 'z'],
      by_operation: verdicts.map((each, index) => ({ operation: 'xyz'[index] ?? '', ...each })),
    });
  const broken = { verdict: 'failed', reason: 'it is 500' } as const;
  const merged = two(
    [judged(unseen, unseen, { verdict: 'passed' })],
    [judged({ verdict: 'passed' }, unseen, broken)],
  );
  expect(merged.requirements[0]?.by_operation).toEqual([
    { operation: 'x', verdict: 'passed' },
    { operation: 'y', ...unseen },
    { operation: 'z', ...broken },
  ]);
});

test('a missing shard leaves the run incomplete', () => {
  const merged = mergeReports([shard(conformingRun(), 0, 3)], []);
  expect(merged).toMatchObject({
    verdict: 'incomplete',
    run: { ended_early: 'no report of shard 2/3, 3/3' },
  });
});

test('quick shards leave the run incomplete', () => {
  const run = conformingRun();
  const quick = { ...run, run: { ...run.run, effort: 'quick' } };
  expect(mergeReports([shard(quick, 0, 2), shard(quick, 1, 2)], []).verdict).toBe('incomplete');
});

test.each<[string, Report[], string]>([
  ['nothing', [], 'there is no report to merge'],
  [
    'one twice',
    [shard(conformingRun(), 0, 2), shard(conformingRun(), 0, 2)],
    'there are two reports of shard 1/2',
  ],
  ['of two cuts', [shard(conformingRun(), 0, 2), shard(conformingRun(), 1, 3)], 'not the shards of one run'],
  ['whole runs', [conformingRun(), conformingRun()], 'not the shards of one run'],
  [
    'of two versions',
    [
      shard(conformingRun(), 0, 2),
      { ...shard(conformingRun(), 1, 2), suite: { name: 'tenant-admin-conformance', version: '9' } },
    ],
    'these reports differ in suite version: tenant-admin-conformance 0.1.0 and tenant-admin-conformance 9',
  ],
  [
    'of two seeds',
    [
      shard(conformingRun(), 0, 2),
      { ...shard(conformingRun(), 1, 2), run: { ...conformingRun().run, seed: 7, shard: '2/2' } },
    ],
    'these reports differ in seed: 1 and 7',
  ],
  [
    'of two efforts',
    [
      shard(conformingRun(), 0, 2),
      { ...shard(conformingRun(), 1, 2), run: { ...conformingRun().run, effort: 'quick', shard: '2/2' } },
    ],
    'these reports differ in effort: standard and quick',
  ],
])('refuses %s', (_, reports, message) => {
  expect(() => mergeReports(reports, [])).toThrow(message);
});
