import { isDeepStrictEqual } from 'node:util';
import { didNotPass, listOperations, messageOf } from './findings.ts';
import type { Report, RequirementResult, Verdict } from './report.ts';
import { cellKind } from './scope-row.ts';
import { isPartial, wordsOf } from './summary.ts';
import { TerminalText } from './terminal-text.ts';
import { count, inputText, line, plural } from './text.ts';

/** Of a requirement in one report: its verdict, whether it was judged in part only, or that the report has none of this id. */
type State = Verdict | 'passed in part' | 'absent';

/**
 * Ways in which something changed, the most important first, each with its sign and words. `worse` is what fails a comparison; `unknown` is
 * what can no longer be compared, or could not be before.
 */
const changes = {
  worse: ['✗', 'worse'],
  better: ['✓', 'better'],
  unknown: ['○', 'unknown now'],
  other: ['·', 'different'],
} as const;

type Change = keyof typeof changes;

/** One thing that differs between two reports, in words; an observation is neither better nor worse. */
interface Changed {
  readonly change?: Change;
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly details: readonly string[];
}

/** What differs between two reports, the most important changes first. */
type Comparison = ReturnType<typeof compareReports>;

/** Two reports, the earlier (or the other server's) first. */
export function compareReports(before: Report, after: Report) {
  return {
    before,
    after,
    requirements: byWeight(changedRequirements(before, after)),
    cells: byWeight(changedCells(before, after)),
    observations: paired(before.observations, after.observations)
      .filter(([, was, is]) => !isDeepStrictEqual(was?.value, is?.value))
      .map(([name, was, is]): Changed => {
        return { name, before: valueText(was?.value), after: valueText(is?.value), details: [] };
      }),
  };
}

/** Pairs the items of both lists by id. */
function paired<Item extends { readonly id: string }>(before: readonly Item[], after: readonly Item[]) {
  const was = new Map(before.map((item) => [item.id, item]));
  const is = new Map(after.map((item) => [item.id, item]));
  return [...new Set([...was.keys(), ...is.keys()])].map((id) => [id, was.get(id), is.get(id)] as const);
}

/** 1 when something got worse. */
export function compareExitCode({ requirements, cells }: Comparison): 0 | 1 {
  return [...requirements, ...cells].some(({ change }) => change === 'worse') ? 1 : 0;
}

/**
 * What got another verdict, also on one operation, and what is broken in both reports in another way; with the request that shows
 * it in each report in which it did not pass, and how the response differs from the expected one.
 */
function changedRequirements(before: Report, after: Report): Changed[] {
  return paired(before.requirements, after.requirements).flatMap(([name, was, is]) => {
    const [from, to] = [stateOf(was), stateOf(is)];
    const [shownBefore, shownAfter] = [shownBy(was, before), shownBy(is, after)];
    const moved = from === to ? changedOperations(was, is) : [];
    const isSame = to === 'error' || withoutCheckpoints(shownBefore) === withoutCheckpoints(shownAfter);
    if (from === to && moved.length === 0 && isSame) return [];
    const worse = moved.flatMap(({ operation, change }) => (change === 'worse' ? operation : []));
    const details = [
      (is ?? was)?.description ?? '',
      ...(shownBefore === '' ? [] : [`before: ${shownBefore}`]),
      ...(shownAfter === '' ? [] : [`after: ${shownAfter}`]),
      ...(worse.length === 0 ? [] : [`after: also on ${listOperations(worse)}`]),
    ];
    const change = byWeight(moved)[0]?.change ?? changeOf(from, to);
    return { name, before: wordsOf(from), after: wordsOf(to), change, details };
  });
}

/** The operations on which a requirement got another verdict. */
function changedOperations(before: RequirementResult | undefined, after: RequirementResult | undefined) {
  const was = new Map(before?.by_operation.map(({ operation, verdict }) => [operation, verdict]));
  return (after?.by_operation ?? []).flatMap(({ operation, verdict }) => {
    const change = changeOf(was.get(operation) ?? 'absent', verdict);
    return was.get(operation) === verdict ? [] : [{ operation, change }];
  });
}

