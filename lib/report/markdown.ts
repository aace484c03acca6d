import { baselineEntries } from './baseline.ts';
import { type Finding, type FindingVerdict, fieldsOf, findingsOf, findingsTitle } from './findings.ts';
import type { Report } from './report.ts';
import { bySection, tally, unjudged, verdictColumns, verdictWord } from './summary.ts';
import { headline } from './terminal.ts';
import {
  count,
  cut,
  duration,
  firstOf,
  inputText,
  line,
  plural,
  sentenceCase,
  visibleLines,
} from './text.ts';

const shownFindings = 30;

/** Characters of all findings together: GitHub refuses comments of more than 65,536. */
const findingsBudget = 40_000;
const shownIds = 20;
const shownObservations = 20;

/** The summary for a pull request: what `summary.md` contains. */
export function renderMarkdown(report: Report): string {
  const { suite, specification, target, run } = report;
  const sign = { conforms: '✅', 'does-not-conform': '❌', incomplete: '⚪' }[report.verdict];
  const [verdict = '', judged = ''] = headline(report).split(': ');
  const budget = { left: findingsBudget };
  const sections = [...bySection(report), { name: 'All', tally: tally(report.requirements) }];
  const blocks = [
    `## ${sign} ${sentenceCase(verdict)}`,
    `${judged}. Target ${code(target.base_url)} (${target.cloud} cloud).`,
    `${text(suite.name)} ${text(suite.version)}, specification ${text(specification.version)}, seed ${run.seed}, ${duration(run.duration_ms)}, ${plural(run.requests, 'request')}.`,
    ...(run.ended_early === undefined ? [] : [`**Ended early:** ${text(run.ended_early)}`]),
    ...(run.notes ?? []).map((note) => `**Note:** ${text(note)}`),
    table(
      ['Section', ...verdictColumns.map((verdict) => sentenceCase(verdictWord(verdict)))],
      sections.map(({ name, tally }) => [
        text(name),
        ...verdictColumns.map((verdict) => (tally[verdict] === 0 ? '·' : count(tally[verdict]))),
      ]),
      '---:',
    ),
    ...findings(report, 'Failed', 'failed', budget),
    ...findings(report, "Errors (not the target's violation)", 'error', budget),
    ...baseline(report),
    ...findings(report, 'Warnings', 'warned', budget),
    ...notJudged(report),
    ...observations(report),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function findings(
  report: Report,
  title: string,
  verdict: FindingVerdict,
  budget: { left: number },
): string[] {
  const all = findingsOf(report, verdict);
  if (all.length === 0) return [];
  const open = verdict !== 'warned' && all.length <= 5;
  const shown: string[] = [];
  for (const finding of all.slice(0, shownFindings)) {
    const block = explained(report, finding, open);
    if (block.length > budget.left) break;
    budget.left -= block.length;
    shown.push(block);
  }
  const heading = findingsTitle(title, all, tally(report.requirements)[verdict]);
  return [`### ${heading}`, ...shown, ...andMore(all.length - shown.length)];
}

function explained(report: Report, { result, same, consequences }: Finding, open: boolean): string {
  const rows = fieldsOf(report, result).map(({ label, text: value }) => {
    const shown = ['source', 'reading', 'known'].includes(label) ? text(value) : code(value);
    return label === '' ? `  - ${shown}` : `- ${label}: ${shown}`;
  });
  if (same.length > 0) rows.push(`- also: ${ids(same)}`);
  if (consequences.length > 0) rows.push(`- causes: ${ids(consequences)}`);
  const commands = [result.reproduce, result.rerun].filter((command) => command !== undefined);
  return [
    `<details${open ? ' open' : ''}><summary><code>${text(result.id)}</code> ${text(result.description)}</summary>`,
    ...(rows.length > 0 ? [rows.join('\n')] : []),
    ...(commands.length > 0 ? [fence(commands.join('\n'))] : []),
    '</details>',
  ].join('\n\n');
}

function baseline(report: Report): string[] {
  const rows = baselineEntries(report).map(({ state, id, note }) => [state, code(id, true), text(note)]);
  return rows.length === 0 ? [] : ['### Baseline', table(['State', 'Requirement', 'Reason'], rows)];
}

function notJudged(report: Report): string[] {
  const rows = unjudged(report.requirements).map(({ items, reason, requiredFlags }) => [
    String(items.length),
    text(reason),
    requiredFlags.map((flag) => code(flag, true)).join(' '),
    ids(items),
  ]);
  return rows.length === 0 ? [] : ['### Not judged', table(['', 'Why', 'Needs', 'Requirements'], rows)];
}

function observations({ observations }: Report): string[] {
  if (observations.length === 0) return [];
  const rows = observations
    .slice(0, shownObservations)
    .map(({ id, description, value }) => [
      code(id, true),
      text(description),
      code(inputText(value, 160), true),
    ]);
  return [
    `<details><summary>Observations (${observations.length}): where the specification is silent</summary>`,
    table(['Id', 'What', 'Value'], rows),
    ...andMore(observations.length - rows.length),
    '</details>',
  ];
}

function andMore(rest: number): string[] {
  return rest > 0 ? [`and ${count(rest)} more, in the report.`] : [];
}

function ids(all: readonly { readonly id: string }[]): string {
  return firstOf(
    all.map(({ id }) => code(id, true)),
    shownIds,
  );
}

/** A table whose cells are Markdown already. `rule` aligns all columns but the first. */
function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  rule: '---' | '---:' = '---',
): string {
  const rules = head.map((_, index) => (index === 0 ? '---' : rule));
  return [head, rules, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Text that stays text: no markup, no links, no mentions, one line. */
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
  const ticks = ticksAround(shown, 1);
  const padding = shown.startsWith('`') || shown.endsWith('`') || shown === '' ? ' ' : '';
  const span = `${ticks}${padding}${shown}${padding}${ticks}`;
  return inTable ? span.replaceAll('|', '\\|') : span;
}

function fence(value: string): string {
  const shown = visibleLines(cut(value, 3_000));
  const ticks = ticksAround(shown, 3);
  return `${ticks}sh\n${shown}\n${ticks}`;
}

/** More backticks than stand together in the text. */
function ticksAround(text: string, least: number): string {
  const runs = text.match(/`+/g) ?? [];
  return '`'.repeat(Math.max(least, ...runs.map((run) => run.length + 1)));
}
