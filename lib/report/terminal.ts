import { baselineEntries } from './baseline.ts';
import { isWritableScript } from './bounds.ts';
import { type Finding, type FindingVerdict, fieldsOf, findingsOf, messageOf, rerunAll } from './findings.ts';
import type { Report } from './report.ts';
import { scriptDirectory, scriptName } from './scripts.ts';
import {
  bySection,
  excuseOf,
  judgedOfStated,
  notJudgedGroups,
  signs,
  tally,
  verdictColumns,
  wordsOf,
} from './summary.ts';
import { type Color, labelColumns, type TerminalOptions, TerminalText } from './terminal-text.ts';
import {
  columns,
  count,
  duration,
  inputText,
  line,
  listFirst,
  plural,
  truncateToWidth,
  visible,
  wrap,
} from './text.ts';

/** True if text for this stream may be colored: a terminal, and `NO_COLOR` unset or empty (no-color.org). */
export function wantsColor(
  stream: { readonly isTTY?: boolean },
  env: NodeJS.ProcessEnv = process.env,
): boolean {
  return stream.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
}

/** Signs of a run's verdicts, so that no color is the only one. */
export const verdictSigns = { conforms: '✓', 'does-not-conform': '✗', incomplete: '○' };
const verdictColors = { conforms: 'green', 'does-not-conform': 'red', incomplete: 'yellow' } as const;

/** Ids named for one reason before the rest is only counted. */
const namedIds = 6;
const shownObservations = 12;

/** Entries that are explained; the rest is a table. */
const explainedFindings = 10;

/** Lines of one entry. */
const findingLines = 12;

/** The summary of a run, in the order of a reader's questions. Ends with a line feed. */
export function renderTerminal(report: Report, options: TerminalOptions = {}): string {
  const page = new TerminalText(options);
  const quiet = options.quiet === true;
  head(page, report);
  if (!quiet) sectionTable(page, report);
  const scripts = options.reportDir === undefined ? undefined : scriptDirectory(options.reportDir);
  listFindings(page, report, 'failed', scripts);
  listFindings(page, report, 'error', scripts);
  baseline(page, report);
  if (!quiet || report.run.strict === true) listFindings(page, report, 'warned', scripts);
  if (!quiet) {
    notJudged(page, report);
    observations(page, report);
  }
  const rerun = rerunAll(report);
  if (rerun !== undefined) {
    page.line();
    page.field('rerun', [visible(rerun)]);
  }
  return page.text();
}

/** The verdict and how many stated requirements were judged: one line, without color. */
export function headline(report: Report): string {
  const { verdict, judged } = headlineParts(report);
  return `${verdict}: ${judged}`;
}

/** The two parts of the headline: the verdict in capitals, and how many stated requirements were judged. */
export function headlineParts(report: Report): { readonly verdict: string; readonly judged: string } {
  const { failed, warned, error } = tally(report.requirements);
  const { judged, of: all, partly, deselected } = judgedOfStated(report.requirements);
  const inPart = partly > 0 ? ` (${count(partly)} in part)` : '';
  const parts = [`${count(judged)} of ${count(all)} stated requirements judged${inPart}`];
  const { conforms, incomplete, 'does-not-conform': broken } = report.summary.operations;
  const operations = `of ${count(report.contract.operations.length)} operations`;
  // If none was judged whole, "0 conform" would read as a failure of each.
  if (conforms > 0 || incomplete === 0)
    parts.push(`${count(conforms)} ${operations} ${conforms === 1 ? 'conforms' : 'conform'}`);
  else if (broken > 0)
    parts.push(`${count(broken)} ${operations} ${broken === 1 ? 'does' : 'do'} not conform`);
  if (deselected > 0) parts.push(`${count(deselected)} deselected`);
  if (failed > 0) parts.push(`${count(failed)} failed`);
  if (warned > 0) parts.push(plural(warned, 'warning'));
  if (error > 0) parts.push(plural(error, 'error'));
  return { verdict: wordsOf(report.verdict).toUpperCase(), judged: parts.join(', ') };
}

