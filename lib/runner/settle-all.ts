import { Violation } from './verdict.ts';

/**
 * Does the same with several values at a time, until all have ended, so that nothing is left under way; gives the results in the
 * values' order. Throws the first failure in that order, a violation before any other.
 */
export async function settleAll<Value, Result>(
  values: Iterable<Value>,
  judge: (value: Value) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = await Promise.allSettled([...values].map(judge));
  const failures = results.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0) throw failures.find((each) => each instanceof Violation) ?? failures[0];
  return results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}
