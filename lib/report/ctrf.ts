import { differenceLine } from './difference.ts';
import { fieldsOf } from './findings.ts';
import { isExcused } from './junit.ts';
import type { Report, RequirementResult } from './report.ts';
import { breaks, bySection, tally } from './summary.ts';
import { visibleLines } from './text.ts';

type Status = 'passed' | 'failed' | 'skipped' | 'other';

/** The report in the Common Test Report Format (ctrf.io): one test a requirement, one suite a section. */
export function renderCtrf(report: Report): unknown {
  const start = Date.parse(report.run.started_at);
  const titles = new Map(bySection(report).map(({ section, title }) => [section, title]));
  const tests = report.requirements.map((result) => {
    const status = statusOf(report, result);
    const from = start + (result.started_ms ?? 0);
    const duration = Math.round(result.duration_ms ?? 0);
    const { difference, reason } = result;
    const message = difference === undefined ? reason : differenceLine(difference);
    return {
      name: result.id,
      status,
      duration,
      start: from,
      stop: from + duration,
      suite: [`§${result.section} ${titles.get(result.section) ?? ''}`.trim()],
      ...(message !== undefined && { message: visibleLines(message) }),
      ...(status !== 'passed' && { trace: traceOf(report, result) }),
      rawStatus: result.verdict,
      tags: [result.level],
    };
  });
  const number = (status: Status) => tests.filter((test) => test.status === status).length;
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
        suites: titles.size,
        start,
        stop: start + Math.round(report.run.duration_ms),
        extra: {
          verdict: report.verdict,
          ...tally(report.requirements),
          deselected: report.summary.deselected,
        },
      },
      tests,
    },
  };
}

/** An error of the suite is neither the target's failure nor a pass: `other`. */
function statusOf(report: Report, result: RequirementResult): Status {
  if (isExcused(report, result)) return 'skipped';
  if (breaks(result, report.run.strict === true)) return 'failed';
  if (result.verdict === 'error') return 'other';
  return result.verdict === 'not-judged' ? 'skipped' : 'passed';
}

function traceOf(report: Report, result: RequirementResult): string {
  const rows = [{ label: 'clause', text: result.description }, ...fieldsOf(report, result)];
  const commands = [result.reproduce, result.rerun].filter((command) => command !== undefined);
  return visibleLines([...rows.map(({ label, text }) => `${label}: ${text}`), ...commands].join('\n'));
}
