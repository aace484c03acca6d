import { clientTokens } from './client-credentials.ts';
import { commandTokens } from './command-tokens.ts';
import { givenToken } from './given-token.ts';
import { mintedTokens } from './minted-tokens.ts';
import type { TokenCapability, TokenSourceType } from './token-source.ts';

/** All token sources, in the order in which they are asked for a token. */
export const tokenSources: readonly TokenSourceType[] = [
  mintedTokens,
  commandTokens,
  givenToken,
  clientTokens,
];

/** The flags that give a capability, of all sources. */
export function flagsFor(capability: TokenCapability): readonly string[] {
  return [...new Set(tokenSources.flatMap(({ flags }) => flags[capability] ?? []))];
}
