import { describe, expect, test } from 'vitest';
import { sampleReport, sampleResult } from '../../test/sample-report.ts';
import { applyBaseline, checkBaselineIds, parseBaseline, updateBaseline } from './baseline.ts';
import type { Verdict } from './report.ts';
import { excuseOf, exitCode } from './summary.ts';

const text = `# What our server is known to get wrong.
- id: 4.2/a # the oldest one
  reason: integers are parsed late
  issue: https://example.com/1
  expires: 2027-01-31

# Waits for the new gateway.
- id: 4.2/b
  reason: gateway
`;

const report = sampleReport({
  requirements: [
    sampleResult({ id: '4.2/a', verdict: 'failed' }),
    sampleResult({ id: '4.2/b' }),
    sampleResult({ id: '4.2/c', verdict: 'failed' }),
    sampleResult({ id: '4.2/d', level: 'inferred', verdict: 'warned' }),
  ],
});

test('rows are read with their line numbers', () => {
  expect(parseBaseline(text)).toEqual([
    {
      id: '4.2/a',
      reason: 'integers are parsed late',
      issue: 'https://example.com/1',
      expires: '2027-01-31',
      line: 2,
    },
    { id: '4.2/b', reason: 'gateway', line: 8 },
  ]);
  expect(parseBaseline('# nothing known\n')).toEqual([]);
});

test.each([
  ['id: 4.2/a', 'baseline: expected a list of known failures'],
  ['- 4.2/a', 'baseline: line 1: the row must be an object'],
  ['- id: 4.2/a', 'baseline: line 1: reason is missing'],
  ['- id: 4.2/a\n  reason: ""', 'baseline: line 1: reason must NOT have fewer than 1 characters'],
  ['- reason: x', 'baseline: line 1: id is missing'],
  ['- id: [1]\n  reason: x', 'baseline: line 1: id must be a string'],
  ['- id: 4.2/a\n  reson: x', 'baseline: line 1: unknown key reson; did you mean reason?'],
  ['- id: 4.2/a\n  reason: x\n  expires: soon', 'line 1: expires must be a valid date'],
  ['- id: 4.2/a\n  reason: x\n  expires: 2027-02-30', 'line 1: expires must be a valid date'],
  ['- id: 4.2/a\n  reason: x\n- id: 4.2/a\n  reason: y', 'baseline: line 3: 4.2/a is already on line 1'],
  ['- id: "4.2/a', 'baseline: line 1: '],
])('explains %j in one line', (wrong, message) => {
  expect(() => parseBaseline(wrong)).toThrow(message);
});

test('an unknown id is an error', () => {
  expect(() => checkBaselineIds(parseBaseline(text), new Map([['4.2/a', []]]))).toThrow(
    'baseline: line 8: there is no requirement 4.2/b',
  );
});

describe('applied to a report', () => {
  const ids = (today: string) => {
    const { known, unlisted, expired, fixed } = applyBaseline(parseBaseline(text), report, today);
    return {
      known: known.map(({ id }) => id),
      unlisted,
      expired: expired.map(({ id }) => id),
      fixed: fixed.map(({ id }) => id),
    };
  };

  test('failures are known or not, and what passes must go', () => {
    expect(ids('2027-01-31')).toEqual({
      known: ['4.2/a'],
      unlisted: ['4.2/c'],
      expired: [],
      fixed: ['4.2/b'],
    });
  });

  test('the day after, the excuse is over', () => {
    expect(ids('2027-02-01')).toMatchObject({ known: [], expired: ['4.2/a'] });
  });

  test('under --strict a warning must be listed too', () => {
    const strict = { ...report, run: { ...report.run, strict: true } };
    expect(applyBaseline(parseBaseline(text), strict).unlisted).toEqual(['4.2/c', '4.2/d']);
  });

  test('what was not judged, or in part only, is not said to pass', () => {
    const part = [{ operation: 'x', verdict: 'not-judged' as const, reason: 'no token' }];
    for (const result of [
      sampleResult({ id: '4.2/b', verdict: 'not-judged' }),
      sampleResult({ id: '4.2/b', by_operation: part }),
    ]) {
      expect(applyBaseline(parseBaseline(text), sampleReport({ requirements: [result] })).fixed).toEqual([]);
    }
  });
});

describe('on one operation', () => {
  const on = (...verdicts: Verdict[]) =>
    sampleReport({
      requirements: [
        sampleResult({
          id: '5.5/a',
          operations: ['w', 'x', 'y', 'z'],
          verdict: 'failed',
          by_operation: verdicts.map((verdict, index) => ({ operation: 'wxyz'[index] ?? '', verdict })),
        }),
      ],
    });
  const rows = parseBaseline(
    '- { id: 5.5/a, operation: x, reason: r }\n- { id: 5.5/a, operation: z, reason: r }',
  );
  const report = on('passed', 'failed', 'failed', 'passed');

  test('a row excuses that operation alone', () => {
    const baseline = applyBaseline(rows, report);
    expect(baseline).toMatchObject({
      known: [{ operation: 'x' }],
      unlisted: ['5.5/a@y'],
      fixed: [{ operation: 'z' }],
    });
    expect(exitCode({ ...report, baseline })).toBe(1);
    expect(excuseOf({ baseline }, report.requirements[0] ?? sampleResult({ id: '' }))).toBeUndefined();
  });

  test('an excused failure hides no error on another operation', () => {
    const erred = on('passed', 'failed', 'error', 'not-judged');
    const baseline = applyBaseline(rows, erred);
    expect(baseline).toMatchObject({ unlisted: [], fixed: [] });
    expect(exitCode({ ...erred, baseline })).toBe(3);
  });

  test('a row is written for each of some operations, one for all', () => {
    const written = updateBaseline('', report);
    expect(parseBaseline(written)).toMatchObject([
      { id: '5.5/a', operation: 'x' },
      { id: '5.5/a', operation: 'y' },
    ]);
    expect(updateBaseline(written, on('failed', 'failed', 'passed', 'failed'))).toBe(
      '- id: 5.5/a\n  operation: x\n  reason: not yet explained\n- id: 5.5/a\n  operation: w\n  reason: not yet explained\n- id: 5.5/a\n  operation: z\n  reason: not yet explained\n',
    );
    expect(updateBaseline('', on('failed', 'failed', 'failed', 'failed'))).toBe(
      '- id: 5.5/a\n  reason: not yet explained\n',
    );
  });

  test('an operation to which the requirement does not apply is an error', () => {
    expect(() => checkBaselineIds(rows, new Map([['5.5/a', ['x']]]))).toThrow(
      'baseline: line 2: 5.5/a does not apply to an operation z',
    );
  });
});

describe('updated', () => {
  test('keeps reasons and comments, drops what passes, adds what is new', () => {
    expect(updateBaseline(text, report)).toBe(`# What our server is known to get wrong.
- id: 4.2/a # the oldest one
  reason: integers are parsed late
  issue: https://example.com/1
  expires: 2027-01-31
- id: 4.2/c
  reason: not yet explained
`);
  });

  test('is then right', () => {
    const rows = parseBaseline(updateBaseline(text, report));
    expect(applyBaseline(rows, report, '2026-01-01')).toMatchObject({ unlisted: [], fixed: [], expired: [] });
  });

  test('begins a file, and ends one', () => {
    expect(updateBaseline('', report)).toContain('- id: 4.2/a\n  reason: not yet explained\n');
    const passes = sampleReport({
      requirements: [sampleResult({ id: '4.2/a' }), sampleResult({ id: '4.2/b' })],
    });
    expect(parseBaseline(updateBaseline(text, passes))).toEqual([]);
  });
});
