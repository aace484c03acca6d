import { flagsFor } from '../tokens/sources.ts';
import { type Capability, capabilities, type Target } from './target.ts';

/** For each need: what a target without it lacks, and the flags that would unlock it. */
const unlocks: Readonly<Record<Capability, { readonly lacks: string; readonly unlock: readonly string[] }>> =
  {
    token: {
      lacks: 'no valid token',
      unlock: flagsFor('token'),
    },
    scopes: { lacks: 'no tokens with chosen scopes', unlock: flagsFor('scopes') },
    known_scopes: {
      lacks: 'no tokens of known scopes',
      unlock: flagsFor('known_scopes'),
    },
    mint: { lacks: 'no tokens with chosen claims', unlock: flagsFor('mint') },
    client: { lacks: 'no client credentials', unlock: flagsFor('client') },
    seed: { lacks: 'the tenant cannot be filled with data', unlock: ['--control'] },
    data: { lacks: 'what the tenant holds is not known', unlock: ['--control'] },
    inspect: { lacks: "the tenant's data cannot be inspected", unlock: ['--control'] },
    clock: { lacks: "the target's clock cannot be moved", unlock: ['--control'] },
    checkpoint_age: {
      lacks: "the target's clock cannot be moved, and no earlier run kept checkpoints",
      unlock: ['--control', '--resume-checkpoints'],
    },
    logs: { lacks: 'the tenant logs cannot be read', unlock: ['--control', 'logs in the profile'] },
    write: { lacks: 'nothing may be changed (--read-only)', unlock: ['run without --read-only'] },
    action: { lacks: 'no action is known', unlock: ['--action-id', '--control'] },
    rate_limit_policy: {
      lacks: 'no rate limit policy may be deleted',
      unlock: ['--rate-limit-policy-id', '--control'],
    },
    self_service_profile: {
      lacks: 'no self-service profile is known',
      unlock: ['--self-service-profile-id', '--control'],
    },
  };

/** Why a target that lacks these needs can't be judged, and the flags that would change it. */
export interface Lack {
  readonly reason: string;
  readonly unlock: readonly string[];
}

/** What the target lacks of the needs, or undefined where it meets them all. */
export function lacking(target: Target, needs: readonly string[]): Lack | undefined {
  const has: ReadonlySet<string> = target.capabilities;
  if (needs.every((need) => has.has(need))) return undefined;
  const missing = capabilities.filter((each) => needs.includes(each) && !has.has(each));
  if (missing.length === 0) return undefined;
  const flags = missing.flatMap((need) =>
    unlocks[need].unlock.map((flag) => (flag === '--control' ? controlFlag(target, need) : flag)),
  );
  return {
    reason: missing.map((each) => unlocks[each].lacks).join('; '),
    unlock: [...new Set(flags)],
  };
}

/** Features of the control protocol that meet a need; for every other need it is seed. */
const controlFeatures: Partial<Record<Capability, 'inspect' | 'clock' | 'logs'>> = {
  inspect: 'inspect',
  clock: 'clock',
  checkpoint_age: 'clock',
  logs: 'logs',
};

/** `--control`, or where that was given already, why it is not enough. */
function controlFlag({ control }: Target, need: Capability): string {
  if (control === undefined) return '--control';
  const feature = controlFeatures[need] ?? 'seed';
  return control.supports.has(feature)
    ? 'run without --read-only'
    : `a control endpoint that supports ${feature}`;
}
