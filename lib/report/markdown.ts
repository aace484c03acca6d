import { baselineEntries } from './baseline.ts';
import { detailsOf, type FindingVerdict, findingsOf, findingsTitle } from './findings.ts';
import type { Report, RequirementResult } from './report.ts';
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

/** The summary for a pull request: what `summary.md` contains. Values are in code blocks, where nothing is markup. */
export function renderMarkdown(report: Report): string {
  const { suite, specification, target, run, observations } = report;
  const sign = { conforms: '✅', 'does-not-conform': '❌', incomplete: '⚪' }[report.verdict];
  const [verdict = '', judged = ''] = headline(report).split(': ');
  const budget = { left: findingsBudget };
  const sections = [...bySection(report), { name: 'All', tally: tally(report.requirements) }];
  const rows = [
    ['Section', ...verdictColumns.map((verdict) => sentenceCase(verdictWord(verdict)))],
    ['---', ...verdictColumns.map(() => '---:')],
    ...sections.map(({ name, tally }) => [
      text(name),
      ...verdictColumns.map((verdict) => (tally[verdict] === 0 ? '·' : count(tally[verdict]))),
    ]),
  ];
  const blocks = [
    `## ${sign} ${sentenceCase(verdict)}`,
    `${judged}.`,
    fence([
      `target  ${target.base_url} (${target.cloud} cloud)`,
      `suite   ${suite.name} ${suite.version}, specification ${specification.version}`,
      `run     seed ${run.seed}, ${duration(run.duration_ms)}, ${plural(run.requests, 'request')}`,
      ...(run.ended_early === undefined ? [] : [`ended   early: ${run.ended_early}`]),
      ...(run.notes ?? []).map((note) => `note    ${note}`),
    ]),
    rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
    ...findings(report, 'Failed', 'failed', budget),
    ...findings(report, "Errors (not the target's violation)", 'error', budget),
    ...folded(
      'Baseline',
      baselineEntries(report).map(({ state, id, note }) => `${state.padEnd(8)}${id}: ${note}`),
    ),
    ...findings(report, 'Warnings', 'warned', budget),
    ...folded(
      'Not judged',
      unjudged(report.requirements).map(({ items, reason, requiredFlags }) => {
        const needs = requiredFlags.length === 0 ? '' : ` (needs ${requiredFlags.join(' ')})`;
        return `${String(items.length).padStart(3)}  ${reason}${needs}: ${ids(items)}`;
      }),
    ),
    ...folded(
      `Observations (${observations.length}): where the specification is silent`,
      observations
        .slice(0, shownObservations)
        .map(({ id, description, value }) => `${id}: ${description} ${inputText(value, 160)}`),
    ),
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
  const open = verdict !== 'warned' && all.length <= 5 ? ' open' : '';
  const shown: string[] = [];
  for (const { result, same, consequences } of all.slice(0, shownFindings)) {
    const lines = [
      detailsOf(report, result),
      ...(same.length > 0 ? [`also:       ${ids(same)}`] : []),
      ...(consequences.length > 0 ? [`causes:     ${ids(consequences)}`] : []),
    ];
    const summary = `<code>${text(result.id)}</code> ${text(result.description)}`;
    const block = `<details${open}><summary>${summary}</summary>\n\n${fence(lines)}\n\n</details>`;
    if (block.length > budget.left) break;
    budget.left -= block.length;
    shown.push(block);
  }
  const rest = all.length - shown.length;
  const heading = findingsTitle(title, all, tally(report.requirements)[verdict]);
  return [`### ${heading}`, ...shown, ...(rest > 0 ? [`and ${count(rest)} more, in the report.`] : [])];
}

/** Lines under a title that unfolds them; nothing without lines. */
function folded(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [
    `<details><summary>${title}</summary>\n\n${fence(lines.map((each) => line(each, 600)))}\n\n</details>`,
  ];
}

function ids(all: readonly Pick<RequirementResult, 'id'>[]): string {
  return firstOf(
    all.map(({ id }) => id),
    shownIds,
  );
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

/** The lines as a block of code, within more backticks than stand together in them. */
function fence(lines: readonly string[]): string {
  const shown = visibleLines(cut(lines.join('\n'), 5_000));
  const runs = shown.match(/`{3,}/g) ?? [];
  const ticks = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${ticks}text\n${shown}\n${ticks}`;
}
