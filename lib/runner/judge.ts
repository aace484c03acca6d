import type { FullContext } from './context.ts';
import type { SendingCheck } from './requirement.ts';
import { type CheckResult, resultOfCheck } from './result.ts';

/** Milliseconds after the end of a check before its requests are aborted: far more than a healthy target takes to respond. */
export const graceMs = 3_000;

/** A result, with the context that sent its requests. */
interface Attempt {
  readonly ctx: FullContext;
  readonly result: CheckResult;
}

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
): Promise<Attempt> {
  const attempt = async (isPlain: boolean): Promise<Attempt> => {
    const ctx = newContext(isPlain);
    active.add(ctx);
    const result = await resultOfCheck(() => check.judge(ctx));
    await ctx.end(graceMs);
    active.delete(ctx);
    if (result.kind === 'violation') ctx.run.attribute(result.violation.exchanges);
    return { ctx, result };
  };
  const varied = await attempt(false);
  // Checks in lanes other than `parallel` may have used up or changed their data.
  const mayRepeat = check.lane === 'parallel' || (check.lane === 'exclusive' && reset !== undefined);
  if (varied.result.kind !== 'violation' || !mayRepeat) return varied;
  if (check.lane === 'exclusive') await reset?.();
  const plain = await attempt(true);
  if (plain.result.kind === 'violation') return plain;
  if (plain.result.kind !== 'passed') return varied;
  return { ctx: varied.ctx, result: { ...varied.result, passesPlain: true } };
}
