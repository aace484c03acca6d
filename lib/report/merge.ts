import { type Dependencies, withCauses } from './causes.ts';
import type { Observation, Report, RequirementResult, ScopeRow, Verdict } from './report.ts';
import { runVerdict, summarize } from './summary.ts';
import { visible } from './text.ts';

/**
 * The reports of all shards as the report of one run. A requirement that several shards judged (an exchange check) gets the worst
 * of their verdicts. The run's time is the slowest shard's, its requests are all of theirs.
 * @param ledger all requirements in the order of the whole run, with what each depends on
 */
export function mergeReports(reports: readonly Report[], ledger: Dependencies): Report {
  const sorted = reports.toSorted((a, b) => shardNumber(a) - shardNumber(b));
  const [first] = sorted;
  if (first === undefined) throw new Error('there is no report to merge');
  for (const report of sorted) checkSame(first, report);
  const missing = missingShards(sorted);
  const early = [
    ...unique(sorted.flatMap(({ run }) => run.ended_early ?? [])),
    ...(missing.length > 0 ? [`no report of shard ${missing.join(', ')}`] : []),
  ];
  const notes = unique(sorted.flatMap(({ run }) => run.notes ?? []));
  const start = Math.min(...sorted.map(({ run }) => Date.parse(run.started_at)));
  const requirements = withCauses(mergeRequirements(sorted, start, ledger), ledger);
  const strict = sorted.some(({ run }) => run.strict === true);
  const { suite, specification, contract } = first;
  const { requests_estimated: _estimated, failed_before: _failed, ...run } = first.run;
  const estimated = sorted.flatMap((report) => report.run.requests_estimated ?? []);
  const dataSets = sorted.flatMap((report) => report.data_sets ?? []);
  const capabilities = unique(sorted.flatMap(({ target }) => target.capabilities));
  const ends = sorted.map((report) => Date.parse(report.run.started_at) + report.run.duration_ms);
  const merged = {
    ...run,
    started_at: new Date(start).toISOString(),
    duration_ms: Math.max(...ends) - start,
    requests: total(sorted.map((report) => report.run.requests)),
    ...(estimated.length === sorted.length && { requests_estimated: total(estimated) }),
    shard: null,
    ...(early.length > 0 && { ended_early: early.join('; ') }),
    ...(notes.length > 0 && { notes }),
  };
  return {
    suite,
    specification,
    contract,
    target: { ...first.target, capabilities },
    run: merged,
    verdict: runVerdict(requirements, { ...merged, strict }),
    summary: summarize(requirements, contract.operations, { strict }),
    requirements,
    scope_matrix: { operations: mergeMatrix(sorted) },
    ...mergeInputs(sorted),
    observations: mergeObservations(sorted),
    ...(dataSets.length > 0 && { data_sets: Object.assign({}, ...dataSets) }),
  };
}

function checkSame(first: Report, other: Report): void {
  const identities = [
    ['suite version', (report: Report) => `${report.suite.name} ${report.suite.version}`],
    ['specification', (report: Report) => report.specification.version],
    ['contract', (report: Report) => `${report.contract.title} ${report.contract.version}`],
    ['cloud', (report: Report) => report.target.cloud],
    ['seed', (report: Report) => String(report.run.seed)],
    ['effort', (report: Report) => report.run.effort ?? 'standard'],
  ] as const;
  for (const [what, of] of identities) {
    const [one, another] = [of(first), of(other)].map(visible);
    if (one !== another) throw new Error(`these reports differ in ${what}: ${one} and ${another}`);
  }
}

function missingShards(reports: readonly Report[]): string[] {
  const shards = reports.map(({ run }) => run.shard);
  if (shards.every((shard) => shard === null) && reports.length === 1) return [];
  const totals = new Set(shards.map((shard) => shard?.split('/')[1]));
  const [total] = totals;
  if (totals.size !== 1 || total === undefined)
    throw new Error('these reports are not the shards of one run');
  const twice = shards.find((shard, index) => shards.indexOf(shard) !== index);
  if (twice !== undefined) throw new Error(`there are two reports of shard ${twice}`);
  return Array.from({ length: Number(total) }, (_, index) => `${index + 1}/${total}`).filter(
    (shard) => !shards.includes(shard),
  );
}

