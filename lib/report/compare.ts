import { isDeepStrictEqual } from 'node:util';
import { didNotPass, messageOf, named } from './findings.ts';
import type { Report, RequirementResult, Verdict } from './report.ts';
import { cellKind } from './scope-row.ts';
import { isPartial, verdictWord } from './summary.ts';
import { TerminalText } from './terminal-text.ts';
import { count, inputText, line, plural } from './text.ts';

/** Of a requirement in one report: its verdict, whether it was judged in part only, or that the report has none of this id. */
export type State = Verdict | 'passed in part' | 'absent';

/**
 * Ways in which something changed, the weightiest first, each with its sign and words. `worse` is what fails a comparison; `unknown` is
 * what can no longer be compared, or could not be before.
 */
const changes = {
  worse: ['✗', 'worse'],
  better: ['✓', 'better'],
  unknown: ['○', 'unknown now'],
  other: ['·', 'different'],
} as const;

type Change = keyof typeof changes;

/** What several reports say, side by side: of each row a value for each report, in the order of the reports. */
export type Table = ReturnType<typeof tableOf>;

/** Puts reports side by side: several servers, or one server at several times. */
export function tableOf(reports: readonly Report[]) {
  // Maps, as an operation may be called `toString`.
  const matrices = reports.map(({ scope_matrix }) => new Map(Object.entries(scope_matrix.operations)));
  const operations = new Set(matrices.flatMap((matrix) => [...matrix.keys()]));
  return {
    reports,
    requirements: byId(reports.map(({ requirements }) => requirements)).map(([id, results]) => ({
      id,
      results,
      states: results.map(stateOf),
    })),
    observations: byId(reports.map(({ observations }) => observations)).map(([id, found]) => ({
      id,
      values: found.map((each) => each?.value),
    })),
    cells: [...operations].flatMap((operation) => {
      const rows = matrices.map((matrix) => matrix.get(operation));
      const scopes = new Set(rows.flatMap((row) => Object.keys(row?.cells ?? {})));
      return [...scopes].map((scope) => ({
        operation,
        scope,
        // Undefined if none was sent.
        statuses: rows.map((row) => row?.cells[scope]),
        kinds: rows.map((row) => row && cellKind(row, scope)),
      }));
    }),
  };
}

/** What any of the lists has, by ID. */
function byId<Item extends { readonly id: string }>(lists: readonly (readonly Item[])[]) {
  const maps = lists.map((items) => new Map(items.map((item) => [item.id, item])));
  const ids = new Set(lists.flatMap((items) => items.map(({ id }) => id)));
  return [...ids].map((id) => [id, maps.map((items) => items.get(id))] as const);
}

/** True if the values are not all the same; the order of an object's keys makes no difference. */
export function isDifferent(values: readonly unknown[]): boolean {
  return values.some((value) => !isDeepStrictEqual(value, values[0]));
}

/** One thing that differs between two reports, in words; an observation is neither better nor worse. */
interface Changed {
  readonly change?: Change;
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly details: readonly string[];
}

/** What differs between two reports, the weightiest changes first. */
type Comparison = ReturnType<typeof compareReports>;

/** Two reports, the earlier (or the other server's) first. */
export function compareReports(before: Report, after: Report) {
  const table = tableOf([before, after]);
  return {
    before,
    after,
    requirements: byWeight(changedRequirements(table)),
    cells: byWeight(changedCells(table)),
    observations: table.observations
      .filter(({ values }) => isDifferent(values))
      .map(
        ({ id, values: [was, is] }): Changed => ({
          name: id,
          before: valueText(was),
          after: valueText(is),
          details: [],
        }),
      ),
  };
}

/** 1 when something got worse. */
export function compareExitCode({ requirements, cells }: Comparison): 0 | 1 {
  return [...requirements, ...cells].some(({ change }) => change === 'worse') ? 1 : 0;
}

/**
 * What got another verdict, also on one operation, and what is broken in both reports in another way; with the request that shows
 * it in each report in which it did not pass, and how the response differs from the expected one.
 */
function changedRequirements({ requirements, reports }: Table): Changed[] {
  return requirements.flatMap(({ id, results, states: [before = 'absent', after = 'absent'] }) => {
    const shown = results.map((result, index) => shownBy(result, reports[index]?.target.base_url ?? ''));
    const moved = before === after ? changedOperations(results) : [];
    if (
      before === after &&
      moved.length === 0 &&
      (after === 'error' || !isDifferent(shown.map(withoutCheckpoints)))
    )
      return [];
    const description = results.findLast((result) => result !== undefined)?.description ?? '';
    const differences = shown.flatMap((text, index) =>
      text === '' ? [] : `${index === 0 ? 'before' : 'after'}: ${text}`,
    );
    const worse = moved.flatMap(({ operation, change }) => (change === 'worse' ? operation : []));
    if (worse.length > 0) differences.push(`after: also on ${named(worse)}`);
    const change = byWeight(moved)[0]?.change ?? changeOf(before, after);
    const details = [description, ...differences];
    return { name: id, before: verdictWord(before), after: verdictWord(after), change, details };
  });
}

/** The operations on which a requirement got another verdict. */
function changedOperations([before, after]: Table['requirements'][number]['results']) {
  const was = new Map(before?.by_operation.map(({ operation, verdict }) => [operation, verdict]));
  return (after?.by_operation ?? []).flatMap(({ operation, verdict }) => {
    const change = changeOf(was.get(operation) ?? 'absent', verdict);
    return was.get(operation) === verdict ? [] : [{ operation, change }];
  });
}

