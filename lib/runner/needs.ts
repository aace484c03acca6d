import { type Capability, capabilities, capabilityTable } from './capabilities.ts';
import type { Target } from './connect.ts';
import type { CheckResult } from './result.ts';
import { NotJudged } from './verdict.ts';

/** Why a target does not meet some needs, and the flags that would change that. */
export interface Unmet {
  readonly reason: string;
  readonly requiredFlags: readonly string[];
}

/** The needs that the target does not meet; undefined if it meets them all. */
export function unmetNeeds(target: Target, needs: readonly Capability[]): Unmet | undefined {
  const missing = capabilities.filter((each) => needs.includes(each) && !target.capabilities.has(each));
  return missing.length === 0 ? undefined : unmetOf(target, missing);
}

/** Throws NotJudged, because the target does not meet the need. */
export function throwUnmet(target: Target, need: Capability): never {
  const { reason, requiredFlags } = unmetOf(target, [need]);
  throw new NotJudged(reason, requiredFlags);
}

/** The result; if it was not judged, with the flags that are still missing. */
export function withMissingFlags(target: Target, result: CheckResult): CheckResult {
  if (result.kind !== 'not-judged') return result;
  return { ...result, requiredFlags: result.requiredFlags.map((flag) => missingFlag(target, flag, 'data')) };
}

function unmetOf(target: Target, missing: readonly Capability[]): Unmet {
  const flags = missing.flatMap((need) =>
    capabilityTable[need].requiredFlags.map((flag) => missingFlag(target, flag, need)),
  );
  return {
    reason: missing.map((each) => capabilityTable[each].unmet).join('; '),
    requiredFlags: [...new Set(flags)],
  };
}

/** The flag; if it is `--control`, which was given already, what else is needed. */
function missingFlag({ capabilities, control }: Target, flag: string, need: Capability): string {
  if (flag !== '--control' || control === undefined) return flag;
  const { feature = 'seed' } = capabilityTable[need];
  if (!control.supports.has(feature)) return `a control endpoint that supports ${feature}`;
  return capabilities.has('write') ? '--data with more data' : 'run without --read-only';
}
