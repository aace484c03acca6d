import { detailsOf, messageOf, withOneErrorPerCause } from './findings.ts';
import { testStatus } from './junit.ts';
import type { Report } from './report.ts';
import { bySection } from './summary.ts';
import { visibleLines } from './text.ts';

/** The report in the Common Test Report Format (ctrf.io): one test per requirement, one suite per section. */
export function renderCtrf(report: Report): unknown {
  const runStart = Date.parse(report.run.started_at);
  const names = new Map(bySection(report).map(({ section, name }) => [section, name]));
  const tests = withOneErrorPerCause(report).map((result) => {
    const found = testStatus(report, result);
    const status = found === 'error' ? 'other' : found;
    const start = runStart + (result.started_ms ?? 0);
    const duration = Math.round(result.duration_ms ?? 0);
    const message = visibleLines(messageOf(result));
    return {
      name: result.id,
      status,
      duration,
      start,
      stop: start + duration,
      suite: [names.get(result.section)],
      ...(message !== '' && { message }),
      ...(status !== 'passed' && { trace: detailsOf(report, result) }),
      rawStatus: result.verdict,
      tags: [result.level],
    };
  });
  const number = (status: string) => tests.filter((test) => test.status === status).length;
  return {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    generatedBy: report.suite.name,
    results: {
      tool: { name: report.suite.name, version: report.suite.version },
      summary: {
        tests: tests.length,
        passed: number('passed'),
        failed: number('failed'),
        skipped: number('skipped'),
        pending: 0,
        other: number('other'),
        suites: names.size,
        start: runStart,
        stop: runStart + Math.round(report.run.duration_ms),
        extra: { verdict: report.verdict, ...report.summary, notes: report.run.notes },
      },
      tests,
    },
  };
}
