import { describe, expect, test } from 'vitest';
import { sampleReport, sampleResult } from '../../test/sample-report.ts';
import { conformingRun, failingRun, hostileRun, largeRun, littleRun } from '../../test/sample-runs.ts';
import { headline, renderTerminal, wantsColor } from './terminal.ts';
import { columns, visibleLines } from './text.ts';

const runs = { conformingRun, failingRun, littleRun, largeRun, hostileRun };

describe.each(Object.entries(runs))('%s', (_, run) => {
  test.each([80, 120])('fits %d columns', (width) => {
    const lines = renderTerminal(run(), { columns: width }).split('\n');
    // A command is never broken: it could not be copied.
    const isCommand = (line: string) => /^ {5}(repeat {4}|rerun {5})/.test(line);
    const text = lines.filter((line) => !isCommand(line));
    expect(text.length).toBeGreaterThan(lines.length / 3);
    for (const line of text) expect(columns(line)).toBeLessThanOrEqual(width);
  });

  test('explains each failure in at most 12 lines of 100 columns', () => {
    const [head = '', ...entries] = renderTerminal(run(), { columns: 100 }).split(/\n(?=[✗?!] \d+ )/);
    expect(head).toContain('judged');
    for (const entry of entries) {
      const [text = ''] = entry.split(/\n\n/);
      const rows = text
        .trimEnd()
        .split('\n')
        .reduce((sum, one) => sum + Math.ceil((columns(one) || 1) / 100), 0);
      expect(rows, text).toBeLessThanOrEqual(12);
    }
  });

  test('contains no command for a CI runner', () => {
    for (const line of renderTerminal(run()).split('\n')) {
      expect(line).not.toMatch(/^\s*::[a-z]/);
      expect(line).not.toMatch(/##(\[|vso\[)/);
    }
  });

  test('contains nothing that acts on a terminal', () => {
    const text = renderTerminal(run());
    expect(visibleLines(text)).toBe(text);
  });

  test('with color it acts by its own colors only', () => {
    const text = renderTerminal(run(), { color: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
    const plain = text.replace(/\u001b\[\d+m/g, '');
    expect(plain).toBe(renderTerminal(run()));
  });
});

test('questions are answered in their order', () => {
  const text = renderTerminal(failingRun());
  const places = [
    'DOES NOT CONFORM',
    'section',
    'FAILED (',
    'WARNINGS (',
    'NOT JUDGED (',
    'OBSERVATIONS',
  ].map((part) => text.indexOf(part));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test('a failure says its clause, expected, received, input and its command', () => {
  const text = renderTerminal(failingRun(), { reportDir: 'reports' });
  const failure = /4\.2\/take-maximum\n(.+\n)+/.exec(text)?.[0] ?? '';
  for (const part of [
    'A take above the maximum',
    'on        listExperiments',
    'expected  400',
    'received  200 with',
    'because   take=51',
    'repeat    bash reports/repeat/4.2-take-maximum.sh',
  ]) {
    expect(failure).toContain(part);
  }
});

test('names no script that is too large to be written', () => {
  const run = failingRun();
  const requirements = run.requirements.map((each) => ({
    ...each,
    ...(each.reproduce !== undefined && { reproduce: `${each.reproduce}\n`.padEnd(70_000, '#') }),
  }));
  const options = { reportDir: 'reports' };
  expect(renderTerminal(run, options)).toMatch(/^ {5}repeat /m);
  expect(renderTerminal({ ...run, requirements }, options)).not.toMatch(/^ {5}repeat /m);
});

test('the headline says how much was judged', () => {
  expect(headline(littleRun())).toMatch(/^INCOMPLETE: \d+ of \d+ stated requirements judged$/);
  const { length } = conformingRun().contract.operations;
  expect(headline(conformingRun())).toMatch(
    new RegExp(
      `^CONFORMS: (\\d+) of \\1 stated requirements judged, ${length} of ${length} operations conform$`,
    ),
  );
  expect(headline(largeRun())).toMatch(/^INCOMPLETE: \d+ of \d+ stated requirements judged, \d+ deselected$/);
});

test('what was not judged is grouped with the flags that it needs', () => {
  const text = renderTerminal(littleRun());
  expect(text).toMatch(/^ +\d+ {2}.+\n {5}needs {5}--[a-z]/m);
});

test('quiet shows the warnings of a strict run, because they fail it', () => {
  const run = { ...failingRun(), run: { ...failingRun().run, strict: true } };
  expect(renderTerminal(run, { quiet: true })).toContain('WARNINGS');
});

test('quiet shows the verdict and what is broken', () => {
  const text = renderTerminal(failingRun(), { quiet: true });
  expect(text).toContain('FAILED (');
  for (const part of ['WARNINGS', 'OBSERVATIONS', 'section  ']) expect(text).not.toContain(part);
});

test('a heading counts what is listed below it, and what is listed under its cause above', () => {
  const failed = sampleResult({ id: '4.2/a', verdict: 'failed' });
  const caused = sampleResult({ id: '4.2/b', level: 'inferred', verdict: 'warned', caused_by: ['4.2/a'] });
  const warned = sampleResult({ id: '4.2/c', level: 'inferred', verdict: 'warned' });
  const text = renderTerminal(sampleReport({ requirements: [failed, caused, warned] }));
  expect(text).toContain('FAILED (1)\n');
  expect(text).toContain('WARNINGS (1, 1 more above): inferred');
});

test('the baseline names what is new and which line to remove', () => {
  const failed = sampleResult({ id: '4.2/b', verdict: 'failed' });
  const row = { id: '4.2/a', reason: 'known', line: 7 };
  const baseline = { known: [], unlisted: ['4.2/b'], expired: [], fixed: [row] };
  const text = renderTerminal(sampleReport({ requirements: [failed], baseline }));
  expect(text).toContain('new       4.2/b');
  expect(text).toContain('4.2/a: remove line 7 of the baseline');
});

test('color is for terminals, and NO_COLOR forbids it', () => {
  expect(wantsColor({ isTTY: true }, {})).toBe(true);
  expect(wantsColor({}, {})).toBe(false);
  expect(wantsColor({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
  expect(wantsColor({ isTTY: true }, { NO_COLOR: '' })).toBe(true);
});
