import type { Level } from '../contract/ledger.ts';
import type { BaselineRow, Difference, Report, RequirementResult, RunVerdict, Verdict } from './report.ts';

// The arithmetic of a report, in one place: counts, the run's verdict, the exit code.

/** How many results have each verdict. */
export type Tally = Readonly<Record<Verdict, number>>;

/** The verdicts in the order in which a reader wants them, the worst first. */
export const verdicts: readonly Verdict[] = ['failed', 'error', 'warned', 'not-judged', 'passed'];

/** A sign of each verdict, so that no color is the only one. */
export const signs = { failed: '✗', error: '?', warned: '!', 'not-judged': '○', passed: '✓' } as const;

/** The verdicts in the order of the columns of a table. */
export const verdictColumns: readonly Verdict[] = ['passed', 'failed', 'warned', 'not-judged', 'error'];

/** The words of a verdict, or of another kind: `does not conform`. */
export function wordsOf(verdict: string): string {
  return verdict.replaceAll('-', ' ');
}

/** How many results have each verdict. */
export function tally(results: readonly RequirementResult[]): Tally {
  const counts = { passed: 0, failed: 0, warned: 0, 'not-judged': 0, error: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}

/** The operations on which the requirement has one of these verdicts. */
export function operationsWith({ by_operation }: RequirementResult, ...wanted: readonly Verdict[]): string[] {
  return by_operation.flatMap(({ operation, verdict }) => (wanted.includes(verdict) ? operation : []));
}

/** The operations that break the requirement. */
export function brokenOn(result: RequirementResult): string[] {
  return operationsWith(result, 'failed', 'warned');
}

/** The operations with the result's verdict; of a check on several at once, the one of the exchange that shows it. */
export function operationsShown(result: RequirementResult): readonly string[] {
  const operations = operationsWith(result, result.verdict);
  const shown = result.exchanges.at(-1)?.operation;
  return operations.length !== 1 || shown === undefined ? operations : [shown];
}

/** How a requirement on one operation is named: `5.5/wrong-verb@listExperiments`. */
export function nameOf({ id, operation }: { id: string; operation?: string | undefined }): string {
  return operation === undefined ? id : `${id}@${operation}`;
}

/** The requirement's id, and the operation if the name contains one. */
export function splitName(name: string): [id: string, operation?: string] {
  const at = name.indexOf('@');
  return at === -1 ? [name] : [name.slice(0, at), name.slice(at + 1)];
}

/** Each operation of the contract with the results on it and their verdict. */
export function byOperation(
  results: readonly RequirementResult[],
  operations: Report['contract']['operations'],
  rules: { readonly strict?: boolean },
) {
  const found = new Map(operations.map(({ id }): [string, RequirementResult[]] => [id, []]));
  for (const { reason: _, by_operation, ...result } of results)
    for (const each of by_operation)
      found.get(each.operation)?.push({ ...result, ...each, by_operation: [] });
  return operations.map((operation) => {
    const results = found.get(operation.id) ?? [];
    return { ...operation, results, verdict: runVerdict(results, rules) };
  });
}

/** The report's `summary`. */
export function summarize(...of: Parameters<typeof byOperation>): Report['summary'] {
  const [results] = of;
  const countsOf = (level: Level) => {
    const { 'not-judged': not_judged, ...counts } = tally(ofLevel(results, level));
    return { ...counts, not_judged };
  };
  const { warned: _, ...stated } = countsOf('stated');
  const { failed: __, ...inferred } = countsOf('inferred');
  const operations = { conforms: 0, 'does-not-conform': 0, incomplete: 0 };
  for (const { verdict } of byOperation(...of)) operations[verdict] += 1;
  return {
    requirements: results.length,
    judged: results.filter(isJudged).length,
    deselected: results.filter(isDeselected).length,
    operations,
    stated,
    inferred,
  };
}

/** The results of one section of the specification, with its number (`4.2`) and name (`§4.2 GET /experimentation/experiments`). */
export type Section = ReturnType<typeof bySection>[number];

/** The results by section, in the specification's order. */
export function bySection({ requirements, specification }: Pick<Report, 'requirements' | 'specification'>) {
  // `4.2` before `4.10`.
  const inOrder = new Intl.Collator('en', { numeric: true });
  const sections = [...new Set(requirements.map(({ section }) => section))].sort(inOrder.compare);
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
 * `judged` of `of` stated requirements were judged, `partly` of these on some of their operations only; the selection left out
 * `deselected`.
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

/** True if the target was tested for the requirement. */
function isJudged({ verdict }: RequirementResult): boolean {
  return verdict === 'passed' || verdict === 'failed' || verdict === 'warned';
}

/** True if the status is what differs: `received` is the status alone, or with the beginning of the body. */
export function isAboutStatus({ received }: Difference, status: number): boolean {
  return /^(\d{3})(?= with |$)/.exec(received)?.[1] === String(status);
}

/** True if the last request was served although it had to be refused. */
export function isWronglyServed({ difference, exchanges }: RequirementResult): boolean {
  const status = exchanges.at(-1)?.response?.status ?? 0;
  return status >= 200 && status < 300 && /^(4\d\d\b|a 4xx)/.test(difference?.expected ?? '');
}

/** True if the target breaks the requirement. */
export function isBroken({ verdict }: RequirementResult): boolean {
  return verdict === 'failed' || verdict === 'warned';
}

/** True if it could be judged on some of its operations only. */
export function isPartial(result: RequirementResult): boolean {
  return isJudged(result) && operationsWith(result, 'not-judged', 'error').length > 0;
}

/** A row of the baseline that excuses this failure; undefined if one of its operations is not excused. */
export function excuseOf(
  { baseline }: Pick<Report, 'baseline'>,
  result: RequirementResult,
): BaselineRow | undefined {
  const rows = baseline?.known.filter(({ id }) => id === result.id) ?? [];
  const isExcused = (operation: string) => rows.some((row) => (row.operation ?? operation) === operation);
  return brokenOn(result).every(isExcused) ? rows[0] : undefined;
}

/**
 * The verdict of a run: `does-not-conform` when something failed, `conforms` when every stated requirement was judged on
 * every operation, `incomplete` otherwise: so a run that judged nothing is never green. A quick run, which leaves out examples,
 * and one that ended early never conform.
 */
export function runVerdict(
  results: readonly RequirementResult[],
  run: Partial<Pick<Report['run'], 'strict' | 'effort' | 'ended_early'>> = {},
): RunVerdict {
  if (results.some((result) => breaks(result, run.strict === true))) return 'does-not-conform';
  const { judged, of, partly } = judgedOfStated(results);
  const isWhole = run.effort !== 'quick' && run.ended_early === undefined;
  return of > 0 && judged === of && partly === 0 && isWhole ? 'conforms' : 'incomplete';
}

/** True if this result fails a run. */
export function breaks({ verdict }: RequirementResult, strict: boolean): boolean {
  return verdict === 'failed' || (strict && verdict === 'warned');
}

/**
 * The exit code of a run: 1 when something failed that no baseline excuses or a failure of the baseline passes now; 3 when nothing
 * was judged, something ended in error or the run ended early; else 0. Wrong usage (2) is found before there is a report.
 * @param rules.complete a stated requirement that was not judged fails the run
 */
export function exitCode(
  { requirements, baseline, run }: Report,
  rules: { readonly complete?: boolean } = {},
): 0 | 1 | 3 {
  const fails =
    baseline === undefined
      ? requirements.some((result) => breaks(result, run.strict === true))
      : baseline.unlisted.length + baseline.expired.length + baseline.fixed.length > 0;
  if (fails) return 1;
  const isMissing = (result: RequirementResult) => result.verdict === 'not-judged' || isPartial(result);
  if (rules.complete === true && ofLevel(requirements, 'stated').some(isMissing)) return 1;
  const isError = (result: RequirementResult) =>
    result.verdict === 'error' || operationsWith(result, 'error').length > 0;
  const isNothing = requirements.every(({ verdict }) => verdict === 'not-judged');
  return isNothing || requirements.some(isError) || run.ended_early !== undefined ? 3 : 0;
}

/** What was not judged for one reason: ids, or ids with operations if only some operations were left out. */
interface NotJudgedGroup {
  readonly reason: string;
  /** Flags or profile keys to set so that it is judged. */
  readonly requiredFlags: readonly string[];
  readonly items: { readonly id: string; readonly operations: string[] }[];
}

/** What was not judged, grouped by reason and by the flags or profile keys to set so that it is judged; largest group first. */
export function notJudgedGroups(results: readonly RequirementResult[]): NotJudgedGroup[] {
  const groups = new Map<string, NotJudgedGroup>();
  for (const result of results) {
    const { id, by_operation: all } = result;
    const parts = all.filter(({ verdict }) => verdict === 'not-judged');
    const isOne = new Set(parts.map(({ reason }) => reason)).size === 1 && parts.length === all.length;
    const isWhole = isOne || (all.length === 0 && result.verdict === 'not-judged');
    for (const part of isWhole ? [{ ...result, operation: undefined }] : parts) {
      const { reason = 'no reason given', required_flags: requiredFlags = [], operation } = part;
      const key = JSON.stringify([reason, requiredFlags]);
      const group = groups.get(key) ?? { reason, requiredFlags, items: [] };
      groups.set(key, group);
      if (group.items.at(-1)?.id !== id) group.items.push({ id, operations: [] });
      if (operation !== undefined) group.items.at(-1)?.operations.push(operation);
    }
  }
  return [...groups.values()].sort((a, b) => b.items.length - a.items.length);
}

function ofLevel(results: readonly RequirementResult[], level: Level): RequirementResult[] {
  return results.filter((result) => result.level === level);
}
