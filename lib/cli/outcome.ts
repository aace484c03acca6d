import { present } from '../contract/json.ts';
import type { Ledger } from '../contract/ledger.ts';
import type { Contract } from '../contract/model.ts';
import { applyBaseline } from '../report/baseline.ts';
import type { Report, RequirementResult } from '../report/report.ts';
import { deselectedReason, runVerdict, summarize } from '../report/summary.ts';
import { judgedOn } from '../runner/applicable.ts';
import { resultOf, unsent } from '../runner/result.ts';
import type { Findings } from '../runner/runner.ts';
import { suiteName, suiteVersion } from './package.ts';
import type { Plan } from './plan.ts';
import { argumentsOf } from './rerun.ts';
import type { ConformanceRun } from './run.ts';

/**
 * The report of a run.
 * @param endedEarly why not everything was judged
 */
export function reportOf(run: ConformanceRun, endedEarly: string | undefined): Report {
  const { plan, target, estimated, notes } = run;
  const { settings } = plan.resolved;
  const { contract, ledger } = plan;
  const nothing: Findings = {
    requirements: plan.chosen.map((row) =>
      notJudgedResult(plan, row, endedEarly ?? 'the run ended before it was judged'),
    ),
    scope_matrix: { operations: {} },
    observations: [],
  };
  const { endedEarly: _, ...found } = run.findings ?? nothing;
  const results = [
    ...found.requirements,
    ...plan.deselected.map((row) => notJudgedResult(plan, row, deselectedReason)),
  ];
  const requirements = ledger.requirements.flatMap(({ id }) => results.filter((each) => each.id === id));
  const strict = settings.strict === true;
  const reportRun = present({
    seed: plan.seed,
    started_at: run.startedAt.toISOString(),
    duration_ms: Date.now() - run.startedAt.getTime(),
    requests: target?.driver.requests ?? 0,
    requests_estimated: estimated,
    shard: settings.shard ?? null,
    ended_early: endedEarly,
    arguments: settings.baseUrl === undefined ? undefined : argumentsOf(plan.resolved),
    strict: strict || undefined,
    effort: settings.effort,
    notes: notes.length === 0 ? undefined : notes,
  });
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
    run: reportRun,
    verdict: runVerdict(requirements, reportRun),
    summary: summarize(requirements, contract.operations, { strict }),
    ...found,
    requirements,
  };
  return plan.baseline === undefined ? report : { ...report, baseline: applyBaseline(plan.baseline, report) };
}

/** The result of a requirement for which no request was sent. */
function notJudgedResult(
  { rerun }: Plan,
  { row, operations }: Plan['chosen'][number],
  reason: string,
): RequirementResult {
  const ids = operations.map(({ id }) => id);
  const results = judgedOn(ids).map((operation) => {
    return { ...unsent, kind: 'not-judged', operation, reason, requiredFlags: [] } as const;
  });
  return resultOf(row, ids, results, rerun(row.id));
}

/** A title for each section of the ledger: an operation's method and path if the section is about one. */
export function sectionTitles(contract: Contract, ledger: Ledger): Record<string, string> {
  const found = { ...ledger.sections };
  for (const { section, operations } of ledger.requirements) {
    const [id] = typeof operations === 'string' ? [] : operations;
    const operation = contract.operations.find((each) => each.id === id);
    if (operation !== undefined && section.startsWith('4.'))
      found[section] ??= `${operation.method} ${operation.path}`;
  }
  return found;
}
