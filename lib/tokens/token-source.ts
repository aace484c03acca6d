import type { Driver } from '../client/driver.ts';
import type { Authorization } from '../client/exchange.ts';
import type { Scope } from '../contract/model.ts';
import type { TokenMinter, TokenMinterOptions } from './token-minter.ts';

/** Client credentials (RFC 6749, section 4.4). */
export interface ClientCredentials {
  /** Absolute URL of the token endpoint. */
  readonly tokenUrl: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly audience: string;
}

/** A client, with the scopes that it is known to have; undefined if only its token shows them. */
export interface KnownClient extends ClientCredentials {
  readonly scopes?: readonly string[];
}

/** A valid token of known scopes. */
export interface KnownToken {
  /** The client's id; `--token` for a token from the user. */
  readonly client: string;
  readonly scopes: readonly string[];
  readonly authorization: Authorization;
}

/** All sources of tokens. */
export interface TokensOptions extends TokenMinterOptions {
  readonly driver: Driver;
  /** An access token, which need not be a JSON Web Token. */
  readonly token?: string;
  readonly clients?: readonly KnownClient[];
  /** Shell command that prints a token. */
  readonly tokenCommand?: string;
}

/**
 * What the suite can do with tokens: send a valid token, choose its scopes, know its scopes, choose its claims, or authenticate a
 * client at the token endpoint.
 */
export type TokenCapability = 'token' | 'scopes' | 'known_scopes' | 'mint' | 'client';

/** A source of tokens. */
export interface TokenSource {
  readonly capabilities: readonly TokenCapability[];
  /** A valid token that permits all these scopes, or undefined. Throws TokenError. */
  permitting(scopes: readonly Scope[]): Promise<Authorization | undefined>;
  /** Drops issued tokens, so that the next ones are new. */
  forget?(): void;
  /** Tokens whose scopes are known. */
  known?(): Promise<readonly KnownToken[]>;
  readonly minter?: TokenMinter;
}

/** Thrown if a source cannot provide a token. The message is one line without secrets. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  /** What to do about it, in a sentence. */
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}