function head(page: TerminalText, report: Report): void {
  const { target, suite, specification, contract, run } = report;
  const { verdict, judged } = headlineParts(report);
  page.line();
  page.hangingIndent(
    `${verdictSigns[report.verdict]} ${verdict}  `,
    judged,
    'bold',
    verdictColors[report.verdict],
  );
  page.line();
  page.field('target', `${line(target.base_url, 300)} (${target.cloud} cloud)`);
  const versions = [
    `${line(suite.name, 80)} ${line(suite.version, 40)}`,
    `specification ${line(specification.version, 40)}`,
    `contract ${line(contract.version, 40)}`,
  ];
  page.field('suite', versions.join(', '));
  const shard = run.shard === null ? '' : `, shard ${run.shard}`;
  page.field(
    'run',
    `seed ${run.seed}, ${duration(run.duration_ms)}, ${plural(run.requests, 'request')}${shard}`,
  );
  if (run.ended_early !== undefined) page.field('ended', `early: ${line(run.ended_early, 300)}`);
  for (const note of run.notes ?? []) page.field('note', line(note, 300));
}

function sectionTable(page: TerminalText, report: Report): void {
  const heads = verdictColumns.map((verdict) => `  ${wordsOf(verdict)}`);
  const width = page.width - 2 - columns(heads.join(''));
  const rows = [...bySection(report), { name: 'all', tally: tally(report.requirements) }];
  page.line();
  page.line(page.colorize(`  ${'section'.padEnd(width)}${heads.join('')}`, 'dim'));
  for (const { name, tally } of rows) {
    const cells = verdictColumns.map((verdict, index) => {
      const number = tally[verdict];
      const text = (number === 0 ? '·' : count(number)).padStart(heads[index]?.length ?? 0);
      return page.colorize(text, number === 0 ? 'dim' : (cellColors[verdict] ?? 'yellow'));
    });
    page.line(`  ${padded(line(name, 200), width)}${cells.join('')}`);
  }
}

const cellColors: Readonly<Partial<Record<string, Color>>> = { passed: 'green', failed: 'red' };

/** The title of each list, and what follows the number in it. */
const titles = {
  failed: ['FAILED', ''],
  error: ['ERRORS', ': could not be judged'],
  warned: ['WARNINGS', ': inferred, not stated by the specification'],
} as const;

/** What did not pass: the first entries explained, the others as a table. */
function listFindings(
  page: TerminalText,
  report: Report,
  verdict: FindingVerdict,
  scripts: string | undefined,
): void {
  const [title, note] = titles[verdict];
  const all = findingsOf(report, verdict);
  if (all.length === 0) return;
  const listed = all
    .flatMap(({ result, same, consequences }) => [result, ...same, ...consequences])
    .filter((each) => each.verdict === verdict).length;
  const causes = all.length === listed ? '' : ` by ${plural(all.length, 'cause')}`;
  // What a failure causes is listed under it.
  const others = tally(report.requirements)[verdict] - listed;
  const above = others === 0 ? '' : `, ${count(others)} more above`;
  page.heading(
    `${title} (${count(listed)}${causes}${above})${note}`,
    verdict === 'failed' ? 'red' : 'yellow',
  );
  for (const [index, finding] of all.entries()) {
    const mark = `${signs[verdict]} ${index + 1}`.padEnd(5);
    if (index <= explainedFindings) page.line();
    if (index < explainedFindings) explained(page, report, finding, mark, scripts);
    else {
      const more = finding.same.length + finding.consequences.length;
      const id = `${line(finding.result.id, 60)}${more > 0 ? ` and ${count(more)} more` : ''}`;
      page.line(
        truncateToWidth(`${mark}${id.padEnd(34)} ${line(messageOf(finding.result), 200)}`, page.width),
      );
    }
  }
}

/** A label with its lines. */
interface Block {
  readonly label: string;
  readonly lines: string[];
}

