import { readFileSync } from 'node:fs';
import { shippedFile } from '../contract/document.ts';
import { unmetNeeds } from '../runner/needs.ts';
import { shareOf } from '../runner/property.ts';
import { defaultMatrix, defaultRuns } from '../runner/run-context.ts';
import type { Target } from '../runner/target.ts';
import type { Settings } from './options.ts';
import type { Plan } from './plan.ts';

/** Requests of a requirement that its operations do not share out: the valid ones that go with what is refused. */
const unshared = 2;

/** Requests on one operation: so many, and so many more for each example of a property. */
type Count = readonly [fixed: number, perExample: number];

/**
 * About how many requests the run will send, by what each requirement sends to the fake on one operation
 * (`fixtures/request-counts.json`, measured by `scripts/count-requests.ts`).
 */
export function estimateRequests(
  target: Target,
  plan: Plan,
  { matrix, runs }: Pick<Settings, 'matrix' | 'runs'>,
): number {
  const requestsOf = requestCounts(matrix ?? defaultMatrix(target.contract), runs);
  const part = shareOf(target.contract, runs ?? defaultRuns);
  const shared = (requests: number) => Math.min(requests, unshared + (requests - unshared) * part);
  const sum = [...plan.chosen, ...plan.observations]
    .filter(({ check }) => unmetNeeds(target, check.needs) === undefined)
    .reduce(
      (total, { id, operations }) => total + Math.max(1, operations.length) * shared(requestsOf(id)),
      0,
    );
  return Math.round(sum);
}

/** The requests that a requirement sends on one operation; 0 where that is not known. */
export function requestCounts(
  matrix: 'full' | 'stated' | 'grouped' = 'stated',
  runs = defaultRuns,
): (id: string) => number {
  const { usual, grouped } = readCounts();
  const counts = matrix === 'grouped' ? { ...usual, ...grouped } : usual;
  return (id) => {
    const [fixed, perExample] = counts[id] ?? [0, 0];
    return fixed + perExample * runs;
  };
}

type Counts = Readonly<Record<string, Count>>;

function readCounts(): { readonly usual: Counts; readonly grouped: Counts } {
  return JSON.parse(readFileSync(shippedFile('fixtures/request-counts.json'), 'utf8'));
}
