import type { KnownFailure, Level, Report, RequirementResult, RunVerdict, Verdict } from './report.ts';

// The arithmetic of a report, in one place: counts, the run's verdict, the exit code.

/** How many results have each verdict. */
export type Tally = Readonly<Record<Verdict, number>>;

/** The results of one section of the specification. */
export interface Section {
  /** `4.2`. */
  readonly section: string;
  /** `§4.2 GET /experimentation/experiments`. */
  readonly name: string;
  readonly results: readonly RequirementResult[];
  readonly tally: Tally;
}

/** The verdicts in the order in which a reader wants them, the worst first. */
export const verdicts: readonly Verdict[] = ['failed', 'error', 'warned', 'not-judged', 'passed'];

/** The verdicts in the order of the columns of a table. */
export const verdictColumns: readonly Verdict[] = ['passed', 'failed', 'warned', 'not-judged', 'error'];

/** `not judged`. */
export function verdictWord(verdict: Verdict): string {
  return verdict.replace('-', ' ');
}

/** How many results have each verdict. */
export function tally(results: readonly RequirementResult[]): Tally {
  const counts = { passed: 0, failed: 0, warned: 0, 'not-judged': 0, error: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
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
      not_judged: stated['not-judged'],
      error: stated.error,
    },
    inferred: {
      passed: inferred.passed,
      warned: inferred.warned,
      not_judged: inferred['not-judged'],
      error: inferred.error,
    },
  };
}

/** The results by section, in the specification's order. */
export function bySection({
  requirements,
  specification,
}: Pick<Report, 'requirements' | 'specification'>): Section[] {
  const sections = [...new Set(requirements.map(({ section }) => section))].sort(compareSections);
  return sections.map((section) => {
    const results = requirements.filter((result) => result.section === section);
    const name = `§${section} ${specification.sections?.[section] ?? ''}`.trim();
    return { section, name, results, tally: tally(results) };
  });
}

/** The reason of what `--only`, `--skip` or `--failed` left out. */
export const deselectedReason = 'deselected';

function isDeselected({ verdict, reason }: RequirementResult): boolean {
  return verdict === 'not-judged' && reason === deselectedReason;
}

/**
 * How many stated requirements were judged, of how many there are; `partly` of the judged on some of their operations only,
 * `deselected` of the others left out by the selection.
 */
export function judgedOfStated(results: readonly RequirementResult[]) {
  const stated = ofLevel(results, 'stated');
  return {
    judged: stated.filter(isJudged).length,
    of: stated.length,
    partly: stated.filter(isPartial).length,
    deselected: stated.filter(isDeselected).length,
  };
}

/** True where the target was held against the requirement. */
export function isJudged({ verdict }: RequirementResult): boolean {
  return verdict === 'passed' || verdict === 'failed' || verdict === 'warned';
}

/** True where the target does not keep to the requirement. */
export function isBroken({ verdict }: RequirementResult): boolean {
  return verdict === 'failed' || verdict === 'warned';
}

/** True where it could be judged on some of its operations only. */
export function isPartial(result: RequirementResult): boolean {
  return isJudged(result) && (result.not_judged_on ?? []).length > 0;
}

/** The row of the baseline that excuses this failure. */
export function excuseOf(
  { baseline }: Pick<Report, 'baseline'>,
  { id }: RequirementResult,
): KnownFailure | undefined {
  return baseline?.known.find((row) => row.id === id);
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
export function breaks({ verdict }: RequirementResult, strict: boolean): boolean {
  return verdict === 'failed' || (strict && verdict === 'warned');
}

/**
 * The exit code of a run: 1 when something failed that no baseline excuses, 3 when nothing was judged or something ended in
 * error, else 0. Wrong usage (2) is found before there is a report.
 * @param rules.strict a broken inferred requirement fails the run
 * @param rules.complete a stated requirement that was not judged fails the run
 */
export function exitCode(
  { requirements, baseline, run }: Report,
  rules: { readonly strict?: boolean; readonly complete?: boolean } = {},
): 0 | 1 | 3 {
  const strict = rules.strict ?? run.strict ?? false;
  const fails =
    baseline === undefined
      ? requirements.some((result) => breaks(result, strict))
      : baseline.unlisted.length + baseline.expired.length + baseline.fixed.length > 0;
  if (fails) return 1;
  const isMissing = (result: RequirementResult) => result.verdict === 'not-judged' || isPartial(result);
  if (rules.complete === true && ofLevel(requirements, 'stated').some(isMissing)) return 1;
  const { error, 'not-judged': notJudged } = tally(requirements);
  return error > 0 || notJudged === requirements.length || run.ended_early !== undefined ? 3 : 0;
}

/** What was not judged for one reason, wholly or on some operations. */
export interface Unjudged {
  readonly reason: string;
  /** Flags or profile keys that would let it be judged. */
  readonly requiredFlags: readonly string[];
  /** Ids, with the operations where only those were left out. */
  readonly items: readonly { readonly id: string; readonly operations: readonly string[] }[];
}

/** What was not judged, grouped by reason and by the flags that would let it be judged; the largest group first. */
export function unjudged(results: readonly RequirementResult[]): Unjudged[] {
  const groups = new Map<
    string,
    { items: { id: string; operations: string[] }[] } & Omit<Unjudged, 'items'>
  >();
  for (const { id, verdict, reason: why = 'no reason given', ...result } of results) {
    const { required_flags: requiredFlags = [], not_judged_on: parts = [] } = result;
    const left = verdict === 'not-judged' ? [{ reason: why, operation: undefined }] : parts;
    for (const { reason, operation } of left) {
      const key = JSON.stringify([reason, requiredFlags]);
      const group = groups.get(key) ?? { reason, requiredFlags, items: [] };
      groups.set(key, group);
      if (group.items.at(-1)?.id !== id) group.items.push({ id, operations: [] });
      if (operation !== undefined) group.items.at(-1)?.operations.push(operation);
    }
  }
  return [...groups.values()].sort((a, b) => b.items.length - a.items.length);
}

/** Sections in the specification's order: `4.2` before `4.10`. */
function compareSections(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function ofLevel(results: readonly RequirementResult[], level: Level): RequirementResult[] {
  return results.filter((result) => result.level === level);
}
