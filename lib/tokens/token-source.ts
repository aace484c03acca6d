import type { Authorization } from '../client/exchange.ts';
import type { Scope } from '../contract/model.ts';
import type { TokenMinter } from './token-minter.ts';

/** Client credentials (RFC 6749, section 4.4). */
export interface ClientCredentials {
  /** Absolute URL of the token endpoint. */
  readonly tokenUrl: string;
  readonly id: string;
  readonly secret: string;
  readonly audience: string;
}

/** Where valid tokens come from. */
export interface Tokens {
  /**
   * A valid token that permits all these scopes: exactly these where the source can choose, otherwise any that holds
   * them. Undefined where the source has none such.
   */
  permitting(scopes: readonly Scope[]): Promise<Authorization | undefined>;
  /** The tokens of the clients that are known to have certain scopes, one a client, with the names of these scopes. */
  known(): Promise<readonly KnownToken[]>;
  /** Forgets all tokens that were issued to the suite, so that the next ones are new. */
  invalidate(): void;
  /** A token that came from elsewhere (the token endpoint), as the Authorization to send; it is a secret from now on. */
  remember(token: string): Authorization;
  /** Present with a signing key: any token whatever, good or bad. */
  readonly minter: TokenMinter | undefined;
}

/** A valid token of known scopes. */
export interface KnownToken {
  readonly client: string;
  readonly scopes: readonly string[];
  readonly authorization: Authorization;
}
