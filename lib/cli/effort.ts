import { readFileSync } from 'node:fs';
import { shippedFile } from '../contract/document.ts';
import { present } from '../contract/json.ts';
import { type Operation, safeMethods } from '../contract/model.ts';
import { nameOf, splitName } from '../report/summary.ts';
import { type Applicable, inOrder, judgedOn } from '../runner/applicable.ts';
import type { Target } from '../runner/connect.ts';
import { unmetNeeds } from '../runner/needs.ts';
import { operationFraction } from '../runner/property.ts';
import { defaultRuns } from '../runner/run-context.ts';
import { tasksOf } from '../runner/tasks.ts';
import type { Settings } from './options.ts';
import type { Plan } from './plan.ts';

/** The settings of each effort, unless `--runs` and `--matrix` override them. */
const efforts = {
  quick: { runs: 3 },
  standard: {},
  thorough: { runs: 200, matrix: 'full' },
} as const;

/** Estimated requests of a quick run. With some seeds it sends a few more, and never more than 400. */
const quickRequests = 385;

/** Examples per property, and how the scope matrix is judged. */
export function effortSettings(settings: Settings): Pick<Settings, 'runs' | 'matrix'> {
  const { effort = 'standard', runs, matrix } = settings;
  return { ...efforts[effort], ...present({ runs, matrix }) };
}

/** Names of requirements on an operation, those that catch the most faults per request first (`scripts/order-requirements.ts`). */
function measuredOrder(): readonly string[] {
  return JSON.parse(readFileSync(shippedFile('fixtures/requirement-order.json'), 'utf8'));
}

/** Requirement ids, those that catch the most faults per request first. */
export function requirementOrder(): readonly string[] {
  return [...new Set(measuredOrder().map((name) => splitName(name)[0]))];
}

/**
 * Selects what a run of this effort judges. A quick run selects what catches the most faults per request, often on one operation only,
 * unless `--only` or `--failed` has selected already. Other runs judge everything.
 */
export function withinEffort<Row extends Applicable>(
  settings: Settings,
  rows: readonly Row[],
): readonly Row[] {
  if (settings.effort !== 'quick' || (settings.only ?? []).length > 0) return rows;
  const { runs, matrix } = effortSettings(settings);
  const requestsOf = requestCounts(matrix, runs);
  let requests = 0;
  const chosen = new Set<string>();
  const tasks = rows
    .filter(({ check }) => check.kind === 'requirement')
    .flatMap(tasksOf)
    .map(({ id, operation }) => ({ id: nameOf({ id, operation: operation?.id }), requirement: id }));
  for (const { id, requirement } of inOrder(tasks, measuredOrder())) {
    if (requests + requestsOf(requirement) > quickRequests) continue;
    requests += requestsOf(requirement);
    chosen.add(id);
  }
  return rows.flatMap((row) => {
    if (row.check.kind === 'exchange' || chosen.has(row.id)) return [row];
    const operations = row.operations.filter((each) =>
      chosen.has(nameOf({ id: row.id, operation: each.id })),
    );
    return operations.length === 0 ? [] : [{ ...row, operations }];
  });
}

/**
 * Requests on one operation: a fixed number, and a number per example of a property. Up to the default number of examples, this includes
 * the variations of a request; beyond it, only the examples add requests.
 */
type Count = readonly [fixed: number, perExample: number, perFurtherExample: number];

/**
 * About how many requests the run will send, by what each requirement sends to the fake on one operation
 * (`fixtures/request-counts.json`, measured by `scripts/count-requests.ts`).
 */
export function estimateRequests(target: Target, plan: Plan): number {
  const { matrix, runs = defaultRuns } = effortSettings(plan.resolved.settings);
  const requestsOf = requestCounts(matrix, runs);
  const sampledFraction = operationFraction(target.contract, runs);
  // A requirement's own request and the twin, which a short run sends once, go to every operation, even of a large contract.
  const perOperation = runs < defaultRuns ? 1 : 2;
  const scaled = (requests: number) =>
    Math.min(requests, perOperation + (requests - perOperation) * sampledFraction);
  const capabilities: ReadonlySet<string> = target.capabilities;
  const isNamed = ({ parameters }: Operation) =>
    parameters.every(({ resource }) => resource === undefined || capabilities.has(resource));
  const requestsOn = ({ id, check: { needs } }: Applicable, operation?: Operation): number => {
    if (operation && !safeMethods.has(operation.method) && !capabilities.has('write')) return 0;
    // One request for each known client, of which there are few.
    if (needs.includes('known_scopes') && !capabilities.has('scopes')) return 1;
    // A valid request for data that is not known shows that nothing can be judged.
    if (operation && !isNamed(operation) && needs.includes('token')) return 1;
    return scaled(requestsOf(id));
  };
  const sum = [...plan.chosen, ...plan.observations]
    .filter(({ check }) => unmetNeeds(target, check.needs) === undefined)
    .flatMap((each) => judgedOn(each.operations).map((operation) => requestsOn(each, operation)))
    .reduce((total, requests) => total + requests, 0);
  return Math.round(sum);
}

/** The requests that a requirement sends on one operation; 0 if unknown. */
export function requestCounts(
  matrix: 'full' | 'grouped' = 'grouped',
  runs = defaultRuns,
): (id: string) => number {
  const { usual, full }: Readonly<Record<'usual' | 'full', Readonly<Record<string, Count>>>> = JSON.parse(
    readFileSync(shippedFile('fixtures/request-counts.json'), 'utf8'),
  );
  const counts = matrix === 'full' ? { ...usual, ...full } : usual;
  return (id) => {
    const [fixed, perExample, perFurtherExample] = counts[id] ?? [0, 0, 0];
    const further = Math.max(0, runs - defaultRuns);
    return fixed + perExample * (runs - further) + perFurtherExample * further;
  };
}
