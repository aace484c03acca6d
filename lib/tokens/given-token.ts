import { parseToken, permits } from './issued-token.ts';
import type { TokenSourceType } from './token-source.ts';

/** A token from the user. It cannot be renewed. */
export const givenToken: TokenSourceType = {
  flags: { token: ['--token'] },
  create({ token, clock, driver }) {
    if (token === undefined) return undefined;
    driver.secrets.add(token);
    const given = parseToken(token, Number.POSITIVE_INFINITY);
    return {
      capabilities: ['token'],
      permitting: async (scopes) =>
        permits(given, scopes) && given.expiresAt > clock.now() ? given.authorization : undefined,
    };
  },
};
