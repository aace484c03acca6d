import { expect, test } from 'vitest';
import { conformingRun, failingRun, hostileRun, largeRun, littleRun } from '../../test/sample-runs.ts';
import { parseReportText } from './parse.ts';

test.each([conformingRun, failingRun, littleRun, largeRun, hostileRun])('takes a report: %o', (run) => {
  expect(parseReportText(JSON.stringify(run()))).toEqual(run());
});

test.each<[string, unknown, string]>([
  ['no object', 7, 'not a report: the report must be an object'],
  ['no verdict', { ...conformingRun(), verdict: undefined }, 'verdict is missing'],
  [
    'a verdict that there is not',
    { ...conformingRun(), verdict: 'fine' },
    'verdict must be conforms or does-not-conform or incomplete',
  ],
  [
    'a count below 0',
    { ...conformingRun(), run: { ...conformingRun().run, requests: -1 } },
    'run.requests must be at least 0',
  ],
  [
    'a mistyped count',
    { ...conformingRun(), summary: { ...conformingRun().summary, state: {} } },
    'summary: unknown key state; did you mean stated?',
  ],
])('explains %s in one line', (_, value, message) => {
  const parse = () => parseReportText(JSON.stringify(value));
  expect(parse).toThrow(message);
});

test('an inferred requirement cannot fail, a stated one cannot warn', () => {
  const report = conformingRun();
  const with_ = (level: string, verdict: string) => ({
    ...report,
    requirements: report.requirements.map((result) => ({ ...result, level, verdict })),
  });
  expect(() => parseReportText(JSON.stringify(with_('inferred', 'failed')))).toThrow('requirements[0]');
  expect(() => parseReportText(JSON.stringify(with_('stated', 'warned')))).toThrow('requirements[0]');
});

test('further fields are let through', () => {
  expect(() => parseReportText(JSON.stringify({ ...conformingRun(), later: 1 }))).not.toThrow();
});

test('text that is not JSON is not a report', () => {
  expect(() => parseReportText('<html>')).toThrow(/^not a report: /);
});
