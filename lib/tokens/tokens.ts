import type { Authorization } from '../client/exchange.ts';
import { isObject } from '../contract/json.ts';
import type { Scope } from '../contract/model.ts';
import { clientTokens } from './client-credentials.ts';
import { commandTokens } from './command-tokens.ts';
import { knownToken, parseToken, tokenPermits } from './issued-token.ts';
import { createTokenAlterer } from './token-alterer.ts';
import { createTokenMinter } from './token-minter.ts';
import type { TokenSource, TokensOptions } from './token-source.ts';

/** Valid tokens, from all sources of a run. */
export type Tokens = Awaited<ReturnType<typeof createTokens>>;

/**
 * Tokens from the sources that the options name. The first that has one gives a token. Rejects with TypeError for a signing key that
 * cannot be used, and for a token that has expired. Fetches no token yet.
 */
export async function createTokens(options: TokensOptions) {
  const { driver, clock, token, tokenCommand, clients = [] } = options;
  const sources: TokenSource[] = [];
  if (options.signingKey !== undefined) sources.push(await mintedTokens(options));
  if (tokenCommand !== undefined) sources.push(commandTokens(tokenCommand, options));
  if (token !== undefined) sources.push(givenToken(token, options));
  if (clients.length > 0) sources.push(clientTokens(clients, options));
  return {
    capabilities: new Set(sources.flatMap(({ capabilities }) => capabilities)),
    /** Defined with a signing key. Mints valid and invalid tokens. */
    minter: sources.find(({ minter }) => minter !== undefined)?.minter,
    /** The valid token, which can be altered; undefined if it is not a JSON Web Token. */
    alterable: createTokenAlterer(clock),
    /** Drops all issued tokens, in case the target refuses one that should be valid. */
    invalidate() {
      for (const source of sources) source.forget?.();
    },
    /** The Authorization value for a token from elsewhere (the token endpoint), which is treated as a secret from now on. */
    remember(token: string): Authorization {
      driver.secrets.add(token);
      return parseToken(token, Number.POSITIVE_INFINITY).authorization;
    },
    /**
     * A valid token that permits all these scopes: exactly these if the source can choose, otherwise any that includes them.
     * Undefined if no source has one. Throws TokenError.
     */
    async permitting(scopes: readonly Scope[]): Promise<Authorization | undefined> {
      for (const source of sources) {
        const authorization = await source.permitting(scopes);
        if (authorization !== undefined) return authorization;
      }
      return undefined;
    },
    /** The tokens of known scopes, one per client. */
    known: async () => (await Promise.all(sources.map((source) => source.known?.() ?? []))).flat(),
  };
}

/** Tokens that the suite signs itself. */
async function mintedTokens(options: TokensOptions): Promise<TokenSource> {
  const minter = await createTokenMinter(options);
  // The private members of the key (RFC 7518, section 6; RFC 8037, section 2).
  for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi']) {
    const value = isObject(options.signingKey) ? options.signingKey[name] : undefined;
    if (typeof value === 'string') options.driver.secrets.add(value, '$SIGNING_KEY');
  }
  return {
    capabilities: ['token', 'scopes', 'known_scopes', 'mint'],
    minter,
    permitting: (scopes) => minter.sign(minter.claims(scopes)),
  };
}

/** A token from the user. It cannot be renewed. @throws TypeError if it has expired */
function givenToken(token: string, { clock, driver }: TokensOptions): TokenSource {
  driver.secrets.add(token);
  const given = parseToken(token, Number.POSITIVE_INFINITY);
  if (given.expiresAt <= clock.now())
    throw new TypeError(`--token expired at ${new Date(1000 * given.expiresAt).toISOString()}`);
  const known = knownToken('--token', given);
  return {
    capabilities: known === undefined ? ['token'] : ['token', 'known_scopes'],
    permitting: async (scopes) =>
      tokenPermits(given, scopes) && given.expiresAt > clock.now() ? given.authorization : undefined,
    known: async () => (known === undefined || given.expiresAt <= clock.now() ? [] : [known]),
  };
}
