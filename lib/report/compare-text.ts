import { type Change, type Comparison, compareExitCode, countChanges, type State } from './compare.ts';
import { code, text } from './markdown.ts';
import type { Report } from './report.ts';
import { verdictWords } from './terminal.ts';
import { columns, count, fitted, inputText, line, plural, wrap } from './text.ts';

/** Cells that are named; of more, only their number is told. */
const shownCells = 30;

/** Signs and words of a change, in the terminal, Markdown and HTML alike. */
export const changeSigns: Readonly<Record<Change, string>> = {
  worse: '✗',
  better: '✓',
  unknown: '○',
  other: '·',
};
export const changeWords: Readonly<Record<Change, string>> = {
  worse: 'worse',
  better: 'better',
  unknown: 'unknown now',
  other: 'different',
};

/** `2 worse, 5 better`; one line. */
export function compareHeadline(comparison: Comparison): string {
  const parts = (['worse', 'better', 'unknown', 'other'] as const)
    .map((change) => ({ change, number: countChanges(comparison, change) }))
    .filter(({ number }) => number > 0)
    .map(({ change, number }) => `${count(number)} ${changeWords[change]}`);
  const { observations } = comparison;
  if (observations.length > 0)
    parts.push(plural(observations.length, 'observation differs', 'observations differ'));
  const all = parts.length === 0 ? 'nothing differs' : parts.join(', ');
  return `${compareExitCode(comparison) === 0 ? 'NOT WORSE' : 'WORSE'}: ${all}`;
}

/** What a report is of, in one line. */
export function reportLabel(report: Report): string {
  const started = report.run.started_at.slice(0, 16).replace('T', ' ');
  return `${line(report.target.base_url, 200)}, ${started}, ${verdictWords[report.verdict].toLowerCase()}`;
}

/** A state in words. */
export function stateText(state: State): string {
  return state === 'not-judged' ? 'not judged' : state;
}

/** A status in words. */
export function statusText(status: number | undefined): string {
  return status === undefined ? 'not sent' : status === 0 ? 'no answer' : String(status);
}

/** An observation's value, or that there is none. */
export function valueText(value: unknown): string {
  return value === undefined ? 'none' : inputText(value, 200);
}

/** The comparison on a terminal. Without colour: its signs are its words. */
export function renderCompareTerminal(
  comparison: Comparison,
  options: { readonly columns?: number } = {},
): string {
  const width = Math.min(Math.max(options.columns ?? 80, 60), 120);
  const lines: string[] = [''];
  const hang = (mark: string, content: string) => {
    const [first = '', ...rest] = wrap(content, width - columns(mark));
    lines.push(mark + first, ...rest.map((more) => ' '.repeat(columns(mark)) + more));
  };
  hang('', compareHeadline(comparison));
  lines.push('');
  hang('  before  ', reportLabel(comparison.before));
  hang('  after   ', reportLabel(comparison.after));
  if (comparison.requirements.length > 0) lines.push('', 'REQUIREMENTS', '');
  for (const { id, description, before, after, change, difference } of comparison.requirements) {
    hang(
      `${changeSigns[change]} `,
      `${line(id, 200)}: ${stateText(before)} → ${stateText(after)} (${changeWords[change]})`,
    );
    hang('    ', line(description, 400));
    if (difference !== undefined) hang('    ', line(difference, 400));
  }
  if (comparison.cells.length > 0) lines.push('', 'SCOPES', '');
  for (const { operation, scope, before, after, change } of comparison.cells.slice(0, shownCells)) {
    hang(
      `${changeSigns[change]} `,
      `${line(scope, 120)} on ${line(operation, 120)}: ${statusText(before)} → ${statusText(after)} (${changeWords[change]})`,
    );
  }
  if (comparison.cells.length > shownCells)
    lines.push(`  and ${count(comparison.cells.length - shownCells)} more`);
  if (comparison.observations.length > 0) lines.push('', 'OBSERVATIONS', '');
  for (const { id, before, after } of comparison.observations) {
    hang(`  ${fitted(line(id, 60), 40)}  `, `${valueText(before)} → ${valueText(after)}`);
  }
  return `${lines.map((one) => one.trimEnd()).join('\n')}\n`;
}

/** The comparison as Markdown. */
export function renderCompareMarkdown(comparison: Comparison): string {
  const [word = '', rest = ''] = compareHeadline(comparison).split(': ');
  const blocks = [
    `## ${compareExitCode(comparison) === 0 ? '✅' : '❌'} ${word.charAt(0)}${word.slice(1).toLowerCase()}: ${rest}`,
    `- before: ${text(reportLabel(comparison.before))}\n- after: ${text(reportLabel(comparison.after))}`,
  ];
  const table = (title: string, head: readonly string[], rows: readonly (readonly string[])[]) => {
    if (rows.length === 0) return;
    const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
    blocks.push(`### ${title}`, [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n'));
  };
  table(
    'Requirements',
    ['', 'Requirement', 'Before', 'After', 'Says'],
    comparison.requirements.map(({ id, description, before, after, change }) => [
      `${changeSigns[change]} ${changeWords[change]}`,
      code(id, true),
      stateText(before),
      stateText(after),
      text(description),
    ]),
  );
  table(
    'Scopes',
    ['', 'Operation', 'Scope', 'Before', 'After'],
    comparison.cells
      .slice(0, shownCells)
      .map(({ operation, scope, before, after, change }) => [
        `${changeSigns[change]} ${changeWords[change]}`,
        code(operation, true),
        code(scope, true),
        statusText(before),
        statusText(after),
      ]),
  );
  if (comparison.cells.length > shownCells)
    blocks.push(`and ${count(comparison.cells.length - shownCells)} more`);
  table(
    'Observations',
    ['Observation', 'Before', 'After'],
    comparison.observations.map(({ id, before, after }) => [
      code(id, true),
      code(valueText(before), true),
      code(valueText(after), true),
    ]),
  );
  return `${blocks.join('\n\n')}\n`;
}