/** `GET /experimentation/experiments?take=51: expected 400, …`; empty for what passed or was not judged. */
function shownBy(result: RequirementResult | undefined, baseUrl: string): string {
  if (result === undefined || !didNotPass(result)) return '';
  const { request } = result.exchanges.at(-1) ?? {};
  const sent = request === undefined ? '' : `${request.method} ${request.url.replace(baseUrl, '')}: `;
  return `${sent}${messageOf(result)}`;
}

/** Checkpoints differ from run to run. */
function withoutCheckpoints(text: string): string {
  return text.replaceAll(/"next":"[^"]*"?\}?/g, '"next"');
}

function stateOf(result: RequirementResult | undefined): State {
  if (result === undefined) return 'absent';
  return result.verdict === 'passed' && isPartial(result) ? 'passed in part' : result.verdict;
}

/**
 * Worse if it is broken now and was not before, even if it was not judged before. Better if it passes now and was broken.
 * Neither if it was not judged now.
 */
function changeOf(before: State, after: State): Change {
  const wasBroken = before === 'failed' || before === 'warned';
  switch (after) {
    case 'error':
      return before === 'passed' || before === 'passed in part' ? 'worse' : 'unknown';
    case 'failed':
    case 'warned':
      return wasBroken ? 'other' : 'worse';
    case 'passed':
      return before === 'absent' ? 'other' : 'better';
    case 'passed in part':
      if (before === 'absent') return 'other';
      return before === 'passed' ? 'unknown' : 'better';
    case 'absent':
      return 'other';
    default:
      return 'unknown';
  }
}

function changedCells({ cells }: Table): Changed[] {
  return cells.flatMap((cell) => {
    const { operation, scope, statuses, kinds } = cell;
    const [[before, after], [from, to]] = [statuses, kinds];
    const worse = to === 'wrong' && from !== 'wrong';
    if (!worse && !cellDiffers(cell)) return [];
    const better = from === 'wrong' && to !== 'wrong';
    const change: Change = worse ? 'worse' : better ? 'better' : 'other';
    const name = `${scope} on ${operation}`;
    return [{ name, before: statusText(before), after: statusText(after), change, details: [] }];
  });
}

/** A cell that was sent to only some of the servers does not count as different. */
export function cellDiffers({ statuses, kinds }: Table['cells'][number]): boolean {
  return !statuses.includes(undefined) && (isDifferent(statuses) || isDifferent(kinds));
}

function byWeight<T extends { readonly change?: Change }>(all: readonly T[]): T[] {
  const weight = ({ change = 'other' }: T) => Object.keys(changes).indexOf(change);
  return [...all].sort((a, b) => weight(a) - weight(b));
}

export function statusText(status: number | undefined): string {
  return status === undefined ? 'not sent' : status === 0 ? 'no response' : String(status);
}

export function valueText(value: unknown): string {
  return value === undefined ? 'none' : inputText(value, 200);
}

/** Cells that are named; of more, only the number is given. */
const shownCells = 30;

/** `WORSE: 2 worse, 5 better`; one line. */
function compareHeadline(comparison: Comparison): string {
  const changed = [...comparison.requirements, ...comparison.cells];
  const parts = Object.entries(changes).flatMap(([change, [, words]]) => {
    const number = changed.filter((one) => one.change === change).length;
    return number > 0 ? [`${count(number)} ${words}`] : [];
  });
  const { observations } = comparison;
  if (observations.length > 0)
    parts.push(plural(observations.length, 'observation differs', 'observations differ'));
  const all = parts.length === 0 ? 'nothing differs' : parts.join(', ');
  return `${compareExitCode(comparison) === 0 ? 'NOT WORSE' : 'WORSE'}: ${all}`;
}

/** The comparison on a terminal. Without colour: its signs are its words. */
export function renderComparison(comparison: Comparison, columns?: number): string {
  const page = new TerminalText({ columns });
  page.line();
  page.hang('', compareHeadline(comparison));
  page.line();
  page.hang('  before  ', reportLabel(comparison.before));
  page.hang('  after   ', reportLabel(comparison.after));
  const section = (title: string, rows: readonly Changed[], most = rows.length) => {
    if (rows.length === 0) return;
    page.heading(title);
    page.line();
    for (const { change, name, before, after, details } of rows.slice(0, most)) {
      const [sign, words] = change === undefined ? [' ', ''] : changes[change];
      page.hang(`${sign} `, `${line(name, 240)}: ${before} → ${after}${words && ` (${words})`}`);
      for (const detail of details) page.hang('    ', line(detail, 400));
    }
    if (rows.length > most) page.line(`  and ${count(rows.length - most)} more`);
  };
  section('REQUIREMENTS', comparison.requirements);
  section('SCOPES', comparison.cells, shownCells);
  section('OBSERVATIONS', comparison.observations);
  return page.text();
}

/** What a report is of, in one line. */
export function reportLabel({ run, target, verdict }: Report): string {
  const started = run.started_at.slice(0, 16).replace('T', ' ');
  return `${line(target.base_url, 200)}, ${started}, ${verdict.replaceAll('-', ' ')}`;
}
