import type { Exchange, Request } from '../client/exchange.ts';
import type { Send } from '../client/request-group.ts';
import type { Resources } from '../contract/data-set.ts';
import type { Cloud, Contract } from '../contract/model.ts';
import type { Control, Logs } from '../control/control.ts';
import type { ClientCredentials } from '../tokens/token-source.ts';
import type { Tokens } from '../tokens/tokens.ts';

/** What the suite may be able to do to a target. A resource's name stands for knowing one by its id. */
export const capabilities = [
  /** Some valid token for the operation. */
  'token',
  /** A valid token with any scopes. */
  'scopes',
  /** Valid tokens whose scopes are known beforehand. */
  'known_scopes',
  /** A token with any claims, header and signature. */
  'mint',
  /** A client that the token endpoint knows. */
  'client',
  'seed',
  'inspect',
  /** Knowing what the tenant contains, by seeding or inspecting it. */
  'data',
  'clock',
  /** Checkpoints of an age that matters: by moving the clock, or saved by an earlier run. */
  'checkpoint_age',
  'logs',
  /** Not `--read-only`. */
  'write',
  'action',
  'rate_limit_policy',
  'self_service_profile',
] as const;
export type Capability = (typeof capabilities)[number];

/** The server under test, with everything that the run was given to reach it. */
export interface Target {
  readonly contract: Contract;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly cloud: Cloud;
  readonly capabilities: ReadonlySet<Capability>;
  readonly tokens: Tokens;
  /** The client whose credentials the token requirements use. */
  readonly client: ClientCredentials | undefined;
  readonly control: Control | undefined;
  /** The tenant's logs, by the control protocol or by an endpoint of the tenant's own. */
  readonly logs: Logs | undefined;
  readonly resources: Resources;
  /** Sends one request. Never throws for what the target does: a broken connection is an exchange with a `failure`. */
  readonly send: Send;
  /** Sends one request out of band: at once, neither counted nor recorded. */
  readonly call: (request: Request) => Promise<Pick<Exchange, 'response' | 'failure'>>;
  /** The text without the secrets of the run. */
  readonly scrub: (text: string) => string;
  /** Ends all sockets. */
  close(): Promise<void>;
}
