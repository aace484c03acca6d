import { describe, expect, test } from 'vitest';
import { sampleReport, sampleResult } from '../../test/sample-report.ts';
import type { RequirementResult, Verdict } from './report.ts';
import {
  byOperation,
  bySection,
  exitCode,
  judgedOfStated,
  notJudgedGroups,
  runVerdict,
  summarize,
} from './summary.ts';

const passed = sampleResult({ id: '4.2/a' });
const failed = sampleResult({ id: '4.2/b', verdict: 'failed' });
const warned = sampleResult({ id: '4.10/c', level: 'inferred', verdict: 'warned' });
const unseen = sampleResult({
  id: '4.2/d',
  verdict: 'not-judged',
  reason: 'no token',
  required_flags: ['--token JWT'],
});
const erred = sampleResult({ id: '4.2/e', verdict: 'error', reason: 'the target died' });
const partly = sampleResult({
  id: '5/f',
  operations: ['listActionVersions', 'listExperiments'],
  by_operation: [
    { operation: 'listActionVersions', verdict: 'passed' },
    {
      operation: 'listExperiments',
      verdict: 'not-judged',
      reason: 'no token',
      required_flags: ['--token JWT'],
    },
  ],
});

describe('the verdict of a run', () => {
  test.each<[string, RequirementResult[], object, string]>([
    ['all passed', [passed], {}, 'conforms'],
    ['a warning is not a failure', [passed, warned], {}, 'conforms'],
    ['with --strict it is', [passed, warned], { strict: true }, 'does-not-conform'],
    ['one failed', [passed, failed, unseen], {}, 'does-not-conform'],
    ['one was not judged', [passed, unseen], {}, 'incomplete'],
    ['one ended in error', [passed, erred], {}, 'incomplete'],
    ['one was judged in part', [passed, partly], {}, 'incomplete'],
    ['ended early', [passed], { ended_early: 'interrupted' }, 'incomplete'],
    ['quick', [passed], { effort: 'quick' }, 'incomplete'],
    ['nothing at all', [], {}, 'incomplete'],
    ['nothing stated', [warned], {}, 'incomplete'],
    ['nothing judged', [unseen], {}, 'incomplete'],
  ])('%s', (_, results, rules, verdict) => {
    expect(runVerdict(results, rules)).toBe(verdict);
  });
});

describe('the exit code', () => {
  test.each<[string, RequirementResult[], object, number]>([
    ['all passed', [passed], {}, 0],
    ['some not judged', [passed, unseen], {}, 0],
    ['the same with --complete', [passed, unseen], { complete: true }, 1],
    ['in part with --complete', [passed, partly], { complete: true }, 1],
    ['one failed', [passed, failed], {}, 1],
    ['a failure outweighs an error', [failed, erred], {}, 1],
    ['a warning', [passed, warned], {}, 0],
    ['one ended in error', [passed, erred], {}, 3],
    ['nothing judged', [unseen], {}, 3],
    ['nothing at all', [], {}, 3],
  ])('%s', (_, requirements, rules, code) => {
    expect(exitCode(sampleReport({ requirements }), rules)).toBe(code);
  });

  test('a warning with --strict: 1', () => {
    expect(exitCode(sampleReport({ requirements: [passed, warned], run: { strict: true } }))).toBe(1);
  });

  test('a known failure is excused, a new one, an expired one and one that passes now are not', () => {
    const row = { id: '4.2/b', reason: 'known', line: 1 };
    const none = { known: [], unlisted: [], expired: [], fixed: [] };
    const code = (baseline: object) =>
      exitCode(sampleReport({ requirements: [passed, failed], baseline: { ...none, ...baseline } }));
    expect(code({ known: [row] })).toBe(0);
    expect(code({ unlisted: ['4.2/b'] })).toBe(1);
    expect(code({ expired: [row] })).toBe(1);
    expect(code({ known: [row], fixed: [row] })).toBe(1);
  });

  test('a run that ended early is not green', () => {
    expect(exitCode(sampleReport({ requirements: [passed], run: { ended_early: 'the disk is full' } }))).toBe(
      3,
    );
  });
});

test('counts are by level', () => {
  expect(summarize([passed, failed, warned, unseen, erred], [], {})).toEqual({
    requirements: 5,
    judged: 3,
    deselected: 0,
    operations: { conforms: 0, 'does-not-conform': 0, incomplete: 0 },
    stated: { passed: 1, failed: 1, not_judged: 1, error: 1 },
    inferred: { passed: 0, warned: 1, not_judged: 0, error: 0 },
  });
  expect(judgedOfStated([passed, failed, warned, unseen, erred, partly])).toEqual({
    judged: 3,
    of: 5,
    partly: 1,
    deselected: 0,
  });
});

test('an operation conforms if its stated requirements pass and none is left out', () => {
  const operations = ['a', 'b', 'c', 'd'].map((id) => ({ id, method: 'GET', path: `/${id}` }));
  const on = (id: string, ...verdicts: Verdict[]) =>
    sampleResult({
      id,
      by_operation: verdicts.map((verdict, index) => ({ operation: 'abcd'[index] ?? '', verdict })),
    });
  const results = [
    on('4.2/x', 'passed', 'failed', 'error', 'not-judged'),
    { ...on('4.2/y', 'warned', 'passed'), level: 'inferred' as const },
  ];
  const found = byOperation(results, operations, {});
  expect(found.map(({ verdict }) => verdict)).toEqual([
    'conforms',
    'does-not-conform',
    'incomplete',
    'incomplete',
  ]);
  expect(found[1]?.results.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['4.2/x', 'failed'],
    ['4.2/y', 'passed'],
  ]);
  expect(summarize(results, operations, { strict: true }).operations).toEqual({
    conforms: 0,
    'does-not-conform': 2,
    incomplete: 2,
  });
});

test('sections stand in the specification’s order', () => {
  const sections = bySection(sampleReport({ requirements: [warned, passed, partly] }));
  expect(sections.map(({ section }) => section)).toEqual(['4.2', '4.10', '5']);
});

test('what was not judged is grouped by reason and flag, with the operations where it was in part', () => {
  expect(notJudgedGroups([passed, unseen, partly])).toEqual([
    {
      reason: 'no token',
      requiredFlags: ['--token JWT'],
      items: [
        { id: '4.2/d', operations: [] },
        { id: '5/f', operations: ['listExperiments'] },
      ],
    },
  ]);
});
