import { messageOf } from './findings.ts';
import type { Report, RequirementResult, Verdict } from './report.ts';
import { cellKind } from './scope-row.ts';
import { isBroken, isPartial } from './summary.ts';

/** Of a requirement in one report: its verdict, whether it was judged in part only, or that the report has none of this id. */
export type State = Verdict | 'passed in part' | 'absent';

/** `worse` is what fails a comparison; `unknown` is what can no longer be told, or could not be before. */
export type Change = 'worse' | 'better' | 'unknown' | 'other';

/** The changes, the weightiest first. */
export const changes: readonly Change[] = ['worse', 'better', 'unknown', 'other'];

/** What differs between two reports, the weightiest changes first. */
export interface Comparison {
  readonly before: Report;
  readonly after: Report;
  readonly requirements: readonly {
    readonly id: string;
    readonly description: string;
    readonly before: State;
    readonly after: State;
    readonly change: Change;
    /** Of what is broken in the later report: what differs there. */
    readonly difference?: string;
  }[];
  /** Values are undefined where the report has none of this id. */
  readonly observations: readonly {
    readonly id: string;
    readonly before: unknown;
    readonly after: unknown;
  }[];
  /** Cells of the scope matrix: the statuses, undefined where none was sent. */
  readonly cells: readonly {
    readonly operation: string;
    readonly scope: string;
    readonly before: number | undefined;
    readonly after: number | undefined;
    readonly change: Change;
  }[];
}

/** Two reports, the earlier (or the other server's) first. */
export function compareReports(before: Report, after: Report): Comparison {
  return {
    before,
    after,
    requirements: byWeight(changedRequirements(before, after)),
    observations: changedObservations(before, after),
    cells: byWeight(changedCells(before, after)),
  };
}

/** 1 when something got worse. */
export function compareExitCode(comparison: Comparison): 0 | 1 {
  return countChanges(comparison, 'worse') > 0 ? 1 : 0;
}

/** How many requirements and cells changed in this way. */
export function countChanges({ requirements, cells }: Comparison, change: Change): number {
  return [...requirements, ...cells].filter((one) => one.change === change).length;
}

function changedRequirements(before: Report, after: Report): Comparison['requirements'] {
  return pairs(before.requirements, after.requirements).flatMap(({ id, was, is }) => {
    const [from, to] = [stateOf(was), stateOf(is)];
    if (from === to) return [];
    const description = (is ?? was)?.description ?? '';
    const difference = is !== undefined && isBroken(is) ? messageOf(is) : '';
    const change = changeOf(from, to);
    return { id, description, before: from, after: to, change, ...(difference !== '' && { difference }) };
  });
}

/** What either report has, by id. */
function pairs<Item extends { readonly id: string }>(before: readonly Item[], after: readonly Item[]) {
  const earlier = new Map(before.map((item) => [item.id, item]));
  const later = new Map(after.map((item) => [item.id, item]));
  return [...new Map([...earlier, ...later]).keys()].map((id) => ({
    id,
    was: earlier.get(id),
    is: later.get(id),
  }));
}

function stateOf(result: RequirementResult | undefined): State {
  if (result === undefined) return 'absent';
  return result.verdict === 'passed' && isPartial(result) ? 'passed in part' : result.verdict;
}

/**
 * Broken where it was not: worse, also where it was not judged before. Broken no more, because it holds: better. What ends
 * unjudged got neither: nothing is known of it.
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

function changedObservations(before: Report, after: Report): Comparison['observations'] {
  return pairs(before.observations, after.observations)
    .filter(({ was, is }) => canonical(was?.value) !== canonical(is?.value))
    .map(({ id, was, is }) => ({ id, before: was?.value, after: is?.value }));
}

/** JSON with every object's keys in order, so that two servers' orders make no difference. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function changedCells(before: Report, after: Report): Comparison['cells'] {
  const earlier = before.scope_matrix.operations;
  const later = after.scope_matrix.operations;
  return Object.keys({ ...earlier, ...later }).flatMap((operation) => {
    const was = earlier[operation];
    const is = later[operation];
    return Object.keys({ ...was?.cells, ...is?.cells }).flatMap((scope): Comparison['cells'] => {
      const status = { before: was?.cells[scope], after: is?.cells[scope] };
      const [from, to] = [was && cellKind(was, scope), is && cellKind(is, scope)];
      const worse = to === 'wrong' && from !== 'wrong';
      // A cell that only one of the two sent is no difference between the servers, unless it is wrong.
      const both = status.before !== undefined && status.after !== undefined;
      if (!worse && (!both || (status.before === status.after && from === to))) return [];
      const better = from === 'wrong' && to !== 'wrong';
      return [{ operation, scope, ...status, change: worse ? 'worse' : better ? 'better' : 'other' }];
    });
  });
}

function byWeight<Changed extends { readonly change: Change }>(all: readonly Changed[]): Changed[] {
  return [...all].sort((a, b) => changes.indexOf(a.change) - changes.indexOf(b.change));
}
