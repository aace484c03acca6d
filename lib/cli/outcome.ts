import { applyBaseline } from '../report/baseline.ts';
import type { Report, RequirementResult } from '../report/report.ts';
import { deselectedReason, runVerdict, summarise } from '../report/summary.ts';
import type { ConnectedTarget } from '../runner/connect.ts';
import { resultOf } from '../runner/result.ts';
import type { Findings } from '../runner/runner.ts';
import type { Settings } from './options.ts';
import { suiteName, suiteVersion } from './package.ts';
import type { Plan } from './plan.ts';
import { sectionTitles } from './sections.ts';

/** A run, as far as it came. */
export interface RunState {
  readonly plan: Plan;
  readonly settings: Settings;
  readonly baseUrl: string;
  /** Undefined where it could not be connected to. */
  readonly target: ConnectedTarget | undefined;
  readonly startedAt: Date;
  /** Requests that were estimated before the start. */
  readonly estimated: number | undefined;
  /** Undefined where nothing could be judged at all. */
  readonly findings: Findings | undefined;
  readonly rerun: (id: string) => string;
  /** What a reader of the report should know of the run, a line each. */
  readonly notes: readonly string[];
}

/**
 * The report of a run.
 * @param endedEarly why not everything was judged
 */
export function reportOf(run: RunState, endedEarly: string | undefined): Report {
  const { plan, settings, target, findings, estimated, notes } = run;
  const { contract, ledger } = plan;
  const requirements = inOrder(ledger, [
    ...(findings?.requirements ??
      plan.chosen.map((row) => unjudged(run, row, endedEarly ?? 'the run ended before it'))),
    ...plan.deselected.map((row) => unjudged(run, row, deselectedReason)),
  ]);
  const strict = settings.strict === true;
  const report: Report = {
    suite: { name: suiteName, version: suiteVersion() },
    specification: { version: contract.specification, sections: sectionTitles(contract, ledger) },
    contract: {
      title: contract.title,
      version: contract.version,
      operations: contract.operations.map(({ id, method, path }) => ({ id, method, path })),
    },
    target: {
      base_url: run.baseUrl,
      cloud: settings.cloud ?? 'public',
      capabilities: [...(target?.capabilities ?? [])],
    },
    run: {
      seed: plan.seed,
      started_at: run.startedAt.toISOString(),
      duration_ms: Date.now() - run.startedAt.getTime(),
      requests: target?.driver.requests ?? 0,
      ...(estimated !== undefined && { requests_estimated: estimated }),
      shard: settings.shard ?? null,
      ...(endedEarly !== undefined && { ended_early: endedEarly }),
      ...(strict && { strict }),
      ...(notes.length > 0 && { notes }),
    },
    verdict: runVerdict(requirements, { strict, endedEarly: endedEarly !== undefined }),
    summary: summarise(requirements),
    requirements,
    scope_matrix: {
      operations: Object.fromEntries(
        contract.operations.flatMap(({ id }) => {
          const row = findings?.scopeMatrix[id];
          return row === undefined ? [] : [[id, row]];
        }),
      ),
    },
    observations: findings?.observations ?? [],
    ...findings?.visualizations,
    ...(findings?.exchanges !== undefined && { exchanges: findings.exchanges }),
  };
  return plan.baseline === undefined ? report : { ...report, baseline: applyBaseline(plan.baseline, report) };
}

/** A requirement that nothing was sent for. */
function unjudged(
  { rerun }: RunState,
  { row, operations }: Plan['chosen'][number],
  reason: string,
): RequirementResult {
  const ids = operations.map(({ id }) => id);
  return { ...resultOf(row, ids, [], rerun(row.id)), reason };
}

/** The results in the order of the requirements' rows. */
function inOrder(
  { requirements }: Plan['ledger'],
  results: readonly RequirementResult[],
): RequirementResult[] {
  const places = new Map(requirements.map(({ id }, index) => [id, index]));
  const place = ({ id }: RequirementResult) => places.get(id) ?? places.size;
  return [...results].sort((one, other) => place(one) - place(other));
}
