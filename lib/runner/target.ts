import type { Driver, SendOptions } from '../client/driver.ts';
import type { Exchange, Request } from '../client/exchange.ts';
import type { Resources } from '../contract/data-set.ts';
import type { Cloud, Contract } from '../contract/model.ts';
import type { Control, Logs } from '../control/control.ts';
import type { Clock } from '../tokens/clock.ts';
import type { ClientCredentials } from '../tokens/token-source.ts';
import type { Tokens } from '../tokens/tokens.ts';
import type { Capability } from './capabilities.ts';

/** The server under test, and everything needed to reach it. */
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
  /** The target's time, which moves with `control.moveClock`. */
  readonly clock: Clock;
  /** The tenant's logs, from the control protocol or the tenant's own endpoint. */
  readonly logs: Logs | undefined;
  readonly resources: Resources;
  /**
   * Sends one request. Never throws because of the target: a broken connection is an exchange with a `failure`. Rejects once the
   * signal is aborted.
   */
  readonly send: (request: Request, options?: SendOptions) => Promise<Exchange>;
  /** Sends requests out of band, and knows the secrets of the run. */
  readonly driver: Driver;
  /** Closes all sockets. */
  close(): Promise<void>;
}
