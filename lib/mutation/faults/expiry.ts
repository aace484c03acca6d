import type { JsonObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import { override } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { refusedWith } from './parts.ts';
import { onCustomText, onDelete, onGet, onPut, type Where } from './where.ts';

/** Section 7: when a token has expired. */

/** Lets these expired tokens in. */
const outlives = (
  name: string,
  requirement: string,
  description: string,
  lives: (exp: number, call: Call, claims: JsonObject) => boolean,
): Fault => ({
  name,
  requirement,
  description,
  rules: (rules) =>
    override(rules, 'token', (usual) => ({
      isExpired: (exp, call, claims) =>
        usual.isExpired(exp, call, claims) && !(typeof exp === 'number' && lives(exp, call, claims)),
    })),
});

/** Lets tokens in for so many seconds after their expiry. */
const leeway = (name: string, requirement: string, description: string, seconds: number): Fault =>
  outlives(name, requirement, description, (exp, { now }) => now < (exp + seconds) * 1000);

/** An expired token is refused with another status. */
const expiredWith = (
  name: string,
  requirement: string,
  description: string,
  status: number,
  where: Where,
): Fault => ({
  name,
  requirement,
  description,
  rules: refusedWith(/^expired_token$/, status, where),
});

const seconds = ({ now }: Call): number => now / 1000;
const hour = 3600;
const day = 24 * hour;

/** Lets tokens in as long as it remembers them. */
const remembering = (
  name: string,
  description: string,
  good: (seenAt: number, call: Call) => boolean,
): Fault => ({
  name,
  requirement: '7/expires-with-time',
  description,
  rules(rules) {
    const seen = new Map<string, number>();
    return override(rules, 'token', (usual) => ({
      isExpired(exp, call, claims) {
        const key = call.headers.authorization ?? '';
        const seenAt = seen.get(key);
        if (seenAt !== undefined && good(seenAt, call)) return false;
        const expired = usual.isExpired(exp, call, claims);
        if (!expired) seen.set(key, call.now);
        return expired;
      },
    }));
  },
});

/** Faults of section 7 about expiry. */
export const expiryFaults: readonly Fault[] = [
  leeway('leeway-six-minutes', '7/expired-minutes', 'Tokens live six minutes too long.', 360),
  leeway('leeway-half-an-hour', '7/expired-minutes', 'Tokens live half an hour too long.', hour / 2),
  outlives(
    'expiry-by-issue',
    '7/expired-minutes',
    'A token lives for two hours from iat, whatever its exp says.',
    (_exp, call, { iat }) => typeof iat === 'number' && seconds(call) < iat + 2 * hour,
  ),
  outlives(
    'expiry-rounded-to-hours',
    '7/expired-minutes',
    'exp is compared in whole hours, rounded up, on deletion.',
    (exp, call) => onDelete(call) && seconds(call) < Math.ceil(exp / hour + 0.5) * hour,
  ),
  leeway('leeway-two-hours', '7/expired-hour', 'exp is read as local time, two hours to the east.', 2 * hour),
  leeway('leeway-day', '7/expired-hour', 'exp is compared by its date.', day),
  outlives('expiry-ignored', '7/expired-hour', 'The expiry is not verified.', () => true),
  outlives('expiry-ignored-on-get', '7/expired-hour', 'Reading does not verify the expiry.', (_exp, call) =>
    onGet(call),
  ),
  outlives(
    'expiry-ignored-on-custom-text',
    '7/expired-hour',
    'The custom text is read by expired tokens.',
    (_exp, call) => onCustomText(call),
  ),
  outlives(
    'expiry-ignored-on-update',
    '7/expired-hour',
    'The update does not verify the expiry.',
    (_exp, call) => onPut(call),
  ),
  outlives(
    'expiry-in-milliseconds',
    '7/expired-year',
    'exp, made milliseconds, is compared with a now in seconds.',
    (exp, call) => exp * 1000 > seconds(call),
  ),
  outlives(
    'expired-long-ago',
    '7/expired-year',
    'Of expired tokens a list is kept, of the last 90 days.',
    (exp, call) => seconds(call) - exp > 90 * day,
  ),
  outlives(
    'expired-in-another-year',
    '7/expired-year',
    'The expiry is compared without its year, on deletion.',
    (exp, call) =>
      onDelete(call) && new Date(exp * 1000).getUTCFullYear() < new Date(call.now).getUTCFullYear(),
  ),
  expiredWith('expired-403', '7/expired-hour', 'An expired token is answered 403.', 403, () => true),
  expiredWith(
    'expired-400-on-update',
    '7/expired-hour',
    'The update answers 400 to an expired token.',
    400,
    onPut,
  ),
  remembering('token-cached-for-good', 'A token that was accepted once is accepted for good.', () => true),
  remembering(
    'token-cached-for-a-day',
    'A token that was accepted is accepted for a day, whatever its exp.',
    (seenAt, { now }) => now - seenAt < day * 1000,
  ),
  remembering(
    'token-cached-on-delete',
    'Deletion accepts a token that it has accepted before.',
    (_seenAt, call) => onDelete(call),
  ),
  outlives(
    'expiry-by-another-clock',
    '7/expires-with-time',
    'Tokens are verified by a clock that does not move with the rest of the service.',
    (exp, call) => exp > seconds(call) - call.clockOffset,
  ),
  outlives(
    'expiry-ignored-after-clock-move',
    '7/expires-with-time',
    'Once the clock was set forward, expiry is no longer verified.',
    (_exp, call) => call.clockOffset > 0,
  ),
];