function shardNumber(report: Report): number {
  return Number(report.run.shard?.split('/')[0] ?? 0);
}

function mergeRequirements(
  reports: readonly Report[],
  start: number,
  ledger: Dependencies,
): RequirementResult[] {
  const all = reports.flatMap(({ run, requirements }) =>
    requirements.map((result) => shifted(result, Date.parse(run.started_at) - start)),
  );
  const ids = unique([...ledger, ...all].map(({ id }) => id));
  return ids.flatMap((id) => mergeResults(all.filter((result) => result.id === id)));
}

/** Times from the merged run's start. */
function shifted(result: RequirementResult, offset: number): RequirementResult {
  const { started_ms } = result;
  return {
    ...result,
    ...(started_ms !== undefined && { started_ms: started_ms + offset }),
    exchanges: result.exchanges.map((sent) => ({ ...sent, started_ms: sent.started_ms + offset })),
  };
}

/** The worst first. `not-judged` last: another shard's judgement is worth more. */
const severityOrder: readonly Verdict[] = ['failed', 'error', 'warned', 'passed', 'not-judged'];

function worstFirst<T extends { readonly verdict: Verdict }>(group: readonly T[]): T[] {
  return group.toSorted((a, b) => severityOrder.indexOf(a.verdict) - severityOrder.indexOf(b.verdict));
}

function mergeResults(group: readonly RequirementResult[]): RequirementResult[] {
  const [worst, ...others] = worstFirst(group);
  if (worst === undefined) return [];
  const counted = [worst, ...others.filter((result) => result.verdict !== 'not-judged')];
  if (counted.length === 1) return [worst];
  const starts = counted.flatMap((result) => result.started_ms ?? []);
  const verdicts = worstFirst(counted.flatMap((result) => result.by_operation));
  const decisive = counted.filter(({ verdict }) => verdict === worst.verdict);
  return [
    {
      ...worst,
      by_operation: worst.by_operation.map(
        (each) => verdicts.find(({ operation }) => operation === each.operation) ?? each,
      ),
      ...(starts.length > 0 && { started_ms: Math.min(...starts) }),
      duration_ms: total(counted.map((result) => result.duration_ms ?? 0)),
      requests: total(counted.map((result) => result.requests ?? 0)),
      exchanges: decisive.flatMap(({ exchanges }) => exchanges),
    },
  ];
}

function mergeMatrix(reports: readonly Report[]): Record<string, ScopeRow> {
  // Maps, as an operation may be called `toString`.
  const matrices = reports.map(({ scope_matrix }) => new Map(Object.entries(scope_matrix.operations)));
  const merged = reports
    .flatMap(({ contract }) => contract.operations)
    .map(({ id }) => {
      const rows = matrices.flatMap((matrix) => matrix.get(id) ?? []);
      const cells: Record<string, number> = Object.assign({}, ...rows.map((row) => row.cells));
      return rows.slice(0, 1).map(({ required }): [string, ScopeRow] => [id, { required, cells }]);
    });
  return Object.fromEntries(merged.flat());
}

/** The requests of all shards, by class. */
function mergeInputs(reports: readonly Report[]): Pick<Report, 'input_coverage'> {
  const all = reports.flatMap(({ input_coverage }) => input_coverage ?? []);
  if (all.length === 0) return {};
  const operations = new Map<string, Record<string, readonly [number, number, number]>>();
  for (const [id, classes] of all.flatMap((each) => Object.entries(each.operations)))
    for (const [name, [sent, accepted, rejected]] of Object.entries(classes)) {
      const known = operations.get(id);
      const [a, b, c] = known?.[name] ?? [0, 0, 0];
      operations.set(id, { ...known, [name]: [a + sent, b + accepted, c + rejected] });
    }
  return {
    input_coverage: {
      operations: Object.fromEntries(operations),
      left_out: Object.assign({}, ...all.map((each) => each.left_out)),
    },
  };
}

/** Each observation once, or both if two shards observed different things. */
function mergeObservations(reports: readonly Report[]): Observation[] {
  const all = reports.flatMap(({ observations }) => observations);
  return [...new Map(all.map((one) => [JSON.stringify([one.id, one.value]), one])).values()];
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
