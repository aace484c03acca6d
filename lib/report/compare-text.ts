import { type Changed, type Comparison, changes, compareExitCode, countChanges } from './compare.ts';
import { code, table, text } from './markdown.ts';
import type { Report } from './report.ts';
import { TerminalText } from './terminal-text.ts';
import { count, line, plural, sentenceCase } from './text.ts';

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

function sections({ requirements, cells, observations }: Comparison): [title: string, rows: Changed[]][] {
  const rest = cells.length - shownCells;
  const shown = cells.slice(0, shownCells).map((cell, index) => {
    const isLast = rest > 0 && index === shownCells - 1;
    return isLast ? { ...cell, details: [`and ${count(rest)} more`] } : cell;
  });
  const all = { Requirements: requirements, Scopes: shown, Observations: observations };
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
