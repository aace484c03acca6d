import {
  type Change,
  type Comparison,
  changes,
  compareExitCode,
  countChanges,
  type State,
} from './compare.ts';
import { code, table, text } from './markdown.ts';
import type { Report } from './report.ts';
import { verdictWord } from './summary.ts';
import { TerminalText } from './terminal-text.ts';
import { count, fitted, inputText, line, plural, sentenceCase } from './text.ts';

/** Cells that are named; of more, only their number is told. */
const shownCells = 30;

const changeSigns = { worse: '✗', better: '✓', unknown: '○', other: '·' };
const changeWords = { worse: 'worse', better: 'better', unknown: 'unknown now', other: 'different' };

/** `WORSE: 2 worse, 5 better`; one line. */
export function compareHeadline(comparison: Comparison): string {
  const parts = changes
    .map((change) => ({ change, number: countChanges(comparison, change) }))
    .filter(({ number }) => number > 0)
    .map(({ change, number }) => `${count(number)} ${changeWords[change]}`);
  const { observations } = comparison;
  if (observations.length > 0)
    parts.push(plural(observations.length, 'observation differs', 'observations differ'));
  const all = parts.length === 0 ? 'nothing differs' : parts.join(', ');
  return `${compareExitCode(comparison) === 0 ? 'NOT WORSE' : 'WORSE'}: ${all}`;
}

/** The comparison on a terminal. Without colour: its signs are its words. */
export function renderCompareTerminal(
  comparison: Comparison,
  options: { readonly columns?: number } = {},
): string {
  const { before, after, requirements, cells, observations } = comparison;
  const page = new TerminalText(options);
  const heading = (title: string, rows: readonly unknown[]) => {
    if (rows.length > 0) page.heading(title);
    if (rows.length > 0) page.line();
  };
  page.line();
  page.hang('', compareHeadline(comparison));
  page.line();
  page.hang('  before  ', reportLabel(before));
  page.hang('  after   ', reportLabel(after));
  heading('REQUIREMENTS', requirements);
  for (const { id, description, before, after, change, difference } of requirements) {
    const states = `${stateText(before)} → ${stateText(after)}`;
    page.hang(`${changeSigns[change]} `, `${line(id, 200)}: ${states} (${changeWords[change]})`);
    page.hang('    ', line(description, 400));
    if (difference !== undefined) page.hang('    ', line(difference, 400));
  }
  heading('SCOPES', cells);
  for (const { operation, scope, before, after, change } of cells.slice(0, shownCells)) {
    const states = `${statusText(before)} → ${statusText(after)} (${changeWords[change]})`;
    page.hang(`${changeSigns[change]} `, `${line(scope, 120)} on ${line(operation, 120)}: ${states}`);
  }
  if (cells.length > shownCells) page.line(`  and ${count(cells.length - shownCells)} more`);
  heading('OBSERVATIONS', observations);
  for (const { id, before, after } of observations) {
    page.hang(`  ${fitted(line(id, 60), 40)}  `, `${valueText(before)} → ${valueText(after)}`);
  }
  return page.text();
}

/** The comparison as Markdown. */
export function renderCompareMarkdown(comparison: Comparison): string {
  const { before, after, requirements, cells, observations } = comparison;
  const [word = '', rest = ''] = compareHeadline(comparison).split(': ');
  const section = (title: string, head: readonly string[], rows: readonly (readonly string[])[]) =>
    rows.length === 0 ? [] : [`### ${title}`, table(head, rows)];
  const changed = (change: Change) => `${changeSigns[change]} ${changeWords[change]}`;
  const blocks = [
    `## ${compareExitCode(comparison) === 0 ? '✅' : '❌'} ${sentenceCase(word)}: ${rest}`,
    `- before: ${text(reportLabel(before))}\n- after: ${text(reportLabel(after))}`,
    ...section(
      'Requirements',
      ['', 'Requirement', 'Before', 'After', 'Says'],
      requirements.map(({ id, description, before, after, change }) => [
        changed(change),
        code(id, true),
        stateText(before),
        stateText(after),
        text(description),
      ]),
    ),
    ...section(
      'Scopes',
      ['', 'Operation', 'Scope', 'Before', 'After'],
      cells
        .slice(0, shownCells)
        .map(({ operation, scope, before, after, change }) => [
          changed(change),
          code(operation, true),
          code(scope, true),
          statusText(before),
          statusText(after),
        ]),
    ),
    ...(cells.length > shownCells ? [`and ${count(cells.length - shownCells)} more`] : []),
    ...section(
      'Observations',
      ['Observation', 'Before', 'After'],
      observations.map(({ id, before, after }) => [
        code(id, true),
        code(valueText(before), true),
        code(valueText(after), true),
      ]),
    ),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** What a report is of, in one line. */
function reportLabel({ run, target, verdict }: Report): string {
  const started = run.started_at.slice(0, 16).replace('T', ' ');
  return `${line(target.base_url, 200)}, ${started}, ${verdict.replaceAll('-', ' ')}`;
}

function stateText(state: State): string {
  return state === 'passed in part' || state === 'absent' ? state : verdictWord(state);
}

function statusText(status: number | undefined): string {
  return status === undefined ? 'not sent' : status === 0 ? 'no answer' : String(status);
}

function valueText(value: unknown): string {
  return value === undefined ? 'none' : inputText(value, 200);
}
