import { appendFile } from 'node:fs/promises';
import { differenceLine } from './difference.ts';
import { type Finding, findingsOf } from './findings.ts';
import { renderMarkdown } from './markdown.ts';
import type { Report } from './report.ts';
import { cut, visibleLines, withoutWorkflowCommands } from './text.ts';

/** GitHub shows 10 annotations of a kind for one step. */
const annotationsOfAKind = 10;

/** Annotations for GitHub Actions, one workflow command a line and one annotation a cause; empty outside of it. */
export function annotations(report: Report, env: NodeJS.ProcessEnv = process.env): string {
  if (env.GITHUB_ACTIONS !== 'true') return '';
  const known = new Set(report.baseline?.known.map(({ id }) => id));
  const of = (verdict: 'failed' | 'error' | 'warned') =>
    findingsOf(report, verdict)
      .filter(({ result }) => !known.has(result.id))
      .slice(0, annotationsOfAKind);
  return [
    ...of('failed').map((finding) => command('error', finding.result.id, explanation(finding))),
    ...of('error').map((finding) =>
      command('warning', `${finding.result.id} ended in error`, explanation(finding)),
    ),
    ...of('warned').map((finding) => command('warning', finding.result.id, explanation(finding))),
    ...(report.baseline?.fixed ?? []).map((row) =>
      command('error', `${row.id} passes now`, `Remove line ${row.line} of the baseline.`),
    ),
  ].join('');
}

/** Appends `summary.md` to the step's summary where GitHub Actions offers one. */
export async function appendStepSummary(report: Report, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const file = env.GITHUB_STEP_SUMMARY;
  if (file !== undefined && file !== '') await appendFile(file, renderMarkdown(report));
}

function explanation({ result, same, consequences }: Finding): string {
  const { description, source, difference, reason, rerun } = result;
  const others = [...same, ...consequences].map(({ id }) => id);
  return [
    source === undefined ? description : `${description} (${source})`,
    difference === undefined ? reason : differenceLine(difference),
    others.length === 0 ? undefined : `also broken by this: ${others.join(', ')}`,
    rerun === undefined ? undefined : `rerun: ${rerun}`,
  ]
    .filter((part) => part !== undefined)
    .join('\n');
}

/** A workflow command, with data and properties escaped as `@actions/core` does it. */
function command(kind: 'error' | 'warning', title: string, message: string): string {
  const harmless = (text: string) => withoutWorkflowCommands(visibleLines(cut(text)));
  return `::${kind} title=${escapeProperty(harmless(title))}::${escapeData(harmless(message))}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
