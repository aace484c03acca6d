import { isObject } from '../contract/json.ts';
import { createTokenMinter } from './token-minter.ts';
import type { TokenSource, TokenSourceType, TokensOptions } from './token-source.ts';

const flag = ['--signing-key'];

/** Tokens that the suite signs itself. */
export const mintedTokens: TokenSourceType = {
  flags: { token: flag, scopes: flag, known_scopes: flag, mint: flag },
  create: (options) => (options.signingKey === undefined ? undefined : mint(options)),
};

async function mint(options: TokensOptions): Promise<TokenSource> {
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
