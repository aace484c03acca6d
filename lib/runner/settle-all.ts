import { Violation } from './verdict.ts';

/**
 * Calls the function with all values in parallel and waits until all calls have ended. Returns the results in the order of the
 * values. Throws the first error in that order, but a violation before any other error.
 */
export async function settleAll<Value, Result>(
  values: Iterable<Value>,
  action: (value: Value) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = await Promise.allSettled([...values].map(action));
  const failures = results.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0) throw failures.find((each) => each instanceof Violation) ?? failures[0];
  return results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}
