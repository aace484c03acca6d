import { differenceLine } from './difference.ts';
import type { Level, Report, RequirementResult, Verdict } from './report.ts';
import { cellKind } from './scope-row.ts';
import { isPartial } from './summary.ts';

/** Of a requirement in one report: its verdict, whether it was judged in part only, or that the report has none of this id. */
export type State = Verdict | 'passed in part' | 'absent';

/** `worse` is what fails a comparison; `unknown` is what can no longer be told, or could not be before. */
export type Change = 'worse' | 'better' | 'unknown' | 'other';

export interface ChangedRequirement {
  readonly id: string;
  readonly level: Level;
  readonly description: string;
  readonly before: State;
  readonly after: State;
  readonly change: Change;
  /** Of what is broken in the later report: what differs there. */
  readonly difference?: string;
}

export interface ChangedObservation {
  readonly id: string;
  readonly description: string;
  /** Undefined where the report has none of this id. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface ChangedCell {
  readonly operation: string;
  readonly scope: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly change: Change;
}

/** What differs between two reports. */
export interface Comparison {
  readonly before: Report;
  readonly after: Report;
  readonly requirements: readonly ChangedRequirement[];
  readonly observations: readonly ChangedObservation[];
  readonly cells: readonly ChangedCell[];
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
export function compareExitCode({ requirements, cells }: Comparison): 0 | 1 {
  return [...requirements, ...cells].some(({ change }) => change === 'worse') ? 1 : 0;
}

/** How many requirements and cells changed in this way. */
export function countChanges({ requirements, cells }: Comparison, change: Change): number {
  return [...requirements, ...cells].filter((one) => one.change === change).length;
}

function changedRequirements(before: Report, after: Report): ChangedRequirement[] {
  const earlier = new Map(before.requirements.map((result) => [result.id, result]));
  const later = new Map(after.requirements.map((result) => [result.id, result]));
  return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((id) => {
    const was = earlier.get(id);
    const is = later.get(id);
    const known = is ?? was;
    const states = [stateOf(was), stateOf(is)] as const;
    if (known === undefined || states[0] === states[1]) return [];
    const difference = is !== undefined && isBroken(states[1]) ? differenceText(is) : undefined;
    return {
      id,
      level: known.level,
      description: known.description,
      before: states[0],
      after: states[1],
      change: changeOf(...states),
      ...(difference !== undefined && { difference }),
    };
  });
}

function differenceText({ difference, reason }: RequirementResult): string | undefined {
  return difference === undefined ? reason : differenceLine(difference);
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
  if (after === 'error') return before === 'passed' || before === 'passed in part' ? 'worse' : 'unknown';
  if (isBroken(after)) return isBroken(before) ? 'other' : 'worse';
  if (after === 'passed') return before === 'absent' ? 'other' : 'better';
  if (after === 'passed in part')
    return before === 'passed' ? 'unknown' : before === 'absent' ? 'other' : 'better';
  return after === 'absent' ? 'other' : 'unknown';
}

function isBroken(state: State): boolean {
  return state === 'failed' || state === 'warned';
}

function changedObservations(before: Report, after: Report): ChangedObservation[] {
  const earlier = new Map(before.observations.map((observation) => [observation.id, observation]));
  const later = new Map(after.observations.map((observation) => [observation.id, observation]));
  return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((id) => {
    const was = earlier.get(id);
    const is = later.get(id);
    if (canonical(was?.value) === canonical(is?.value)) return [];
    return {
      id,
      description: is?.description ?? was?.description ?? '',
      before: was?.value,
      after: is?.value,
    };
  });
}

/** JSON with every object's keys in order, so that two servers' orders make no difference. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function changedCells(before: Report, after: Report): ChangedCell[] {
  const earlier = before.scope_matrix.operations;
  const later = after.scope_matrix.operations;
  return Object.keys({ ...earlier, ...later }).flatMap((operation) => {
    const was = earlier[operation];
    const is = later[operation];
    return Object.keys({ ...was?.cells, ...is?.cells }).flatMap((scope): ChangedCell[] => {
      const status = { before: was?.cells[scope], after: is?.cells[scope] };
      const kinds = [was && cellKind(was, scope), is && cellKind(is, scope)] as const;
      const worse = kinds[1] === 'wrong' && kinds[0] !== 'wrong';
      // A cell that only one of the two sent is no difference between the servers, unless it is wrong.
      const both = status.before !== undefined && status.after !== undefined;
      if (!worse && (!both || (status.before === status.after && kinds[0] === kinds[1]))) return [];
      const better = kinds[0] === 'wrong' && kinds[1] !== 'wrong';
      return [{ operation, scope, ...status, change: worse ? 'worse' : better ? 'better' : 'other' }];
    });
  });
}

const weight: readonly Change[] = ['worse', 'better', 'unknown', 'other'];

function byWeight<Changed extends { readonly change: Change }>(all: readonly Changed[]): Changed[] {
  return [...all].sort((a, b) => weight.indexOf(a.change) - weight.indexOf(b.change));
}