/** One entry: the clause, what was expected, what came, how to repeat it. */
function explained(
  page: TerminalText,
  report: Report,
  finding: Finding,
  mark: string,
  scripts: string | undefined,
): void {
  const { result, same, consequences } = finding;
  const known = excuseOf(report, result) === undefined ? '' : '  (known)';
  // Two columns stay for the mark of a line that was cut.
  const width = page.width - labelColumns - 2;
  const description = wrap(line(result.description, 400), page.width - mark.length - 2);
  const blocks: Block[] = [];
  for (const { label, text } of fieldsOf(report, result)) {
    const lines = wrap(line(text, 600), width);
    // What is missing or repeated belongs to what was received.
    if (label === '') blocks.at(-1)?.lines.push(...lines);
    else blocks.push({ label, lines });
  }
  if (same.length > 0) blocks.push({ label: 'also', lines: wrap(names(same.map(({ id }) => id)), width) });
  if (consequences.length > 0) {
    const ids = consequences.map(({ id }) => line(id, 60)).join(', ');
    const text = truncateToWidth(`${plural(consequences.length, 'other')}: ${ids}`, width);
    blocks.push({ label: 'causes', lines: [text] });
  }
  const script = scripts && `bash ${quoted(`${scripts}/${scriptName(result.id)}`)}`;
  const [head, ...fields] = shortened([{ label: '', lines: description }, ...blocks], findingLines - 2);
  page.hangingIndent(mark, [`${line(result.id, 200)}${known}`], 'bold');
  page.hangingIndent(' '.repeat(mark.length), head?.lines ?? []);
  for (const { label, lines } of fields) page.field(label, lines);
  // Never wrapped, so that the path can be copied.
  if (isWritableScript(result.reproduce)) page.field('repeat', [script ?? 'see the script in index.html']);
}

/** A file name as a word of a shell. */
function quoted(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${visible(file).replaceAll("'", "'\\''")}'`;
}

/** Blocks that are left out if there are too many lines, the least useful first. */
const optionalBlocks = ['reading', 'input', 'request'];

/** Sentences, which are cut after everything else. */
const sentences = ['', 'advice'];

/** Fits the blocks into this many lines: first leaves out the dispensable ones, then shortens the longest ones. */
function shortened(blocks: readonly Block[], most: number): readonly Block[] {
  const rows = (all: readonly Block[]) => all.reduce((sum, { lines }) => sum + lines.length, 0);
  let kept = blocks;
  for (const optional of optionalBlocks)
    if (rows(kept) > most) kept = kept.filter(({ label }) => label !== optional);
  const cut = (longest: number) =>
    kept.map(({ label, lines }) => {
      const shown = lines.slice(0, Math.max(1, sentences.includes(label) ? longest : longest - 1));
      const last = shown.pop() ?? '';
      return { label, lines: [...shown, lines.length > shown.length + 1 ? `${last} …` : last] };
    });
  let longest = most;
  while (longest > 1 && rows(cut(longest)) > most) longest -= 1;
  return cut(longest);
}

function baseline(page: TerminalText, report: Report): void {
  const entries = baselineEntries(report);
  if (entries.length === 0) return;
  const others = entries.filter(({ state }) => state !== 'known');
  page.heading(`BASELINE (${count(entries.length - others.length)} known)`);
  if (others.length > 0) page.line();
  for (const { state, id, note } of others) page.field(state, `${line(id, 200)}: ${line(note, 300)}`);
}

function notJudged(page: TerminalText, report: Report): void {
  const groups = notJudgedGroups(report.requirements);
  if (groups.length === 0) return;
  const all = new Set(groups.flatMap(({ items }) => items.map(({ id }) => id)));
  page.heading(`NOT JUDGED (${all.size}, wholly or in part)`, 'yellow');
  for (const { items, reason, requiredFlags } of groups) {
    page.line();
    page.hangingIndent(`${String(items.length).padStart(4)}  `, line(reason, 300), 'bold');
    if (requiredFlags.length > 0)
      page.field('needs', requiredFlags.map((flag) => line(flag, 200)).join('  '));
    const ids = items.map(({ id, operations }) =>
      operations.length === 0 ? id : `${id} on ${names(operations)}`,
    );
    page.field('', names(ids));
  }
}

function observations(page: TerminalText, { observations }: Report): void {
  if (observations.length === 0) return;
  page.heading(`OBSERVATIONS (${observations.length}): where the specification is silent`);
  page.line();
  const width = Math.min(34, Math.max(...observations.map(({ id }) => columns(line(id, 60)))));
  for (const { id, value } of observations.slice(0, shownObservations)) {
    page.hangingIndent(`  ${padded(line(id, 60), width)}  `, inputText(value, 160));
  }
  const rest = observations.length - shownObservations;
  if (rest > 0) page.line(page.colorize(`  and ${count(rest)} more in the report`, 'dim'));
}

function names(all: readonly string[]): string {
  return listFirst(
    all.map((name) => line(name, 120)),
    namedIds,
  );
}

function padded(text: string, width: number): string {
  const fitting = truncateToWidth(text, width);
  return fitting + ' '.repeat(Math.max(0, width - columns(fitting)));
}
