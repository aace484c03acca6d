import { differenceLine } from './difference.ts';
import { type Field, fieldsOf } from './findings.ts';
import type { Report, RequirementResult } from './report.ts';
import { breaks, bySection, isPartial, type SectionTally, tally } from './summary.ts';
import { headline } from './terminal.ts';
import { cut, visible, visibleLines } from './text.ts';
import { xmlAttribute, xmlText } from './xml.ts';

/**
 * JUnit XML as Jenkins' schema has it, which the other readers accept: one suite a section, one case a requirement. A warning is a
 * passed case that says so.
 */
export function renderJunit(report: Report): string {
  const sections = bySection(report);
  const suites = sections.map((section) => suite(report, section));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({
      name: report.suite.name,
      tests: report.requirements.length,
      failures: report.requirements.filter((result) => failed(report, result)).length,
      errors: tally(report.requirements).error,
      time: seconds(report.run.duration_ms),
    })}>`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

function suite(report: Report, section: SectionTally): string {
  const results = report.requirements.filter((result) => result.section === section.section);
  const name = `§${section.section}${section.title === undefined ? '' : ` ${section.title}`}`;
  return [
    `  <testsuite${attributes({
      name,
      tests: results.length,
      failures: results.filter((result) => failed(report, result)).length,
      errors: section.error,
      skipped: results.filter((result) => isSkipped(report, result)).length,
      time: seconds(results.reduce((sum, result) => sum + (result.duration_ms ?? 0), 0)),
      timestamp: report.run.started_at,
    })}>`,
    '    <properties>',
    property('      ', 'base_url', report.target.base_url),
    property('      ', 'seed', String(report.run.seed)),
    property('      ', 'verdict', headline(report)),
    '    </properties>',
    ...results.map((result) => testcase(report, result)),
    '  </testsuite>',
  ].join('\n');
}

function testcase(report: Report, result: RequirementResult): string {
  const open = `    <testcase${attributes({
    name: result.id,
    classname: `${report.suite.name}.${result.section.replaceAll('.', '_')}`,
    time: seconds(result.duration_ms ?? 0),
  })}`;
  const body = outcome(report, result);
  return body.length === 0 ? `${open}/>` : [`${open}>`, ...body, '    </testcase>'].join('\n');
}

function outcome(report: Report, result: RequirementResult): string[] {
  const text = detail(report, result);
  const attribute = xmlAttribute(visible(cut(message(result), 500)));
  if (isExcused(report, result)) {
    const known = report.baseline?.known.find(({ id }) => id === result.id);
    return [
      `      <skipped message="${xmlAttribute(visible(`known failure: ${known?.reason ?? ''}`))}"/>`,
      systemOut(text),
    ];
  }
  if (failed(report, result))
    return [`      <failure message="${attribute}" type="${result.level}">${xmlText(text)}</failure>`];
  switch (result.verdict) {
    case 'error':
      return [`      <error message="${attribute}" type="error">${xmlText(text)}</error>`];
    case 'not-judged':
      return [`      <skipped message="${attribute}"/>`];
    case 'warned':
      return [systemOut(`warning: ${text}`)];
    default:
      return isPartial(result) ? [systemOut(text)] : [];
  }
}

function message(result: RequirementResult): string {
  const { difference, reason = result.verdict } = result;
  if (difference !== undefined) return differenceLine(difference);
  const flags = (result.required_flags ?? []).join(' ');
  return flags === '' ? reason : `${reason} (needs ${flags})`;
}

function detail(report: Report, result: RequirementResult): string {
  const rows: readonly Field[] = [
    { label: 'clause', text: result.description },
    ...fieldsOf(report, result),
    ...[result.reproduce ?? []].flat().map((text) => ({ label: 'repeat', text })),
    ...[result.rerun ?? []].flat().map((text) => ({ label: 'rerun', text })),
    ...(result.not_judged_on ?? []).map(({ operation, reason }) => ({
      label: 'not judged',
      text: `on ${operation}: ${reason}`,
    })),
  ];
  return rows
    .map(({ label, text }) => `${(label === '' ? '' : `${label}:`).padEnd(11)} ${visibleLines(cut(text))}`)
    .join('\n');
}

/** True for a failure that the baseline lists: it does not fail the run. */
export function isExcused(report: Report, result: RequirementResult): boolean {
  return report.baseline?.known.some(({ id }) => id === result.id) ?? false;
}

/** A warning counts only where the run was strict: then CI must see why it is red. */
function failed(report: Report, result: RequirementResult): boolean {
  return !isExcused(report, result) && breaks(result, report.run.strict === true);
}

function isSkipped(report: Report, result: RequirementResult): boolean {
  return result.verdict === 'not-judged' || isExcused(report, result);
}

function systemOut(text: string): string {
  return `      <system-out>${xmlText(text)}</system-out>`;
}

function property(indent: string, name: string, value: string): string {
  return `${indent}<property${attributes({ name, value: visible(cut(value, 1_000)) })}/>`;
}

function attributes(all: Readonly<Record<string, string | number>>): string {
  return Object.entries(all)
    .map(([name, value]) => ` ${name}="${xmlAttribute(String(value))}"`)
    .join('');
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}
