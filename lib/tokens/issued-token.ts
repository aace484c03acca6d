import type { Authorization } from '../client/exchange.ts';
import { isObject } from '../contract/json.ts';
import type { Scope } from '../contract/model.ts';
import type { Clock } from './clock.ts';
import { decodeJwt, permittedScopes } from './jwt.ts';
import type { KnownToken } from './token-source.ts';

/** The requested lifetime of a token in seconds, and the assumed one if it is unknown. */
export const assumedLifetime = 3600;

/** Seconds before expiry at which a token is renewed. */
const renewalMargin = 30;

/** A token that the suite did not mint. */
export interface IssuedToken {
  readonly authorization: Authorization;
  /** The scopes that it permits; undefined if unknown: it is then assumed to permit everything. */
  readonly scopes: ReadonlySet<string> | undefined;
  /** Seconds since the epoch, by the target's clock. */
  readonly expiresAt: number;
}

/** @param expiresAt expiry of a token that has no `exp` */
export function parseToken(token: string, expiresAt: number): IssuedToken {
  const decoded = decodeJwt(token);
  const exp = decoded?.claims.exp;
  return {
    authorization: { value: `Bearer ${token}`, ...decoded },
    scopes: decoded && permittedScopes(decoded.claims),
    expiresAt: typeof exp === 'number' ? exp : expiresAt,
  };
}

/**
 * The token of a client with its scopes: those of its `scopes` map, which the server uses, else those that the user has named.
 * Undefined if they are unknown.
 */
export function knownToken(
  client: string,
  { authorization, scopes }: IssuedToken,
  named?: readonly string[],
): KnownToken | undefined {
  if (!isObject(authorization.claims?.scopes) && named === undefined) return undefined;
  return { client, scopes: [...(scopes ?? named ?? [])], authorization };
}

/** True if the token permits all these scopes, or if its scopes are unknown. */
export function tokenPermits(token: IssuedToken, scopes: readonly Scope[]): boolean {
  return token.scopes === undefined || scopes.every(({ name }) => token.scopes?.has(name));
}

/**
 * Tokens by name. Concurrent callers share one fetch. A token is fetched again shortly before it expires, or when the target's
 * clock has been moved.
 */
export class TokenCache {
  readonly #tokens = new Map<string, Promise<IssuedToken>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(name: string, fetch: () => Promise<IssuedToken>): Promise<IssuedToken> {
    const key = `${this.#clock.offsetSeconds} ${name}`;
    const pending = this.#tokens.get(key);
    const cached = await pending;
    if (cached !== undefined && cached.expiresAt - renewalMargin > this.#clock.now()) return cached;
    // If several callers find the same old token, the first one renews it.
    const current = this.#tokens.get(key);
    if (current !== undefined && current !== pending) return current;
    const fetched = fetch();
    this.#tokens.set(key, fetched);
    fetched.catch(() => {
      if (this.#tokens.get(key) === fetched) this.#tokens.delete(key);
    });
    return fetched;
  }

  clear(): void {
    this.#tokens.clear();
  }
}
