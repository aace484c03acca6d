import { readFileSync } from 'node:fs';
import type { DataSet } from '../contract/data-set.ts';
import { parseDataSet } from '../contract/data-set.ts';
import type { RunOptions } from '../runner/run-options.ts';
import { shippedFile } from './package.ts';
import type { Plan } from './plan.ts';
import type { ResolvedOptions } from './settings.ts';

/** How the suite is to go for a run or for its rehearsal; what watches it is added by whoever runs it. */
export function suiteOptions(
  { settings, extras }: ResolvedOptions,
  { selected, seed }: Plan,
  seeds: boolean,
): RunOptions {
  const { concurrency, runs, matrix } = settings;
  return {
    seed,
    selected,
    ...(runs !== undefined && { runs }),
    ...(matrix !== undefined && { matrix }),
    ...(settings.har === 'full' && { recordExchanges: true }),
    // Enough requirements under way that requests never wait for them.
    ...(concurrency !== undefined && { concurrency: 2 * concurrency }),
    ...(extras.limits?.logWaitMs !== undefined && { logWaitMs: extras.limits.logWaitMs }),
    ...(seeds && { dataSet: shippedDataSet() }),
  };
}

/** The data that a tenant is filled with for a run. */
function shippedDataSet(): DataSet {
  return parseDataSet(JSON.parse(readFileSync(shippedFile('fixtures/tenant.json'), 'utf8')));
}
