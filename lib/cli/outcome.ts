import { applyBaseline } from '../report/baseline.ts';
import type { Report, RequirementResult } from '../report/report.ts';
import { deselectedReason, runVerdict, summarise } from '../report/summary.ts';
import { resultOf } from '../runner/result.ts';
import type { Findings } from '../runner/runner.ts';
import type { Settings } from './options.ts';
import { suiteName, suiteVersion } from './package.ts';
import type { Plan } from './plan.ts';
import { sectionTitles } from './sections.ts';

/** What a run came to, as far as it came. */
export interface Outcome {
  readonly plan: Plan;
  readonly settings: Settings;
  readonly baseUrl: string;
  readonly capabilities: readonly string[];
  readonly startedAt: Date;
  readonly requests: number;
  /** Requests that were estimated before the start. */
  readonly estimated: number | undefined;
  /** Undefined where nothing could be judged at all. */
  readonly findings: Findings | undefined;
  /** Why not everything was judged. */
  readonly endedEarly: string | undefined;
  readonly rerun: (id: string) => string;
}

/** The report of a run. */
export function reportOf(outcome: Outcome): Report {
  const { plan, settings, endedEarly } = outcome;
  const { contract, ledger } = plan;
  const requirements = inOrder(ledger, [
    ...(outcome.findings?.requirements ?? unjudged(outcome)),
    ...plan.deselected.map((row) => withoutCases(outcome, row, deselectedReason)),
  ]);
  const strict = settings.strict === true;
  const notes = outcome.findings?.notes ?? [];
  const report: Report = {
    suite: { name: suiteName, version: suiteVersion() },
    specification: { version: contract.specification, sections: sectionTitles(contract, ledger) },
    contract: {
      title: contract.title,
      version: contract.version,
      operations: contract.operations.map(({ id, method, path }) => ({ id, method, path })),
    },
    target: {
      base_url: outcome.baseUrl,
      cloud: settings.cloud ?? 'public',
      capabilities: outcome.capabilities,
    },
    run: {
      seed: plan.seed,
      started_at: outcome.startedAt.toISOString(),
      duration_ms: Date.now() - outcome.startedAt.getTime(),
      requests: outcome.requests,
      ...(outcome.estimated !== undefined && { requests_estimated: outcome.estimated }),
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
          const row = outcome.findings?.scopeMatrix[id];
          return row === undefined ? [] : [[id, row]];
        }),
      ),
    },
    observations: outcome.findings?.observations ?? [],
    ...outcome.findings?.visualizations,
    ...(outcome.findings?.exchanges !== undefined && { exchanges: outcome.findings.exchanges }),
  };
  return plan.baseline === undefined ? report : { ...report, baseline: applyBaseline(plan.baseline, report) };
}

/** Every requirement of the run as not judged, for the one reason that there is. */
function unjudged(outcome: Outcome): Report['requirements'] {
  const reason = outcome.endedEarly ?? 'the run ended before it';
  return outcome.plan.chosen.map((row) => withoutCases(outcome, row, reason));
}

function withoutCases(
  { rerun }: Outcome,
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
