import type { RulesOverride } from './rules.ts';
import { override } from './rules.ts';

/** A fixed window: so many requests in so many seconds, the rest is answered 429 with Retry-After. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** The override that limits the rate, by the real clock. */
export function limitRate({ requests, seconds }: RateLimit, now: () => number = Date.now): RulesOverride {
  let windowStart = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (rules) =>
    override(rules, 'rate', {
      retryAfter() {
        const at = now();
        if (at - windowStart >= seconds * 1000) {
          windowStart = at;
          used = 0;
        }
        used += 1;
        return used > requests ? Math.ceil((windowStart + seconds * 1000 - at) / 1000) : undefined;
      },
    });
}
