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
import { count, inputText, line, plural, sentenceCase } from './text.ts';

/** Cells that are named; of more, only the number is given. */
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

/** What changed, as a reader wants it: the same rows in the terminal and in Markdown. */
interface Row {
  readonly change?: Change;
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly details: readonly string[];
}

function sections({ requirements, cells, observations }: Comparison): (readonly [string, readonly Row[]])[] {
  const rest = cells.length - shownCells;
  const requirementRows = requirements.map(({ before, after, id, description, differences, change }) => ({
    change,
    name: id,
    before: stateText(before),
    after: stateText(after),
    details: [description, ...differences],
  }));
  const cellRows = cells.slice(0, shownCells).map(({ operation, scope, before, after, change }, index) => ({
    change,
    name: `${scope} on ${operation}`,
    before: statusText(before),
    after: statusText(after),
    details: rest > 0 && index === shownCells - 1 ? [`and ${count(rest)} more`] : [],
  }));
  const observationRows = observations.map(({ id, before, after }) => ({
    name: id,
    before: valueText(before),
    after: valueText(after),
    details: [],
  }));
  const all = { Requirements: requirementRows, Scopes: cellRows, Observations: observationRows };
  return Object.entries(all).filter(([, rows]) => rows.length > 0);
}

/** The comparison on a terminal. Without colour: its signs are its words. */
export function renderCompareTerminal(
  comparison: Comparison,
  options: { readonly columns?: number } = {},
): string {
  const page = new TerminalText(options);
  page.line();
  page.hang('', compareHeadline(comparison));
  page.line();
  page.hang('  before  ', reportLabel(comparison.before));
  page.hang('  after   ', reportLabel(comparison.after));
  for (const [title, rows] of sections(comparison)) {
    page.heading(title.toUpperCase());
    page.line();
    for (const { change, name, before, after, details } of rows) {
      const word = change === undefined ? '' : ` (${changeWords[change]})`;
      const sign = change === undefined ? ' ' : changeSigns[change];
      page.hang(`${sign} `, `${line(name, 240)}: ${before} → ${after}${word}`);
      for (const detail of details) page.hang('    ', line(detail, 400));
    }
  }
  return page.text();
}

/** The comparison as Markdown. */
export function renderCompareMarkdown(comparison: Comparison): string {
  const [word = '', rest = ''] = compareHeadline(comparison).split(': ');
  const tables = sections(comparison).map(([title, rows]) => {
    const cells = rows.map(({ change, name, before, after, details }) => [
      change === undefined ? '' : `${changeSigns[change]} ${changeWords[change]}`,
      code(name, true),
      text(before),
      text(after),
      details.map(text).join('<br>'),
    ]);
    return `### ${title}\n\n${table(['', 'What', 'Before', 'After', ''], cells)}`;
  });
  const blocks = [
    `## ${compareExitCode(comparison) === 0 ? '✅' : '❌'} ${sentenceCase(word)}: ${rest}`,
    `- before: ${text(reportLabel(comparison.before))}\n- after: ${text(reportLabel(comparison.after))}`,
    ...tables,
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** What a report is of, in one line. */
export function reportLabel({ run, target, verdict }: Report): string {
  const started = run.started_at.slice(0, 16).replace('T', ' ');
  return `${line(target.base_url, 200)}, ${started}, ${verdict.replaceAll('-', ' ')}`;
}

function stateText(state: State): string {
  return state === 'passed in part' || state === 'absent' ? state : verdictWord(state);
}

export function statusText(status: number | undefined): string {
  return status === undefined ? 'not sent' : status === 0 ? 'no response' : String(status);
}

export function valueText(value: unknown): string {
  return value === undefined ? 'none' : inputText(value, 200);
}
