import { detailsOf, messageOf, withOneErrorACause } from './findings.ts';
import type { Report, RequirementResult } from './report.ts';
import { breaks, bySection, excuseOf, isPartial, type Section, tally } from './summary.ts';
import { headline } from './terminal.ts';
import { truncate, visible } from './text.ts';
import { escapeXml, xmlAttribute } from './xml.ts';

/** The status of a result in JUnit and CTRF. An error of the suite is neither the target's failure nor a pass. */
export type TestStatus = 'passed' | 'failed' | 'skipped' | 'error';

/** Failures that the baseline excuses are skipped. Warnings fail only in a strict run, so that CI shows why it failed. */
export function testStatus(report: Report, result: RequirementResult): TestStatus {
  if (result.verdict === 'not-judged' || excuseOf(report, result) !== undefined) return 'skipped';
  if (breaks(result, report.run.strict === true)) return 'failed';
  return result.verdict === 'error' ? 'error' : 'passed';
}

/**
 * JUnit XML as Jenkins' schema has it, which the other readers accept: one suite per section, one case per requirement. A warning is a
 * passed case that says so.
 */
export function renderJunit(report: Report): string {
  const requirements = withOneErrorACause(report);
  const attributes = attributesOf({
    name: report.suite.name,
    tests: requirements.length,
    failures: withStatus(report, requirements, 'failed'),
    errors: tally(requirements).error,
    time: seconds(report.run.duration_ms),
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites${attributes}>
${bySection({ ...report, requirements })
  .map((section) => suite(report, section))
  .join('')}</testsuites>
`;
}

function suite(report: Report, { name, results, tally }: Section): string {
  const attributes = attributesOf({
    name,
    tests: results.length,
    failures: withStatus(report, results, 'failed'),
    errors: tally.error,
    skipped: withStatus(report, results, 'skipped'),
    time: seconds(results.reduce((sum, { duration_ms = 0 }) => sum + duration_ms, 0)),
    timestamp: report.run.started_at,
  });
  const property = (name: string, value: string) =>
    `<property${attributesOf({ name, value: visible(truncate(value, 1_000)) })}/>`;
  return `  <testsuite${attributes}>
    <properties>
      ${property('base_url', report.target.base_url)}
      ${property('seed', String(report.run.seed))}
      ${property('verdict', headline(report))}${(report.run.notes ?? []).map((note) => property('note', note)).join('')}
    </properties>
${results.map((result) => testcase(report, result)).join('')}  </testsuite>
`;
}

function testcase(report: Report, result: RequirementResult): string {
  const attributes = attributesOf({
    name: result.id,
    classname: `${report.suite.name}.${result.section.replaceAll('.', '_')}`,
    time: seconds(result.duration_ms ?? 0),
  });
  return `    <testcase${attributes}>${outcome(report, result)}</testcase>\n`;
}

function outcome(report: Report, result: RequirementResult): string {
  const { verdict, level, difference, required_flags: flags = [] } = result;
  const excuse = excuseOf(report, result);
  const needs = flags.length === 0 || difference !== undefined ? '' : ` (needs ${flags.join(' ')})`;
  const said = excuse === undefined ? `${messageOf(result)}${needs}` : `known failure: ${excuse.reason}`;
  const message = attributesOf({ message: visible(truncate(said === '' ? verdict : said, 500)) });
  const output = (prefix = '') =>
    `<system-out>${escapeXml(`${prefix}${detailsOf(report, result)}`)}</system-out>`;
  switch (testStatus(report, result)) {
    case 'failed':
      return `<failure${message} type="${level}">${escapeXml(detailsOf(report, result))}</failure>`;
    case 'error':
      return `<error${message} type="error">${escapeXml(detailsOf(report, result))}</error>`;
    case 'skipped':
      return `<skipped${message}/>${excuse === undefined ? '' : output()}`;
    case 'passed':
      if (verdict === 'warned') return output('warning: ');
      return isPartial(result) ? output() : '';
  }
}

function withStatus(report: Report, results: readonly RequirementResult[], status: TestStatus): number {
  return results.filter((result) => testStatus(report, result) === status).length;
}

function attributesOf(all: Readonly<Record<string, string | number>>): string {
  return Object.entries(all)
    .map(([name, value]) => ` ${name}="${xmlAttribute(String(value))}"`)
    .join('');
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}
