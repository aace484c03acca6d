import { differenceLine } from './difference.ts';
import { type Field, type Finding, fieldsOf, findingsOf, rerunAll } from './findings.ts';
import type { Report, RequirementResult, RunVerdict } from './report.ts';
import { bySection, judgedOfStated, type SectionTally, tally, type Unjudged, unjudged } from './summary.ts';
import {
  columns,
  count,
  duration,
  fitted,
  inputText,
  line,
  plural,
  visible,
  withoutWorkflowCommands,
  wrap,
} from './text.ts';

/** How a terminal wants its text. */
export interface TerminalOptions {
  /** Columns of the terminal; used between 60 and 120. Default 80. */
  readonly columns?: number;
  /** Colours by escape sequences. Default false. */
  readonly color?: boolean;
  /** Only the verdict and what is broken. */
  readonly quiet?: boolean;
}

/** True where text for this stream may be coloured: a terminal, and `NO_COLOR` unset or empty (no-color.org). */
export function wantsColor(
  stream: { readonly isTTY?: boolean },
  env: NodeJS.ProcessEnv = process.env,
): boolean {
  return stream.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
}

/** Verdicts of a run in words; the same words everywhere. */
export const verdictWords: Readonly<Record<RunVerdict, string>> = {
  conforms: 'CONFORMS',
  'does-not-conform': 'DOES NOT CONFORM',
  incomplete: 'INCOMPLETE',
};

/** Signs of a run's verdicts, so that no colour is the only one. */
export const verdictSigns: Readonly<Record<RunVerdict, string>> = {
  conforms: '✓',
  'does-not-conform': '✗',
  incomplete: '○',
};
const verdictColors: Readonly<Record<RunVerdict, Color>> = {
  conforms: 'green',
  'does-not-conform': 'red',
  incomplete: 'yellow',
};

type Color = 'red' | 'green' | 'yellow' | 'dim' | 'bold';
const codes: Readonly<Record<Color, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };

/** Ids named for one reason before the rest is only counted. */
const namedIds = 6;
const shownObservations = 12;

/** Entries that are explained; the rest is a table. */
const explainedFindings = 10;

/** Lines of one entry, and of the command in it that repeats the failure. */
const findingLines = 12;
const commandLines = 4;

/** Requirements that one entry names as caused by it, one line each. */
const namedConsequences = 3;

/** Columns of an entry's sign and of its labels. */
const signColumns = 5;
const labelColumns = 15;

/** The summary of a run, in the order of a reader's questions. Ends with a line feed. */
export function renderTerminal(report: Report, options: TerminalOptions = {}): string {
  const page = new Page(Math.min(Math.max(options.columns ?? 80, 60), 120), options.color ?? false);
  const quiet = options.quiet === true;
  head(page, report);
  if (!quiet) sectionTable(page, report);
  findings(page, report, 'failed', 'FAILED', '✗');
  findings(page, report, 'error', "ERRORS, not the target's violation", '?');
  baseline(page, report);
  if (!quiet) {
    findings(page, report, 'warned', 'WARNINGS: inferred, not stated by the specification', '!');
    notJudged(page, unjudged(report.requirements));
    observations(page, report);
  }
  const rerun = rerunAll(report);
  if (rerun !== undefined) {
    page.line();
    page.command('rerun', rerun);
  }
  return page.text();
}

/** The verdict and how many stated requirements were judged: one line, without colour. */
export function headline(report: Report): string {
  const { failed, warned, error } = tally(report.requirements);
  const { judged, of: all, partly, deselected } = judgedOfStated(report.requirements);
  const parts = [`${count(judged)} of ${count(all)} judged`];
  if (deselected > 0) parts.push(`${count(deselected)} deselected`);
  if (partly > 0) parts.push(`${count(partly)} in part`);
  if (failed > 0) parts.push(`${count(failed)} failed`);
  if (warned > 0) parts.push(plural(warned, 'warning'));
  if (error > 0) parts.push(plural(error, 'error'));
  return `${verdictWords[report.verdict]}: ${parts.join(', ')}`;
}

