import type { Cloud, Contract } from '../contract/model.ts';
import type { CheckpointCodec } from './checkpoint.ts';
import type { Clock } from './clock.ts';
import type { SigningKey, TrustedKey } from './keys.ts';
import type { LogEntry } from './log.ts';
import type { Client, Rules } from './rules.ts';
import { createTenant, type Tenant, type TenantDefaults } from './tenant.ts';
import type { TokenVerifier } from './verify.ts';

/** Everything that one fake is made of; nothing of it is shared with another. */
export interface State {
  readonly contract: Contract;
  readonly cloud: Cloud;
  readonly clock: Clock;
  readonly signingKey: SigningKey;
  readonly keys: readonly TrustedKey[];
  readonly clients: readonly Client[];
  readonly codec: CheckpointCodec;
  readonly verifier: TokenVerifier;
  readonly defaults: TenantDefaults;
  /** Replaced by a seed. */
  tenant: Tenant;
  /** Emptied by a seed. */
  log: LogEntry[];
  rules: Rules;
}

/** Replaces all data: logs are empty, earlier checkpoints void, the clock stays. @throws DataSetError */
export function seed(state: State, dataSet: unknown): void {
  state.tenant = createTenant(dataSet, state.tenant.seeds + 1, state.defaults);
  state.log = [];
}
