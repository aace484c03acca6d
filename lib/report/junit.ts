import { differenceLine, entryLines } from './difference.ts';
import type { Report, RequirementResult } from './report.ts';
import { bySection, isPartial, type SectionTally, tally } from './summary.ts';
import { cut, inputText, visible, visibleLines } from './text.ts';
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
  const known = report.baseline?.known.find(({ id }) => id === result.id);
  const message = xmlAttribute(visible(cut(headline(result), 500)));
  if (known !== undefined) {
    return [
      `      <skipped message="${xmlAttribute(visible(`known failure: ${known.reason}`))}"/>`,
      systemOut(detail(result)),
    ];
  }
  if (failed(report, result)) {
    return [
      `      <failure message="${message}" type="${result.level}">${xmlText(detail(result))}</failure>`,
    ];
  }
  switch (result.verdict) {
    case 'error':
      return [`      <error message="${message}" type="error">${xmlText(detail(result))}</error>`];
    case 'not-judged':
      return [`      <skipped message="${message}"/>`];
    case 'warned':
      return [systemOut(`warning: ${detail(result)}`)];
    default:
      return isPartial(result) ? [systemOut(detail(result))] : [];
  }
}

function headline(result: RequirementResult): string {
  if (result.verdict === 'not-judged') {
    const flags = (result.required_flags ?? []).join(' ');
    return `${result.reason ?? 'not judged'}${flags === '' ? '' : ` (needs ${flags})`}`;
  }
  const { difference, reason = 'broken' } = result;
  return difference === undefined ? reason : differenceLine(difference);
}

function detail(result: RequirementResult): string {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['clause', result.description],
    ['source', result.source],
    ['reading', result.reading],
    ['expected', result.difference?.expected],
    ['because', result.difference === undefined ? result.reason : result.difference.because],
    ['received', result.difference?.received],
    ...(result.difference === undefined ? [] : entryLines(result.difference)).map(
      (entry) => ['', entry] as const,
    ),
    ['input', result.counterexample === undefined ? undefined : inputText(result.counterexample)],
    ['repeat', result.reproduce],
    ['rerun', result.rerun],
    ...(result.not_judged_on ?? []).map(
      ({ operation, reason }) => ['not judged', `on ${operation}: ${reason}`] as const,
    ),
  ];
  return rows
    .filter(([, text]) => text !== undefined)
    .map(([label, text = '']) => `${(label === '' ? '' : `${label}:`).padEnd(10)} ${visibleLines(cut(text))}`)
    .join('\n');
}

/** A warning counts only where the run was strict: then CI must see why it is red. What the baseline excuses never does. */
function failed(report: Report, result: RequirementResult): boolean {
  if (report.baseline?.known.some(({ id }) => id === result.id)) return false;
  return result.verdict === 'failed' || (report.run.strict === true && result.verdict === 'warned');
}

function isSkipped(report: Report, result: RequirementResult): boolean {
  return (
    result.verdict === 'not-judged' || (report.baseline?.known.some(({ id }) => id === result.id) ?? false)
  );
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