function head(page: Page, report: Report): void {
  const [word = '', rest = ''] = headline(report).split(': ');
  const sign = `${verdictSigns[report.verdict]} ${word}`;
  page.line();
  page.paragraph(rest, page.paint(sign, 'bold', verdictColors[report.verdict]), columns(sign));
  page.line();
  page.field('target', `${line(report.target.base_url, 300)} (${report.target.cloud} cloud)`);
  const { suite, specification, contract } = report;
  page.field(
    'suite',
    `${line(suite.name, 80)} ${line(suite.version, 40)}, specification ${line(specification.version, 40)}, contract ${line(contract.version, 40)}`,
  );
  const { run } = report;
  const shard = run.shard === null ? '' : `, shard ${run.shard}`;
  page.field(
    'run',
    `seed ${run.seed}, ${duration(run.duration_ms)}, ${plural(run.requests, 'request')}${shard}`,
  );
  if (run.ended_early !== undefined) page.field('ended', `early: ${line(run.ended_early, 300)}`);
}

function sectionTable(page: Page, report: Report): void {
  const heads = ['passed', 'failed', 'warned', 'not judged', 'error'];
  const room = page.width - 2 - heads.reduce((sum, head) => sum + head.length + 2, 0);
  const row = (name: string, tallied: Omit<SectionTally, 'section' | 'title'>) => {
    const cells = [tallied.passed, tallied.failed, tallied.warned, tallied.not_judged, tallied.error];
    const colors: readonly Color[] = ['green', 'red', 'yellow', 'yellow', 'yellow'];
    const painted = cells.map((cell, index) => {
      const text = (cell === 0 ? '·' : count(cell)).padStart((heads[index] ?? '').length + 2);
      return cell === 0 ? page.paint(text, 'dim') : page.paint(text, colors[index] ?? 'bold');
    });
    page.line(`  ${padded(name, room)}${painted.join('')}`);
  };
  page.line();
  page.line(page.paint(`  ${padded('section', room)}${heads.map((head) => `  ${head}`).join('')}`, 'dim'));
  for (const section of bySection(report)) {
    row(line(`§${section.section}${section.title === undefined ? '' : ` ${section.title}`}`, 200), section);
  }
  row('all', tally(report.requirements));
}

/** What did not hold: the first entries explained, the others as a table. */
function findings(
  page: Page,
  report: Report,
  verdict: 'failed' | 'error' | 'warned',
  title: string,
  sign: string,
): void {
  const all = findingsOf(report, verdict);
  const total = report.requirements.filter((result) => result.verdict === verdict).length;
  if (all.length === 0) return;
  const causes = all.length === total ? '' : ` by ${plural(all.length, 'cause')}`;
  const [word = '', ...rest] = title.split(/(?=[,:])/);
  page.heading(`${word} (${count(total)}${causes})${rest.join('')}`, verdict === 'failed' ? 'red' : 'yellow');
  for (const [index, finding] of all.slice(0, explainedFindings).entries()) {
    page.line();
    explained(page, report, finding, `${sign} ${index + 1}`);
  }
  const others = all.slice(explainedFindings);
  if (others.length > 0) page.line();
  for (const [index, { result, same, consequences }] of others.entries()) {
    const number = `${sign} ${explainedFindings + index + 1}`.padEnd(signColumns);
    const more = same.length + consequences.length;
    const text = result.difference === undefined ? (result.reason ?? '') : differenceLine(result.difference);
    const id = `${line(result.id, 60)}${more > 0 ? ` and ${count(more)} more` : ''}`;
    page.line(fitted(`${number}${id.padEnd(34)} ${line(text, 200)}`, page.width));
  }
}

/** A label with its lines. */
interface Block {
  readonly label: string;
  readonly lines: string[];
  /** Lines that stay whatever the room; none are left of a block that may go. */
  readonly least: number;
}

