import type { Report } from './report.ts';
import { headline, renderTerminal } from './terminal.ts';
import { sentenceCase, truncate } from './text.ts';

/** Characters of the text: GitHub refuses comments of more than 65,536. */
const shownCharacters = 60_000;

/** The summary for a pull request: the verdict, and in a block of code, where nothing is markup, what the terminal says. */
export function renderMarkdown(report: Report): string {
  const sign = { conforms: '✅', 'does-not-conform': '❌', incomplete: '⚪' }[report.verdict];
  const text = truncate(renderTerminal(report, { columns: 100 }).trim(), shownCharacters);
  // A fence longer than any run of backticks in the text.
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `## ${sign} ${sentenceCase(headline(report))}\n\n${fence}text\n${text}\n${fence}\n`;
}
