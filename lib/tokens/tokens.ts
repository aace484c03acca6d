import type { Authorization } from '../client/exchange.ts';
import type { Scope } from '../contract/model.ts';
import { clientTokens } from './client-credentials.ts';
import { commandTokens } from './command-tokens.ts';
import { givenToken } from './given-token.ts';
import { parseToken } from './issued-token.ts';
import { mintedTokens } from './minted-tokens.ts';
import type { TokenMinter } from './token-minter.ts';
import type {
  KnownToken,
  TokenCapability,
  TokenSource,
  TokenSourceType,
  TokensOptions,
} from './token-source.ts';

/** All token sources, in the order in which they are tried. */
const tokenSources: readonly TokenSourceType[] = [mintedTokens, commandTokens, givenToken, clientTokens];

/** The flags of all sources that provide a capability. */
export function flagsFor(capability: TokenCapability): readonly string[] {
  return [...new Set(tokenSources.flatMap(({ flags }) => flags[capability] ?? []))];
}

/** Valid tokens, from all sources of a run. */
export interface Tokens {
  readonly capabilities: ReadonlySet<TokenCapability>;
  /**
   * A valid token that permits all these scopes: exactly these if the source can choose, otherwise any that includes them.
   * Undefined if no source has one. Throws TokenError.
   */
  permitting(scopes: readonly Scope[]): Promise<Authorization | undefined>;
  /** The tokens of the clients that are known to have certain scopes, one per client, with the names of these scopes. */
  known(): Promise<readonly KnownToken[]>;
  /** Drops all issued tokens, in case the target refuses one that should be valid. */
  invalidate(): void;
  /** The Authorization value for a token from elsewhere (the token endpoint), which is treated as a secret from now on. */
  remember(token: string): Authorization;
  /** Defined with a signing key. Mints valid and invalid tokens. */
  readonly minter: TokenMinter | undefined;
}

/**
 * Tokens from the sources that the options name, in the order of `tokenSources`. Rejects with TypeError for a signing key that
 * cannot be used. Fetches no token yet.
 */
export async function createTokens(options: TokensOptions): Promise<Tokens> {
  const sources: TokenSource[] = [];
  for (const type of tokenSources) {
    const source = await type.create(options);
    if (source !== undefined) sources.push(source);
  }
  return {
    capabilities: new Set(sources.flatMap(({ capabilities }) => capabilities)),
    minter: sources.find(({ minter }) => minter !== undefined)?.minter,
    invalidate() {
      for (const source of sources) source.forget?.();
    },
    remember(token) {
      options.driver.secrets.add(token);
      return parseToken(token, Number.POSITIVE_INFINITY).authorization;
    },
    async permitting(scopes) {
      for (const source of sources) {
        const authorization = await source.permitting(scopes);
        if (authorization !== undefined) return authorization;
      }
      return undefined;
    },
    known: async () => (await Promise.all(sources.map((source) => source.known?.() ?? []))).flat(),
  };
}
