/** Why a target does not meet a need, and the flags that would change that. */
interface CapabilityRow {
  readonly unmet: string;
  readonly requiredFlags: readonly string[];
  /** The feature of the control protocol that `--control` needs for it. Default: `seed`. */
  readonly feature?: 'inspect' | 'clock' | 'logs';
}

/** What the suite may be able to do with a target. The name of a resource means that the id of one is known. */
const table = {
  /** A valid token for the operation. */
  token: {
    unmet: 'no valid token',
    requiredFlags: ['--signing-key', '--token-command', '--token', '--client-id'],
  },
  /** A valid token with any scopes. */
  scopes: { unmet: 'no tokens with chosen scopes', requiredFlags: ['--signing-key', '--token-command'] },
  /** Valid tokens whose scopes are known: chosen, shown by the token, or named in the profile. */
  known_scopes: {
    unmet: 'no tokens with known scopes',
    requiredFlags: ['--signing-key', '--token-command', 'auth.clients with scopes in the profile'],
  },
  /** A validly signed token with any claims and header. */
  mint: { unmet: 'no tokens with chosen claims', requiredFlags: ['--signing-key'] },
  /** A client that the token endpoint knows. */
  client: { unmet: 'no client credentials', requiredFlags: ['--client-id', '--client-secret'] },
  seed: { unmet: 'the tenant cannot be seeded', requiredFlags: ['--control'] },
  inspect: {
    unmet: "the tenant's data cannot be inspected",
    requiredFlags: ['--control'],
    feature: 'inspect',
  },
  /** The tenant's data is known, because it can be seeded or inspected. */
  data: { unmet: "the tenant's data is not known", requiredFlags: ['--control'] },
  clock: { unmet: "the target's clock cannot be moved", requiredFlags: ['--control'], feature: 'clock' },
  /** Old checkpoints, by moving the clock or from an earlier run. */
  checkpoint_age: {
    unmet: "the target's clock cannot be moved, and no earlier run saved checkpoints",
    requiredFlags: ['--control', '--save-checkpoints', '--resume-checkpoints'],
    feature: 'clock',
  },
  logs: {
    unmet: 'the tenant logs cannot be read',
    requiredFlags: ['--control', 'logs in the profile'],
    feature: 'logs',
  },
  /** Not `--read-only`. */
  write: { unmet: 'nothing may be changed (--read-only)', requiredFlags: ['run without --read-only'] },
  action: { unmet: 'no action is known', requiredFlags: ['--action-id', '--control'] },
  rate_limit_policy: {
    unmet: 'no rate limit policy is left that may be deleted',
    requiredFlags: ['--rate-limit-policy-id', '--control'],
  },
  self_service_profile: {
    unmet: 'no self-service profile is known',
    requiredFlags: ['--self-service-profile-id', '--control'],
  },
} as const satisfies Readonly<Record<string, CapabilityRow>>;

export type Capability = keyof typeof table;

/** Each capability as a need of requirements. */
export const capabilityTable: Readonly<Record<Capability, CapabilityRow>> = table;

const isCapability = (name: string): name is Capability => Object.hasOwn(table, name);

/** All capabilities, in the order in which reports name them. */
export const capabilities: readonly Capability[] = Object.keys(table).filter(isCapability);

/** Capabilities that are lost if the control endpoint does not control the service's tenant. */
export const controlCapabilities: ReadonlySet<Capability> = new Set([
  'seed',
  'inspect',
  'data',
  'clock',
  'checkpoint_age',
  'logs',
]);
