import { type Capability, capabilities, capabilityTable } from './capabilities.ts';
import type { Target } from './connect.ts';
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

function unmetOf(target: Target, missing: readonly Capability[]): Unmet {
  const flags = missing.flatMap((need) =>
    capabilityTable[need].requiredFlags.map((flag) =>
      flag === '--control' ? controlFlag(target, need) : flag,
    ),
  );
  return {
    reason: missing.map((each) => capabilityTable[each].unmet).join('; '),
    requiredFlags: [...new Set(flags)],
  };
}

/** `--control`; if it was given already, what else is needed. */
function controlFlag({ control }: Target, need: Capability): string {
  if (control === undefined) return '--control';
  const { feature = 'seed' } = capabilityTable[need];
  return control.supports.has(feature)
    ? 'run without --read-only'
    : `a control endpoint that supports ${feature}`;
}