/** One entry: the clause, what was expected, what came, how to repeat it. */
function explained(page: Page, report: Report, finding: Finding, sign: string): void {
  const { result, same, consequences } = finding;
  const isKnown = report.baseline?.known.some(({ id }) => id === result.id) === true;
  page.line(
    `${page.paint(sign.padEnd(signColumns), 'bold')}${page.paint(line(result.id, 200), 'bold')}${isKnown ? '  (known)' : ''}`,
  );
  // Two columns stay for the mark of a line that goes on.
  const room = page.width - labelColumns - 2;
  const blocks: Block[] = [
    { label: '', lines: wrap(line(result.description, 400), page.width - signColumns - 2), least: 1 },
  ];
  for (const field of fieldsOf(report, result)) addField(blocks, field, room);
  if (same.length > 0)
    blocks.push({ label: 'also', lines: wrap(names(same.map(({ id }) => id)), room), least: 1 });
  blocks.push(...caused(consequences, room));
  const { reproduce } = result;
  const command = reproduce === undefined ? [] : wrapCommand(visible(reproduce), room);
  // A long word, such as a URL, is not broken: the terminal does it.
  const rows = command.reduce((sum, one) => sum + Math.ceil((columns(one) || 1) / room), 0);
  const fits = rows <= commandLines;
  const shown = fits ? command : ['see the commands in index.html'];
  if (reproduce !== undefined) blocks.push({ label: 'repeat', lines: shown, least: shown.length });
  shorten(blocks, findingLines - 1 - (fits ? rows - command.length : 0));
  for (const { label, lines } of blocks) page.block(label, lines);
}

function addField(blocks: Block[], { label, text }: Field, room: number): void {
  const lines = wrap(line(text, 600), room);
  const last = blocks.at(-1);
  // What is missing or repeated belongs to what was received.
  if (label === '' && last !== undefined) last.lines.push(...lines);
  else blocks.push({ label, lines, least: label === 'reading' || label === 'input' ? 0 : 1 });
}

function caused(consequences: readonly RequirementResult[], room: number): Block[] {
  if (consequences.length === 0) return [];
  const lines = consequences
    .slice(0, namedConsequences)
    .map(({ id, description }) => fitted(`${line(id, 60)}: ${line(description, 160)}`, room));
  const rest = consequences.length - lines.length;
  return [{ label: 'causes', lines: rest > 0 ? [...lines, `and ${count(rest)} more`] : lines, least: 1 }];
}

/** Takes lines away until so many are left: of the longest blocks first, then whole blocks that may go. */
function shorten(blocks: Block[], most: number): void {
  const total = () => blocks.reduce((sum, { lines }) => sum + lines.length, 0);
  while (total() > most) {
    const longest = blocks.reduce((one, other) =>
      other.lines.length - Math.max(1, other.least) > one.lines.length - Math.max(1, one.least) ? other : one,
    );
    if (longest.lines.length > Math.max(1, longest.least)) {
      longest.lines.pop();
      const last = longest.lines.pop() ?? '';
      longest.lines.push(last.endsWith('…') ? last : `${last} …`);
    } else {
      const optional = blocks.findIndex(({ least }) => least === 0);
      if (optional === -1) return;
      blocks.splice(optional, 1);
    }
  }
}

function baseline(page: Page, report: Report): void {
  const { baseline } = report;
  if (baseline === undefined) return;
  page.heading('BASELINE', 'bold');
  const { known, unlisted, expired, fixed } = baseline;
  page.line();
  page.line(
    `  ${count(known.length)} known, ${count(unlisted.length)} new, ${count(expired.length)} expired, ${count(fixed.length)} to remove`,
  );
  for (const id of unlisted) page.field('new', line(id, 200));
  for (const row of expired) page.field('expired', `${line(row.id, 200)} on ${row.expires ?? 'a past day'}`);
  for (const row of fixed)
    page.field('passes', `${line(row.id, 200)}: remove line ${row.line} of the baseline`);
}

function notJudged(page: Page, groups: readonly Unjudged[]): void {
  if (groups.length === 0) return;
  const all = new Set(groups.flatMap((group) => group.items.map((item) => item.id)));
  page.heading(`NOT JUDGED (${all.size}, wholly or in part)`, 'yellow');
  for (const group of groups) {
    page.line();
    page.paragraph(line(group.reason, 300), page.paint(String(group.items.length).padStart(4), 'bold'), 4);
    if (group.requiredFlags.length > 0)
      page.field('needs', group.requiredFlags.map((flag) => line(flag, 200)).join('  '));
    const ids = group.items.map(({ id, operations }) =>
      operations.length === 0 ? id : `${id} on ${names(operations)}`,
    );
    page.field('', names(ids));
  }
}

