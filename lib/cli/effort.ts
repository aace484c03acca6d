import { readFileSync } from 'node:fs';
import { shippedFile } from '../contract/document.ts';
import { type Applicable, inOrder } from '../runner/applicable.ts';
import { requestCounts } from './estimate.ts';
import type { Settings } from './options.ts';

/** What each effort stands for, where `--runs` and `--matrix` do not say otherwise. */
const efforts = {
  quick: { runs: 3, matrix: 'grouped' },
  standard: {},
  thorough: { runs: 200, matrix: 'full' },
} as const;

/** Estimated requests of a quick run. With some seeds it sends a tenth more, and never more than 400. */
const quickRequests = 350;

/** Examples per property, and how the scope matrix is judged. */
export function effortSettings(settings: Settings): Pick<Settings, 'runs' | 'matrix'> {
  const { effort = 'standard', runs, matrix } = settings;
  return { ...efforts[effort], ...(runs !== undefined && { runs }), ...(matrix !== undefined && { matrix }) };
}

/** Ids of requirements by what they catch for their cost, measured by the mutation test (`scripts/order-requirements.ts`). */
export function requirementOrder(): readonly string[] {
  return JSON.parse(readFileSync(shippedFile('fixtures/requirement-order.json'), 'utf8'));
}

/**
 * What a run of this effort judges: a quick one what catches the most with its requests, unless `--only` or `--failed` has chosen
 * already; the others everything.
 */
export function withinEffort<Row extends Applicable>(
  settings: Settings,
  rows: readonly Row[],
): readonly Row[] {
  if (settings.effort !== 'quick' || settings.only !== undefined) return rows;
  const { runs, matrix } = effortSettings(settings);
  const requestsOf = requestCounts(matrix, runs);
  let requests = 0;
  return inOrder(rows, requirementOrder()).filter(({ id, check, operations }) => {
    if (check.kind === 'exchange') return true;
    if (check.kind === 'observation') return false;
    const cost = Math.max(1, operations.length) * requestsOf(id);
    if (requests + cost > quickRequests) return false;
    requests += cost;
    return true;
  });
}
