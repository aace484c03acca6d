import { detailsOf, messageOf, withOneErrorPerCause } from './findings.ts';
import type { Report, RequirementResult } from './report.ts';
import { breaks, bySection, excuseOf, isPartial, type Section, tally } from './summary.ts';
import { type Html, html } from './template.ts';
import { headline } from './terminal.ts';
import { truncate, visible } from './text.ts';

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
  const requirements = withOneErrorPerCause(report);
  const { suite, run } = report;
  const failures = withStatus(report, requirements, 'failed');
  return html`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${suite.name}" tests="${requirements.length}" failures="${failures}" errors="${tally(requirements).error}" time="${seconds(run.duration_ms)}">
${bySection({ ...report, requirements }).map((section) => testsuite(report, section))}</testsuites>
`.markup;
}

function testsuite(report: Report, { name, results, tally }: Section): Html {
  const { run, target } = report;
  const failures = withStatus(report, results, 'failed');
  const skipped = withStatus(report, results, 'skipped');
  const time = seconds(results.reduce((sum, { duration_ms = 0 }) => sum + duration_ms, 0));
  const property = (name: string, value: string) =>
    html`<property name="${name}" value="${visible(truncate(value, 1_000))}"/>`;
  return html`  <testsuite name="${name}" tests="${results.length}" failures="${failures}" errors="${tally.error}" skipped="${skipped}" time="${time}" timestamp="${run.started_at}">
    <properties>
      ${property('base_url', target.base_url)}
      ${property('seed', String(run.seed))}
      ${property('verdict', headline(report))}${(run.notes ?? []).map((note) => property('note', note))}
    </properties>
${results.map((result) => testcase(report, result))}  </testsuite>
`;
}

function testcase(report: Report, result: RequirementResult): Html {
  const classname = `${report.suite.name}.${result.section.replaceAll('.', '_')}`;
  return html`    <testcase name="${result.id}" classname="${classname}" time="${seconds(result.duration_ms ?? 0)}">${outcome(report, result)}</testcase>
`;
}

function outcome(report: Report, result: RequirementResult): Html | undefined {
  const { verdict, level, difference, required_flags: flags = [] } = result;
  const excuse = excuseOf(report, result);
  const needs = flags.length === 0 || difference !== undefined ? '' : ` (needs ${flags.join(' ')})`;
  const said = excuse === undefined ? `${messageOf(result)}${needs}` : `known failure: ${excuse.reason}`;
  const message = visible(truncate(said === '' ? verdict : said, 500));
  const details = detailsOf(report, result);
  switch (testStatus(report, result)) {
    case 'failed':
      return html`<failure message="${message}" type="${level}">${details}</failure>`;
    case 'error':
      return html`<error message="${message}" type="error">${details}</error>`;
    case 'skipped':
      return html`<skipped message="${message}"/>${excuse && html`<system-out>${details}</system-out>`}`;
    case 'passed':
      if (verdict === 'warned') return html`<system-out>warning: ${details}</system-out>`;
      return isPartial(result) ? html`<system-out>${details}</system-out>` : undefined;
  }
}

function withStatus(report: Report, results: readonly RequirementResult[], status: TestStatus): number {
  return results.filter((result) => testStatus(report, result) === status).length;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}
