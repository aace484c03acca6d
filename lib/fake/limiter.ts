import type { Call } from './call.ts';
import { override, type RulesOverride } from './rules.ts';

/** A fixed window: this many requests in this many seconds. Further requests get 429 with Retry-After. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** The override that limits the rate by the fake's clock and adds `X-RateLimit-Limit`, `-Remaining` and `-Reset` to every response. */
export function limitRate({ requests, seconds }: RateLimit): RulesOverride {
  let windowEnd = Number.NEGATIVE_INFINITY;
  let used = 0;
  const headers = (): [string, string][] => [
    ['X-RateLimit-Limit', String(requests)],
    ['X-RateLimit-Remaining', String(Math.max(0, requests - used))],
    ['X-RateLimit-Reset', String(Math.ceil(windowEnd / 1000))],
  ];
  const count = ({ now }: Call): number | undefined => {
    // A clock that was moved back also starts a new window.
    if (now >= windowEnd || now < windowEnd - seconds * 1000) {
      windowEnd = now + seconds * 1000;
      used = 0;
    }
    used += 1;
    return used > requests ? Math.ceil((windowEnd - now) / 1000) : undefined;
  };
  return (rules) =>
    override(override(rules, 'rate', { retryAfter: count }), 'responses', ({ response: answer }) => ({
      response(response, call) {
        const usual = answer(response, call);
        return { ...usual, headers: [...usual.headers, ...headers()] };
      },
    }));
}