function observations(page: Page, report: Report): void {
  const { observations } = report;
  if (observations.length === 0) return;
  page.heading(`OBSERVATIONS (${observations.length}): where the specification is silent`, 'bold');
  page.line();
  const room = Math.min(34, Math.max(...observations.map(({ id }) => columns(line(id, 60)))));
  for (const { id, value } of observations.slice(0, shownObservations)) {
    page.paragraph(inputText(value, 160), `  ${padded(line(id, 60), room)}`, room + 2);
  }
  const rest = observations.length - shownObservations;
  if (rest > 0) page.line(page.paint(`  and ${count(rest)} more in the report`, 'dim'));
}

function names(all: readonly string[]): string {
  const named = all.slice(0, namedIds).map((name) => line(name, 120));
  const rest = all.length - named.length;
  return `${named.join(', ')}${rest > 0 ? ` and ${count(rest)} more` : ''}`;
}

function padded(text: string, width: number): string {
  const fitting = fitted(text, width);
  return fitting + ' '.repeat(Math.max(0, width - columns(fitting)));
}

/** Lines within a width; colours around text that is already harmless. */
class Page {
  readonly width: number;
  readonly #color: boolean;
  readonly #lines: string[] = [];

  constructor(width: number, color: boolean) {
    this.width = width;
    this.#color = color;
  }

  line(text = ''): void {
    this.#lines.push(text);
  }

  heading(text: string, color: Color): void {
    this.line();
    this.line(this.paint(text, 'bold', color));
  }

  /** A label, and its text with the following lines hung under it. */
  field(label: string, text: string): void {
    this.paragraph(text, this.paint(`     ${label.padEnd(8)}`, 'dim'), 13);
  }

  /** Text after a mark of so many columns, its following lines under its first. */
  paragraph(text: string, mark: string, markColumns: number): void {
    const [first = '', ...rest] = wrap(text, this.width - markColumns - 2);
    this.line(`${mark}  ${first}`);
    for (const more of rest) this.line(`${' '.repeat(markColumns + 2)}${more}`);
  }

  /** Lines under a label; without one they stand under the entry's title. */
  block(label: string, [first = '', ...rest]: readonly string[]): void {
    const indent = ' '.repeat(label === '' ? signColumns : labelColumns);
    const mark = label === '' ? indent : this.paint(`     ${label.padEnd(labelColumns - 5)}`, 'dim');
    this.line(`${mark}${first}`);
    for (const more of rest) this.line(`${indent}${more}`);
  }

  /** A command, broken between its words by backslashes so that it can still be copied. */
  command(label: string, command: string): void {
    this.block(label, wrapCommand(visible(command), this.width - labelColumns - 2));
  }

  paint(text: string, ...colors: readonly Color[]): string {
    if (!this.#color) return text;
    return `${colors.map((color) => `\u001b[${codes[color]}m`).join('')}${text}\u001b[0m`;
  }

  text(): string {
    return `${this.#lines.map((text) => withoutWorkflowCommands(text.trimEnd())).join('\n')}\n`;
  }
}

/** A shell command on lines of at most `width` columns where its words allow it, never broken within quotes. */
export function wrapCommand(command: string, width: number): string[] {
  const words = command.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\]|['"\\])+/g) ?? [];
  const lines: string[] = [];
  let current = '';
  for (const part of withValues(words, width - 2)) {
    if (current === '') current = part;
    else if (columns(current) + columns(part) + 3 <= width) current += ` ${part}`;
    else {
      lines.push(`${current} \\`);
      current = part;
    }
  }
  return [...lines, current];
}

/** Options with their values, as far as both fit: a line should not end between them. */
function withValues(words: readonly string[], width: number): string[] {
  const parts: string[] = [];
  for (const word of words) {
    const last = parts.at(-1);
    const isValue = last !== undefined && /^--?[a-zA-Z][\w-]*$/.test(last) && !word.startsWith('-');
    if (isValue && columns(last) + 1 + columns(word) <= width) parts.splice(-1, 1, `${last} ${word}`);
    else parts.push(word);
  }
  return parts;
}
