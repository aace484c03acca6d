import type { FullContext } from './context.ts';
import type { Observation, RequirementCheck } from './requirement.ts';
import { type CheckResult, resultOfCheck } from './result.ts';

/** Milliseconds for what is under way when nothing more is to be sent: on a healthy target far more than a response takes. */
export const graceMs = 3_000;

/**
 * Judges a check on one operation, with the context that it sent its requests in. What its varied requests show to be broken is
 * judged again with plain ones: what breaks without variations too is shown without them.
 * @param active contains the context while it sends
 */
export async function judge(
  check: RequirementCheck | Observation,
  newContext: (isPlain: boolean) => FullContext,
  active: Set<FullContext>,
): Promise<[FullContext, CheckResult]> {
  const attempt = async (isPlain: boolean): Promise<[FullContext, CheckResult]> => {
    const ctx = newContext(isPlain);
    active.add(ctx);
    const result = await resultOfCheck(() =>
      check.kind === 'observation' ? check.observe(ctx) : check.judge(ctx),
    );
    await ctx.end(graceMs);
    active.delete(ctx);
    if (result.kind === 'violation') ctx.run.attribute(result.violation.exchanges);
    return [ctx, result];
  };
  const varied = await attempt(false);
  // Other lanes may have used up or changed what they need.
  if (varied[1].kind !== 'violation' || check.lane !== 'parallel') return varied;
  const plain = await attempt(true);
  return plain[1].kind === 'violation' ? plain : varied;
}
