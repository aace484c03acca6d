import type { Level, Report, RequirementResult, RunVerdict, Verdict } from './report.ts';

/** The arithmetic of a report, in one place: counts, the run's verdict, the exit code. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly warned: number;
  readonly not_judged: number;
  readonly error: number;
}

export interface SectionTally extends Tally {
  /** `4.2`. */
  readonly section: string;
  /** The specification's title for it; undefined where the report has none. */
  readonly title: string | undefined;
}

/** How much of what is stated was judged. */
export interface Judged {
  readonly judged: number;
  readonly of: number;
  /** Of the judged: those that were judged on some of their operations only. */
  readonly partly: number;
  /** Of those that were not judged: left out by the selection. */
  readonly deselected: number;
}

export interface ExitRules {
  /** A broken inferred requirement fails the run. */
  readonly strict?: boolean;
  /** A stated requirement that was not judged fails the run. */
  readonly complete?: boolean;
}

/** The verdicts in the order in which a reader wants them. */
export const verdicts: readonly Verdict[] = ['failed', 'error', 'warned', 'not-judged', 'passed'];

/** How many results have each verdict. */
export function tally(results: readonly RequirementResult[]): Tally {
  const of = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length;
  return {
    passed: of('passed'),
    failed: of('failed'),
    warned: of('warned'),
    not_judged: of('not-judged'),
    error: of('error'),
  };
}

/** The report's `summary`. */
export function summarise(results: readonly RequirementResult[]): Report['summary'] {
  const stated = tally(ofLevel(results, 'stated'));
  const inferred = tally(ofLevel(results, 'inferred'));
  return {
    requirements: results.length,
    judged: results.filter(isJudged).length,
    deselected: results.filter(isDeselected).length,
    stated: {
      passed: stated.passed,
      failed: stated.failed,
      not_judged: stated.not_judged,
      error: stated.error,
    },
    inferred: {
      passed: inferred.passed,
      warned: inferred.warned,
      not_judged: inferred.not_judged,
      error: inferred.error,
    },
  };
}

/** One tally a section, in the specification's order. */
export function bySection(report: Pick<Report, 'requirements' | 'specification'>): SectionTally[] {
  const sections = [...new Set(report.requirements.map((result) => result.section))].sort(compareSections);
  return sections.map((section) => ({
    section,
    title: report.specification.sections?.[section],
    ...tally(report.requirements.filter((result) => result.section === section)),
  }));
}

/** The reason of what `--only`, `--skip` or `--failed` left out. */
export const deselectedReason = 'deselected';

/** True for what was left out by the selection. */
export function isDeselected({ verdict, reason }: RequirementResult): boolean {
  return verdict === 'not-judged' && reason === deselectedReason;
}

/** How many stated requirements were judged, of how many there are. */
export function judgedOfStated(results: readonly RequirementResult[]): Judged {
  const stated = ofLevel(results, 'stated');
  const judged = stated.filter(isJudged);
  return {
    judged: judged.length,
    of: stated.length,
    partly: judged.filter(isPartial).length,
    deselected: stated.filter(isDeselected).length,
  };
}

/** True where the target was held against the requirement. */
export function isJudged(result: RequirementResult): boolean {
  return result.verdict === 'passed' || result.verdict === 'failed' || result.verdict === 'warned';
}

/** True where it could be judged on some of its operations only. */
export function isPartial(result: RequirementResult): boolean {
  return isJudged(result) && (result.not_judged_on ?? []).length > 0;
}

/**
 * The verdict of a run: `does-not-conform` when something failed, `conforms` when every stated requirement was judged on
 * every operation, `incomplete` otherwise: so a run that judged nothing is never green.
 */
export function runVerdict(
  results: readonly RequirementResult[],
  rules: { readonly strict?: boolean; readonly endedEarly?: boolean } = {},
): RunVerdict {
  if (results.some((result) => breaks(result, rules.strict === true))) return 'does-not-conform';
  const { judged, of, partly } = judgedOfStated(results);
  return of > 0 && judged === of && partly === 0 && rules.endedEarly !== true ? 'conforms' : 'incomplete';
}

/** True where this result fails a run. */
export function breaks(result: RequirementResult, strict: boolean): boolean {
  return result.verdict === 'failed' || (strict && result.verdict === 'warned');
}

/**
 * The exit code of a run: 1 when something failed that no baseline excuses, 3 when nothing was judged or something ended in
 * error, else 0. Wrong usage (2) is found before there is a report.
 */
export function exitCode(report: Report, rules: ExitRules = {}): 0 | 1 | 3 {
  if (fails(report, rules.strict ?? report.run.strict ?? false)) return 1;
  const stated = ofLevel(report.requirements, 'stated');
  if (
    rules.complete === true &&
    stated.some((result) => result.verdict === 'not-judged' || isPartial(result))
  )
    return 1;
  const { error, not_judged } = tally(report.requirements);
  if (error > 0 || not_judged === report.requirements.length || report.run.ended_early !== undefined)
    return 3;
  return 0;
}

function fails(report: Report, strict: boolean): boolean {
  const { baseline } = report;
  if (baseline === undefined) return report.requirements.some((result) => breaks(result, strict));
  return baseline.unlisted.length + baseline.expired.length + baseline.fixed.length > 0;
}

/** What was not judged for one reason, wholly or on some operations. */
export interface Unjudged {
  readonly reason: string;
  /** Flags or profile keys that would let it be judged. */
  readonly requiredFlags: readonly string[];
  /** Ids, with the operations where only those were left out: `5/expired on listExperiments`. */
  readonly items: readonly { readonly id: string; readonly operations: readonly string[] }[];
}

/** What was not judged, grouped by reason and by the flags that would let it be judged; the largest group first. */
export function unjudged(results: readonly RequirementResult[]): Unjudged[] {
  const groups = new Map<
    string,
    { reason: string; requiredFlags: readonly string[]; items: Map<string, string[]> }
  >();
  const add = (result: RequirementResult, reason: string, operation?: string) => {
    const requiredFlags = result.required_flags ?? [];
    const key = JSON.stringify([reason, requiredFlags]);
    const group = groups.get(key) ?? { reason, requiredFlags, items: new Map<string, string[]>() };
    groups.set(key, group);
    const operations = group.items.get(result.id) ?? [];
    group.items.set(result.id, operation === undefined ? operations : [...operations, operation]);
  };
  for (const result of results) {
    if (result.verdict === 'not-judged') add(result, result.reason ?? 'no reason given');
    else for (const { operation, reason } of result.not_judged_on ?? []) add(result, reason, operation);
  }
  return [...groups.values()]
    .map(({ items, ...group }) => ({
      ...group,
      items: [...items].map(([id, operations]) => ({ id, operations })),
    }))
    .sort((a, b) => b.items.length - a.items.length);
}

/** Sections in the specification's order: `4.2` before `4.10`. */
export function compareSections(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function ofLevel(results: readonly RequirementResult[], level: Level): RequirementResult[] {
  return results.filter((result) => result.level === level);
}
