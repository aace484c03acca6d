import { tokenFlags } from '../tokens/tokens.ts';
import { type Capability, capabilities, type Target } from './target.ts';
import { NotJudged } from './verdict.ts';

/** For each need, why a target does not meet it, and the flags that would change that. */
const descriptions: Readonly<
  Record<Capability, { readonly unmet: string; readonly requiredFlags: readonly string[] }>
> = {
  token: {
    unmet: 'no valid token',
    requiredFlags: tokenFlags.token,
  },
  scopes: { unmet: 'no tokens with chosen scopes', requiredFlags: tokenFlags.scopes },
  known_scopes: {
    unmet: 'no tokens of known scopes',
    requiredFlags: tokenFlags.known_scopes,
  },
  mint: { unmet: 'no tokens with chosen claims', requiredFlags: tokenFlags.mint },
  client: { unmet: 'no client credentials', requiredFlags: tokenFlags.client },
  seed: { unmet: 'the tenant cannot be filled with data', requiredFlags: ['--control'] },
  data: { unmet: 'the data of the tenant is not known', requiredFlags: ['--control'] },
  inspect: { unmet: "the tenant's data cannot be inspected", requiredFlags: ['--control'] },
  clock: { unmet: "the target's clock cannot be moved", requiredFlags: ['--control'] },
  checkpoint_age: {
    unmet: "the target's clock cannot be moved, and no earlier run saved checkpoints",
    requiredFlags: ['--control', '--resume-checkpoints'],
  },
  logs: { unmet: 'the tenant logs cannot be read', requiredFlags: ['--control', 'logs in the profile'] },
  write: { unmet: 'nothing may be changed (--read-only)', requiredFlags: ['run without --read-only'] },
  action: { unmet: 'no action is known', requiredFlags: ['--action-id', '--control'] },
  rate_limit_policy: {
    unmet: 'no rate limit policy may be deleted',
    requiredFlags: ['--rate-limit-policy-id', '--control'],
  },
  self_service_profile: {
    unmet: 'no self-service profile is known',
    requiredFlags: ['--self-service-profile-id', '--control'],
  },
};

/** Why a target does not meet some needs, and the flags that would change that. */
export interface Unmet {
  readonly reason: string;
  readonly requiredFlags: readonly string[];
}

/** The needs that the target does not meet; undefined if it meets them all. */
export function unmetNeeds(target: Target, needs: readonly string[]): Unmet | undefined {
  const has: ReadonlySet<string> = target.capabilities;
  if (needs.every((need) => has.has(need))) return undefined;
  const missing = capabilities.filter((each) => needs.includes(each) && !has.has(each));
  if (missing.length === 0) return undefined;
  const flags = missing.flatMap((need) =>
    descriptions[need].requiredFlags.map((flag) => (flag === '--control' ? controlFlag(target, need) : flag)),
  );
  return {
    reason: missing.map((each) => descriptions[each].unmet).join('; '),
    requiredFlags: [...new Set(flags)],
  };
}

/** Throws NotJudged, because the target does not meet the need. */
export function throwUnmet(target: Target, need: Capability): never {
  const unmet = unmetNeeds({ ...target, capabilities: new Set() }, [need]);
  throw new NotJudged(unmet?.reason ?? need, unmet?.requiredFlags ?? []);
}

/** Capabilities that are lost if the control endpoint does not control the service's tenant. */
export const controlCapabilities: ReadonlySet<Capability> = new Set([
  'seed',
  'inspect',
  'data',
  'clock',
  'logs',
]);

/** The feature of the control protocol that meets a need; `seed` meets every other need. */
const controlFeatures: Partial<Record<Capability, 'inspect' | 'clock' | 'logs'>> = {
  inspect: 'inspect',
  clock: 'clock',
  checkpoint_age: 'clock',
  logs: 'logs',
};

/** `--control`; if it was given already, what else is needed. */
function controlFlag({ control }: Target, need: Capability): string {
  if (control === undefined) return '--control';
  const feature = controlFeatures[need] ?? 'seed';
  return control.supports.has(feature)
    ? 'run without --read-only'
    : `a control endpoint that supports ${feature}`;
}