/** `GET /experimentation/experiments?take=51: expected 400, …`; empty for what passed or was not judged. */
function shownBy(result: RequirementResult | undefined, { target }: Report): string {
  if (result === undefined || !didNotPass(result)) return '';
  const { request } = result.exchanges.at(-1) ?? {};
  const sent = request === undefined ? '' : `${request.method} ${request.url.replace(target.base_url, '')}: `;
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
  const isBroken = (state: State) => state === 'failed' || state === 'warned';
  if (isBroken(after)) return isBroken(before) ? 'other' : 'worse';
  if (after === 'error') return before.startsWith('passed') ? 'worse' : 'unknown';
  if (before === 'absent' || after === 'absent') return 'other';
  return after === 'passed' || (after === 'passed in part' && before !== 'passed') ? 'better' : 'unknown';
}

/** A cell that was sent to one of the servers only counts if its response is wrong now. */
function changedCells(before: Report, after: Report): Changed[] {
  return paired(cellsOf(before), cellsOf(after)).flatMap(([name, was, is]) => {
    const worse = is?.kind === 'wrong' && was?.kind !== 'wrong';
    if (!worse && (was === undefined || is === undefined || isDeepStrictEqual(was, is))) return [];
    const change = worse ? 'worse' : was?.kind === 'wrong' && is?.kind !== 'wrong' ? 'better' : 'other';
    return [{ name, before: statusText(was?.status), after: statusText(is?.status), change, details: [] }];
  });
}

/** What came for each scope that was sent alone, and what that means. */
function cellsOf({ scope_matrix }: Report) {
  return Object.entries(scope_matrix.operations).flatMap(([operation, row]) =>
    Object.entries(row.cells).map(([scope, status]) => {
      return { id: `${scope} on ${operation}`, status, kind: cellKind(row, scope) };
    }),
  );
}

function byWeight<T extends { readonly change?: Change }>(all: readonly T[]): T[] {
  const weight = ({ change = 'other' }: T) => Object.keys(changes).indexOf(change);
  return all.toSorted((a, b) => weight(a) - weight(b));
}

function statusText(status: number | undefined): string {
  return status === undefined ? 'not sent' : String(status);
}

function valueText(value: unknown): string {
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

/** The comparison on a terminal. Never colored: the words carry the meaning. */
export function renderComparison(comparison: Comparison, columns?: number): string {
  const page = new TerminalText({ columns });
  page.line();
  page.hangingIndent('', compareHeadline(comparison));
  page.line();
  page.hangingIndent('  before  ', reportLabel(comparison.before));
  page.hangingIndent('  after   ', reportLabel(comparison.after));
  const section = (title: string, rows: readonly Changed[], most = rows.length) => {
    if (rows.length === 0) return;
    page.heading(title);
    page.line();
    for (const { change, name, before, after, details } of rows.slice(0, most)) {
      const [sign, words] = change === undefined ? [' ', ''] : changes[change];
      page.hangingIndent(`${sign} `, `${line(name, 240)}: ${before} → ${after}${words && ` (${words})`}`);
      for (const detail of details) page.hangingIndent('    ', line(detail, 400));
    }
    if (rows.length > most) page.line(`  and ${count(rows.length - most)} more`);
  };
  section('REQUIREMENTS', comparison.requirements);
  section('SCOPES', comparison.cells, shownCells);
  section('OBSERVATIONS', comparison.observations);
  return page.text();
}

/** What a report is of, in one line. */
function reportLabel({ run, target, verdict }: Report): string {
  const started = run.started_at.slice(0, 16).replace('T', ' ');
  return `${line(target.base_url, 200)}, ${started}, ${wordsOf(verdict)}`;
}
