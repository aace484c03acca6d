import { minimalInput } from '../arbitraries/input.ts';
import type { Resources } from '../contract/data-set.ts';
import type { Operation } from '../contract/model.ts';
import { targetOf } from './call.ts';
import { ResourcePool } from './resource-pool.ts';
import { settleAll } from './settle-all.ts';
import type { Target } from './target.ts';

/** Reads of each operation, each over its own connection. If two workers share nothing, one run in 128 reaches only one. */
const readings = 8;

/**
 * Checks whether the service shows the data that the control endpoint has seeded. Workers or instances that do not share their
 * data respond differently. The reads are neither counted nor recorded.
 * @param resources ids of the seeded data
 * @returns the problem in one line; undefined if there is none
 */
export async function seedMismatch(target: Target, resources: Resources): Promise<string | undefined> {
  const pool = new ResourcePool(resources);
  const reads = target.contract.operations.flatMap((operation) => {
    const kinds = operation.parameters.flatMap(({ resource }) => resource ?? []);
    const ids = kinds.flatMap((kind) =>
      pool
        .all(kind)
        .slice(0, 1)
        .map((id) => [kind, id] as const),
    );
    return operation.method === 'GET' && kinds.length > 0 && ids.length === kinds.length
      ? [{ operation, ids: Object.fromEntries(ids) }]
      : [];
  });
  const found = await settleAll(reads, ({ operation, ids }) => statuses(target, operation, ids));
  const isServed = (status: number) => status >= 200 && status < 300;
  if (found.some((each) => each.includes(404) && each.some(isServed)))
    return 'the service shows the seeded data on some connections only: do its workers share their data?';
  if (found.length > 0 && found.every((each) => each.length > 0 && each.every((status) => status === 404)))
    return 'the service does not show the data that was seeded: is --control the control endpoint of this tenant?';
  return undefined;
}

async function statuses(
  target: Target,
  operation: Operation,
  ids: Readonly<Record<string, string>>,
): Promise<readonly number[]> {
  const authorization = await target.tokens.permitting(operation.scopes);
  if (authorization === undefined) return [];
  const input = minimalInput(target.contract, operation, ids);
  const responses = await settleAll(Array.from({ length: readings }), () =>
    target.call({
      operation,
      method: operation.method,
      target: targetOf(operation, input, {}),
      headers: [...Object.entries(input.headers), ['connection', 'close']],
      authorization,
    }),
  );
  return responses.flatMap(({ response }) => response?.status ?? []);
}
