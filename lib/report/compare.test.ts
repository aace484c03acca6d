import { expect, test } from 'vitest';
import { sampleReport, sampleResult } from '../../test/sample-report.ts';
import { conformingRun, failingRun, hostileRun, littleRun } from '../../test/sample-runs.ts';
import { compareExitCode, compareReports, renderComparison } from './compare.ts';
import type { Report, RequirementResult, Verdict } from './report.ts';
import { columns, visibleLines } from './text.ts';

const part = [{ operation: 'x', verdict: 'not-judged', reason: 'no token' }] as const;

test.each<
  [Partial<RequirementResult> | undefined, Partial<RequirementResult> | undefined, string | undefined]
>([
  [{}, {}, undefined],
  [{}, { verdict: 'failed' }, 'worse'],
  [{ verdict: 'not-judged' }, { verdict: 'failed' }, 'worse'],
  [undefined, { verdict: 'failed' }, 'worse'],
  [{}, { verdict: 'error' }, 'worse'],
  [{ verdict: 'failed' }, {}, 'better'],
  [{ verdict: 'not-judged' }, {}, 'better'],
  [{ by_operation: part }, {}, 'better'],
  [{}, { by_operation: part }, 'unknown'],
  [{ verdict: 'failed' }, { verdict: 'not-judged' }, 'unknown'],
  [{ verdict: 'failed' }, { verdict: 'error' }, 'unknown'],
  [undefined, {}, 'other'],
  [{}, undefined, 'other'],
])('%j, then %j: %s', (before, after, change) => {
  const report = (parts: Partial<RequirementResult> | undefined) =>
    sampleReport({ requirements: parts === undefined ? [] : [sampleResult({ id: '4.2/a', ...parts })] });
  const comparison = compareReports(report(before), report(after));
  expect(comparison.requirements[0]?.change).toBe(change);
  expect(compareExitCode(comparison)).toBe(change === 'worse' ? 1 : 0);
});

test('a report does not differ from itself', () => {
  const comparison = compareReports(failingRun(), failingRun());
  expect(comparison).toMatchObject({ requirements: [], observations: [], cells: [] });
  expect(renderComparison(comparison)).toContain('\nNOT WORSE: nothing differs\n');
});

test('each failure shows the exchange, even if both reports have another one', () => {
  const failing = (received: string) => {
    const difference = { expected: '400', received };
    return sampleReport({ requirements: [sampleResult({ id: '4.2/a', verdict: 'failed', difference })] });
  };
  const [changed] = compareReports(failing('200'), failing('500')).requirements;
  expect(changed).toMatchObject({ before: 'failed', after: 'failed', change: 'other' });
  expect(changed?.details.slice(1)).toEqual([
    'before: expected 400; received 200',
    'after: expected 400; received 500',
  ]);
});

test('another operation that breaks a broken requirement is worse', () => {
  const broken = (...verdicts: Verdict[]) =>
    sampleReport({
      requirements: [
        sampleResult({
          id: '4.2/a',
          verdict: 'failed',
          by_operation: verdicts.map((verdict, index) => ({ operation: 'xyz'[index] ?? '', verdict })),
        }),
      ],
    });
  const changed = (...reports: [Report, Report]) => compareReports(...reports).requirements[0];
  const worse = changed(broken('failed', 'passed', 'passed'), broken('passed', 'failed', 'failed'));
  expect(worse).toMatchObject({
    change: 'worse',
    details: expect.arrayContaining(['after: also on y, z']),
  });
  expect(changed(broken('failed', 'failed'), broken('failed', 'passed'))).toMatchObject({ change: 'better' });
  expect(changed(broken('failed', 'failed'), broken('failed', 'not-judged'))).toMatchObject({
    change: 'unknown',
  });
});

test('wrong cells are named both ways', () => {
  const worse = compareReports(conformingRun(), failingRun());
  const better = compareReports(failingRun(), conformingRun());
  const changed = worse.cells.filter(({ change }) => change === 'worse');
  expect(changed).toContainEqual({
    name: 'read:agents on listActionVersions',
    before: '403',
    after: '200',
    change: 'worse',
    details: [],
  });
  expect(better.cells.filter(({ change }) => change === 'better')).toHaveLength(changed.length);
});

test('observations differ by value, not by the order of keys', () => {
  const observed = (value: unknown) =>
    sampleReport({ observations: [{ id: '7/body', description: 'Shape.', value }] });
  expect(compareReports(observed({ a: 1, b: 2 }), observed({ b: 2, a: 1 })).observations).toEqual([]);
  expect(compareReports(observed(204), observed(200)).observations).toEqual([
    { name: '7/body', before: '204', after: '200', details: [] },
  ]);
});

test('is rendered for a terminal', () => {
  const comparison = compareReports(littleRun(), failingRun());
  const terminal = renderComparison(comparison);
  for (const line of terminal.split('\n')) expect(columns(line)).toBeLessThanOrEqual(80);
  expect(terminal).toContain('✗ 4.2/take-maximum: not judged → failed (worse)');
  expect(terminal).toContain('after: GET /experimentation/experiments?take=51: expected 400, because');
});

test('a hostile target is shown as text', () => {
  const comparison = compareReports(conformingRun(), hostileRun());
  const terminal = renderComparison(comparison);
  expect(visibleLines(terminal)).toBe(terminal);
});
