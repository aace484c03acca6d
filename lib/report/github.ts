import { appendFile } from 'node:fs/promises';
import { differenceLine } from './difference.ts';
import { renderMarkdown } from './markdown.ts';
import type { Report, RequirementResult } from './report.ts';
import { cut, visibleLines } from './text.ts';

/** GitHub shows 10 annotations of a kind for one step; more are only noise in the log. */
const annotationsOfAKind = 10;

/** Annotations for GitHub Actions, one workflow command a line; empty outside of it. */
export function annotations(report: Report, env: NodeJS.ProcessEnv = process.env): string {
  if (env.GITHUB_ACTIONS !== 'true') return '';
  const known = new Set(report.baseline?.known.map(({ id }) => id));
  const of = (verdict: RequirementResult['verdict']) =>
    report.requirements
      .filter((result) => result.verdict === verdict && !known.has(result.id))
      .slice(0, annotationsOfAKind);
  return [
    ...of('failed').map((result) =>
      command('error', result.id, `${result.description}\n${explanation(result)}`),
    ),
    ...of('error').map((result) =>
      command('warning', `${result.id} ended in error`, result.reason ?? result.description),
    ),
    ...of('warned').map((result) =>
      command('warning', result.id, `${result.description}\n${explanation(result)}`),
    ),
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

function explanation(result: RequirementResult): string {
  return [
    result.difference === undefined ? result.reason : differenceLine(result.difference),
    result.rerun === undefined ? undefined : `rerun: ${result.rerun}`,
  ]
    .filter((part) => part !== undefined)
    .join('\n');
}

/** A workflow command, with data and properties escaped as `@actions/core` does it. */
function command(kind: 'error' | 'warning', title: string, message: string): string {
  return `::${kind} title=${escapeProperty(visibleLines(title))}::${escapeData(visibleLines(cut(message)))}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
