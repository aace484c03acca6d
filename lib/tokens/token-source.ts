import type { Driver } from '../client/driver.ts';
import type { Authorization } from '../client/exchange.ts';
import type { Scope } from '../contract/model.ts';
import type { TokenMinter, TokenMinterOptions } from './token-minter.ts';

/** Client credentials (RFC 6749, section 4.4). */
export interface ClientCredentials {
  /** Absolute URL of the token endpoint. */
  readonly tokenUrl: string;
  readonly id: string;
  readonly secret: string;
  readonly audience: string;
}

/** A client, with the scopes that it is known to have; undefined if only its token shows them. */
export interface KnownClient extends ClientCredentials {
  readonly scopes?: readonly string[];
}

/** A valid token of known scopes. */
export interface KnownToken {
  readonly client: string;
  readonly scopes: readonly string[];
  readonly authorization: Authorization;
}

/** Everything that tokens may come from. */
export interface TokensOptions extends TokenMinterOptions {
  readonly driver: Driver;
  /** An access token, a JSON Web Token or not. */
  readonly token?: string;
  readonly clients?: readonly KnownClient[];
  /** Shell command that prints a token. */
  readonly tokenCommand?: string;
}

/**
 * What tokens let the suite do: send some valid token, choose its scopes, know its scopes beforehand, choose its claims and
 * signature, or authenticate a client at the token endpoint.
 */
export type TokenCapability = 'token' | 'scopes' | 'known_scopes' | 'mint' | 'client';

/** Tokens of one origin. */
export interface TokenSource {
  readonly capabilities: readonly TokenCapability[];
  /** A valid token that permits all these scopes, or undefined. Throws TokenError. */
  permitting(scopes: readonly Scope[]): Promise<Authorization | undefined>;
  /** Forgets the tokens that were issued, so that the next ones are new. */
  forget?(): void;
  /** Tokens of clients whose scopes are known. */
  known?(): Promise<readonly KnownToken[]>;
  readonly minter?: TokenMinter;
}

/** A kind of token source: one module each, listed in `tokens.ts`. */
export interface TokenSourceType {
  /** For each capability that it can have, the flags (or profile keys) that give it. */
  readonly flags: Readonly<Partial<Record<TokenCapability, readonly string[]>>>;
  /** The source, or undefined without its options. Throws TypeError for options that can't be used. */
  create(options: TokensOptions): TokenSource | undefined | Promise<TokenSource>;
}

/** A source of tokens gave none; the message is one line, without secrets. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}
