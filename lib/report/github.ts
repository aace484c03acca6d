import { type FindingVerdict, findingsOf, messageOf } from './findings.ts';
import type { Report, RequirementResult } from './report.ts';
import { excuseOf, nameOf } from './summary.ts';
import { headline, renderTerminal } from './terminal.ts';
import { sentenceCase, truncate, visibleLines, withoutWorkflowCommands } from './text.ts';

/** Characters of the text: GitHub refuses comments of more than 65,536. */
const shownCharacters = 60_000;

/** GitHub shows 10 annotations of a kind for one step. */
const annotationsOfAKind = 10;

/** Annotations for GitHub Actions, one workflow command per line, one annotation per cause. */
export function annotations(report: Report): string {
  const of = (verdict: FindingVerdict, kind: 'error' | 'warning', ending = '') =>
    findingsOf(report, verdict)
      .filter(({ result }) => excuseOf(report, result) === undefined)
      .slice(0, annotationsOfAKind)
      .map(({ result }) => command(kind, `${result.id}${ending}`, explanation(result)));
  return [
    ...of('failed', 'error'),
    ...of('error', 'warning', ' ended in error'),
    ...of('warned', 'warning'),
    ...(report.baseline?.fixed ?? []).map((row) =>
      command('error', `${nameOf(row)} passes now`, `Remove line ${row.line} of the baseline.`),
    ),
  ].join('');
}

function explanation(result: RequirementResult): string {
  const { description, source, rerun } = result;
  const place = source === undefined ? '' : ` (${source})`;
  return `${description}${place}\n${messageOf(result)}${rerun === undefined ? '' : `\nrerun: ${rerun}`}`;
}

/** A workflow command, with data and properties escaped as `@actions/core` does it. */
function command(kind: 'error' | 'warning', title: string, message: string): string {
  const escaped = (text: string) =>
    withoutWorkflowCommands(visibleLines(truncate(text)))
      .replaceAll('%', '%25')
      .replaceAll('\r', '%0D')
      .replaceAll('\n', '%0A');
  return `::${kind} title=${escaped(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}::${escaped(message)}\n`;
}

/** The summary for a pull request: the verdict, and in a block of code, where nothing is markup, what the terminal says. */
export function renderMarkdown(report: Report): string {
  const sign = { conforms: '✅', 'does-not-conform': '❌', incomplete: '⚪' }[report.verdict];
  const text = truncate(renderTerminal(report, { columns: 100 }).trim(), shownCharacters);
  // A fence longer than any run of backticks in the text.
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `## ${sign} ${sentenceCase(headline(report))}\n\n${fence}text\n${text}\n${fence}\n`;
}
