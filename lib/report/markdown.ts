import { type Finding, fieldsOf, findingsOf } from './findings.ts';
import type { Report } from './report.ts';
import { bySection, tally, unjudged } from './summary.ts';
import { headline } from './terminal.ts';
import { count, cut, duration, inputText, line, plural, visibleLines } from './text.ts';

const shownFindings = 30;

/** Characters of all findings together: GitHub refuses comments of more than 65,536. */
const findingsBudget = 40_000;
const shownIds = 20;
const shownObservations = 20;

/** The summary for a pull request: what `summary.md` holds. */
export function renderMarkdown(report: Report): string {
  const sections = bySection(report);
  const sign = { conforms: '✅', 'does-not-conform': '❌', incomplete: '⚪' }[report.verdict];
  const [verdict = '', judged = ''] = headline(report).split(': ');
  const total = tally(report.requirements);
  const budget = { left: findingsBudget };
  const blocks: string[] = [
    `## ${sign} ${verdict.charAt(0)}${verdict.slice(1).toLowerCase()}`,
    `${judged}. Target ${code(report.target.base_url)} (${report.target.cloud} cloud).`,
    `${text(report.suite.name)} ${text(report.suite.version)}, specification ${text(report.specification.version)}, seed ${report.run.seed}, ${duration(report.run.duration_ms)}, ${plural(report.run.requests, 'request')}.`,
  ];
  if (report.run.ended_early !== undefined) blocks.push(`**Ended early:** ${text(report.run.ended_early)}`);
  blocks.push(
    table(
      ['Section', 'Passed', 'Failed', 'Warned', 'Not judged', 'Error'],
      [
        ...sections.map((section) => ({
          name: `§${section.section} ${section.title ?? ''}`.trim(),
          ...section,
        })),
        { name: 'All', ...total },
      ].map(({ name, passed, failed, warned, not_judged, error }) => [
        text(name),
        ...[passed, failed, warned, not_judged, error].map((cell) => (cell === 0 ? '·' : count(cell))),
      ]),
    ),
    ...findings(report, 'Failed', 'failed', true, budget),
    ...findings(report, "Errors (not the target's violation)", 'error', true, budget),
    ...baseline(report),
    ...findings(report, 'Warnings', 'warned', false, budget),
    ...notJudged(report),
    ...observations(report),
  );
  return `${blocks.join('\n\n')}\n`;
}

function findings(
  report: Report,
  title: string,
  verdict: 'failed' | 'error' | 'warned',
  open: boolean,
  budget: { left: number },
): string[] {
  const all = findingsOf(report, verdict);
  const total = report.requirements.filter((result) => result.verdict === verdict).length;
  if (all.length === 0) return [];
  const shown: string[] = [];
  for (const finding of all.slice(0, shownFindings)) {
    const block = explained(report, finding, open && all.length <= 5);
    if (block.length > budget.left) break;
    budget.left -= block.length;
    shown.push(block);
  }
  const rest = all.length - shown.length;
  return [
    `### ${title} (${count(total)}${all.length === total ? '' : ` by ${plural(all.length, 'cause')}`})`,
    ...shown,
    ...(rest > 0 ? [`and ${count(rest)} more, in the report.`] : []),
  ];
}

function explained(report: Report, { result, same, consequences }: Finding, open: boolean): string {
  const rows = fieldsOf(report, result).map(({ label, text: value }) => {
    const shown = label === 'source' || label === 'reading' || label === 'known' ? text(value) : code(value);
    return label === '' ? `  - ${shown}` : `- ${label}: ${shown}`;
  });
  if (same.length > 0) rows.push(`- also: ${ids(same.map(({ id }) => id))}`);
  if (consequences.length > 0) rows.push(`- causes: ${ids(consequences.map(({ id }) => id))}`);
  const commands = [result.reproduce, result.rerun].filter((command) => command !== undefined);
  return [
    `<details${open ? ' open' : ''}><summary><code>${text(result.id)}</code> ${text(result.description)}</summary>`,
    rows.join('\n'),
    ...(commands.length > 0 ? [fence(commands.join('\n'))] : []),
    '</details>',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function baseline(report: Report): string[] {
  if (report.baseline === undefined) return [];
  const { known, unlisted, expired, fixed } = report.baseline;
  return [
    '### Baseline',
    [
      `- ${count(known.length)} known`,
      `- ${count(unlisted.length)} new${unlisted.length > 0 ? `: ${ids(unlisted)}` : ''}`,
      `- ${count(expired.length)} expired${expired.length > 0 ? `: ${ids(expired.map(({ id }) => id))}` : ''}`,
      ...fixed.map((row) => `- ${code(row.id)} passes now: remove line ${row.line} of the baseline`),
    ].join('\n'),
  ];
}

function notJudged(report: Report): string[] {
  const groups = unjudged(report.requirements);
  if (groups.length === 0) return [];
  const rows = groups.map((group) => [
    String(group.items.length),
    text(group.reason),
    group.requiredFlags.map((flag) => code(flag, true)).join(' '),
    ids(group.items.map(({ id }) => id)),
  ]);
  return ['### Not judged', table(['', 'Why', 'Needs', 'Requirements'], rows)];
}

function observations(report: Report): string[] {
  if (report.observations.length === 0) return [];
  const rest = report.observations.length - shownObservations;
  const rows = report.observations
    .slice(0, shownObservations)
    .map(({ id, description, value }) => [
      code(id, true),
      text(description),
      code(inputText(value, 160), true),
    ]);
  return [
    `<details><summary>Observations (${report.observations.length}): where the specification is silent</summary>`,
    table(['Id', 'What', 'Value'], rows),
    ...(rest > 0 ? [`and ${count(rest)} more, in the report.`] : []),
    '</details>',
  ];
}

function ids(all: readonly string[]): string {
  const rest = all.length - shownIds;
  return (
    all
      .slice(0, shownIds)
      .map((id) => code(id, true))
      .join(', ') + (rest > 0 ? ` and ${count(rest)} more` : '')
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [row(head), row(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(row)].join(
    '\n',
  );
}

/** Text that stays text: no markup, no links, no mentions, one line. Shared with everything that writes Markdown. */
export function text(value: string): string {
  return (
    line(value, 600)
      .replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '')
      .replace(/[\\`*_{}[\]()!|~]|(?<!&)#/g, (character) => `&#${character.charCodeAt(0)};`)
      // A zero-width joiner keeps mentions and bare addresses from becoming links.
      .replace(/@|:(?=\/\/)|(?<=\bwww)\./gi, (character) => `${character}&#8205;`)
  );
}

/** A value as an inline code span, on one line; in a table its bars are escaped too. */
export function code(value: string, inTable = false): string {
  const shown = line(value, 600);
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const ticks = '`'.repeat(longest + 1);
  const padding = shown.startsWith('`') || shown.endsWith('`') || shown === '' ? ' ' : '';
  const span = `${ticks}${padding}${shown}${padding}${ticks}`;
  return inTable ? span.replaceAll('|', '\\|') : span;
}

function fence(value: string): string {
  const shown = visibleLines(cut(value, 3_000));
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}sh\n${shown}\n${ticks}`;
}
