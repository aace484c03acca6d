import type { FullContext } from './context.ts';
import type { SendingCheck } from './requirement.ts';
import { type CheckResult, resultOfCheck } from './result.ts';

/** Milliseconds after the end of a check before its requests are aborted: far more than a healthy target takes to respond. */
export const graceMs = 3_000;

/**
 * Judges a check on one operation. After a violation with varied requests, judges it again with plain ones: a violation without
 * variations is easier to read.
 * @param active contains the contexts that are sending
 * @param reset restores what an exclusive check has changed; undefined if that is not possible
 * @returns the result, with the context that sent its requests
 * @throws ControlError from `reset`
 */
export async function judge(
  check: SendingCheck,
  newContext: (isPlain: boolean) => FullContext,
  active: Set<FullContext>,
  reset: (() => Promise<void>) | undefined,
): Promise<[FullContext, CheckResult]> {
  const attempt = async (isPlain: boolean): Promise<[FullContext, CheckResult]> => {
    const ctx = newContext(isPlain);
    active.add(ctx);
    const result = await resultOfCheck(() => check.judge(ctx));
    await ctx.end(graceMs);
    active.delete(ctx);
    if (result.kind === 'violation') ctx.run.attribute(result.violation.exchanges);
    return [ctx, result];
  };
  const varied = await attempt(false);
  // Checks in lanes other than `parallel` may have used up or changed their data.
  const mayRepeat = check.lane === 'parallel' || (check.lane === 'exclusive' && reset !== undefined);
  if (varied[1].kind !== 'violation' || !mayRepeat) return varied;
  if (check.lane === 'exclusive') await reset?.();
  const plain = await attempt(true);
  if (plain[1].kind === 'violation') return plain;
  return [varied[0], plain[1].kind === 'passed' ? { ...varied[1], passesPlain: true } : varied[1]];
}
