import type { JsonObject } from '../contract/json.ts';
import type { Cloud, Contract } from '../contract/model.ts';
import type { Call } from './call.ts';
import type { CheckpointCodec } from './checkpoint.ts';
import type { Clock } from './clock.ts';
import type { FakeSigningKey, TrustedKey } from './keys.ts';
import { basePath } from './routes.ts';
import type { Client, Rules } from './rules.ts';
import { createTenant, type LogEntry, type PhoneTemplates, type Tenant } from './tenant.ts';

/** The state of one fake. Fakes share none of it. */
export interface State {
  readonly contract: Contract;
  readonly cloud: Cloud;
  readonly clock: Clock;
  readonly signingKey: FakeSigningKey;
  readonly keys: readonly TrustedKey[];
  readonly clients: readonly Client[];
  readonly codec: Pick<CheckpointCodec, 'encode' | 'decode'>;
  /** The claims of verified tokens, by the name under which each is remembered. */
  readonly verified: Map<string, JsonObject>;
  /** The contract's default messages. */
  readonly defaultTemplates: PhoneTemplates;
  /** Audiences that are accepted in addition to the contract's. */
  readonly audiences: readonly string[];
  /** Replaced by a seed. */
  tenant: Tenant;
  /** Emptied by a seed. */
  log: LogEntry[];
  rules: Rules;
}

/** Replaces all data, empties the logs and invalidates checkpoints; the clock stays. @throws DataSetError */
export function seed(state: State, dataSet: unknown): void {
  state.tenant = createTenant(dataSet, state.tenant.seeds + 1, state.defaultTemplates);
  state.log = [];
}

/** The audiences of this service: the contract's, as it is and resolved against each origin, and those of the options. */
export function audiencesOf(
  call: Pick<Call, 'origin' | 'headers'>,
  { contract, audiences }: State,
): string[] {
  const audience = ownAudience(contract);
  return [audience, ...audiences, ...originsOf(call).map((origin) => `${origin}${audience}`)];
}

/** The contract's audience: `/api/v2/`. */
export function ownAudience({ tokenEndpoint }: Contract): string {
  return tokenEndpoint?.audience ?? `${basePath}/`;
}

/** The origins by which a client may know this host. Not parsed: a Host that is not one matches nothing. */
export function originsOf({ origin, headers: { host = '' } }: Pick<Call, 'origin' | 'headers'>): string[] {
  const name = host.toLowerCase();
  return [origin, `https://${name}`, `http://${name}`];
}
