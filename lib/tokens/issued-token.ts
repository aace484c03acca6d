import type { Authorization } from '../client/exchange.ts';
import type { Scope } from '../contract/model.ts';
import type { Clock } from './clock.ts';
import { decodeJwt, permittedScopes } from './jwt.ts';

/** Seconds that a token is requested for, and assumed to be valid if nothing says how long. */
export const assumedLifetime = 3600;

/** Seconds before its expiry at which a token is renewed. */
const renewalMargin = 30;

/** A token that the suite did not mint. */
export interface IssuedToken {
  readonly authorization: Authorization;
  /** The scopes it permits; undefined if unknown, and then it is taken to permit everything. */
  readonly scopes: ReadonlySet<string> | undefined;
  /** Seconds since the epoch, by the target's clock. */
  readonly expiresAt: number;
}

/** @param expiresAt for a token that does not say it itself */
export function parseToken(token: string, expiresAt: number): IssuedToken {
  const decoded = decodeJwt(token);
  const exp = decoded?.claims.exp;
  return {
    authorization: { value: `Bearer ${token}`, ...decoded },
    scopes: decoded && permittedScopes(decoded.claims),
    expiresAt: typeof exp === 'number' ? exp : expiresAt,
  };
}

/** True if the token permits all these scopes, as far as is known. */
export function permits(token: IssuedToken, scopes: readonly Scope[]): boolean {
  return token.scopes === undefined || scopes.every(({ name }) => token.scopes?.has(name));
}

/**
 * Tokens by name, fetched once however many callers ask at the same time, and again shortly before they expire or when the target's
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
    // Of several callers that found the same old token, the first renews it.
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
