import type { Call } from '../../fake/call.ts';
import { override } from '../../fake/rules.ts';
import type { Fault } from '../fault.ts';
import { refusedWith } from './parts.ts';
import {
  headerOf,
  onCustomText,
  onDelete,
  onExperiments,
  onGet,
  onPut,
  onVersions,
  permitting,
  type Where,
} from './where.ts';

/** Section 5, items 1 and 2: how a token is carried, and what is no token at all. */

const authorization = ({ headers }: Call): string => headers.authorization ?? '';
const bearer = (call: Call): string => /^bearer +(.*)$/i.exec(authorization(call))?.[1] ?? '';

/** Requests whose credentials are none that the service knows are let in where this holds. */
const letsIn = (name: string, requirement: string, description: string, where: Where): Fault => ({
  name,
  requirement,
  description,
  rules: (rules) =>
    override(rules, 'token', (usual) => ({
      sent: (call) => (where(call) ? undefined : usual.sent(call)),
      anonymous: (call) => (where(call) ? permitting(call, rules) : usual.anonymous(call)),
    })),
});

/** The token is read from another place too. */
const readsToken = (
  name: string,
  requirement: string,
  description: string,
  read: (call: Call) => string | undefined,
): Fault => ({
  name,
  requirement,
  description,
  rules: (rules) => override(rules, 'token', (usual) => ({ sent: (call) => usual.sent(call) ?? read(call) })),
});

/** A refusal for the credentials has another status where this holds. */
const answersWith = (
  name: string,
  requirement: string,
  description: string,
  status: number,
  where: Where,
): Fault => ({
  name,
  requirement,
  description,
  rules: refusedWith(/^(missing|malformed)_token$/, status, where),
});

const without: Where = ({ headers }) => headers.authorization === undefined;
const otherScheme: Where = (call) => !without(call) && !/^bearer /i.test(authorization(call));
const parts = (call: Call): number => bearer(call).split('.').length;
const garbage: Where = (call) => bearer(call) !== '' && parts(call) !== 3;
const threeParts: Where = (call) => parts(call) === 3 && headerOf(bearer(call)).alg === undefined;

const query = (name: string, { query: pairs }: Call): string | undefined =>
  pairs?.find(([each]) => each === name)?.[1];
const cookie = (name: string, { headers }: Call): string | undefined =>
  new RegExp(`(?:^|; *)${name}=([^;]*)`, 'i').exec(headers.cookie ?? '')?.[1];

const validToken: readonly Fault[] = [
  {
    name: 'token-refused-on-delete',
    requirement: '5.1/valid-token',
    description: 'The deletion finds no token in a header that carries one.',
    rules: (rules) =>
      override(rules, 'token', (usual) => ({
        sent: (call) => (onDelete(call) ? undefined : usual.sent(call)),
      })),
  },
  {
    name: 'token-forbidden-on-custom-text',
    requirement: '5.1/valid-token',
    description: 'The custom text can be read by no token.',
    rules: (rules) =>
      override(rules, 'scopes', (usual) => ({
        permits: (claim, scope, claims, call) =>
          !onCustomText(call) && usual.permits(claim, scope, claims, call),
      })),
  },
];

const carried: readonly Fault[] = [
  letsIn('anonymous', '5.1/no-header', 'A request without a token is served.', without),
  letsIn('anonymous-get', '5.1/no-header', 'Reading needs no token.', (call) => without(call) && onGet(call)),
  letsIn(
    'anonymous-delete',
    '5.1/no-header',
    'Deleting needs no token.',
    (call) => without(call) && onDelete(call),
  ),
  letsIn(
    'anonymous-custom-text',
    '5.1/no-header',
    'Custom text, which a login page shows, is public.',
    (call) => without(call) && onCustomText(call),
  ),
  answersWith(
    'login-redirect',
    '5.1/no-header',
    'A request without a token is led to a login page.',
    302,
    without,
  ),
  answersWith(
    'no-header-403',
    '5.1/no-header-401',
    'A request without a token is answered 403.',
    403,
    without,
  ),
  answersWith(
    'no-header-404-on-get',
    '5.1/no-header-401',
    'What needs a token is hidden from a reader without one.',
    404,
    (call) => without(call) && onGet(call),
  ),

  readsToken(
    'any-scheme',
    '5.1/other-scheme',
    'The scheme before the token is not looked at.',
    (call) => authorization(call).split(' ')[1],
  ),
  readsToken(
    'bare-token',
    '5.1/other-scheme',
    'A token that stands in the header alone, without a scheme, is taken.',
    (call) => /^\S+$/.exec(authorization(call))?.[0],
  ),
  readsToken(
    'jwt-scheme',
    '5.1/other-scheme',
    'The scheme JWT is taken for Bearer.',
    (call) => /^JWT (\S+)$/.exec(authorization(call))?.[1],
  ),
  letsIn(
    'basic-unchecked',
    '5.1/other-scheme',
    'Basic credentials are left to a proxy that is not there.',
    (call) => /^basic /i.test(authorization(call)),
  ),
  letsIn(
    'digest-unchecked',
    '5.1/other-scheme',
    'A header of a scheme that is not known is taken for no header, and deletion is open.',
    (call) => otherScheme(call) && onDelete(call),
  ),
  answersWith(
    'other-scheme-403',
    '5.1/other-scheme-401',
    'Credentials of another scheme are answered 403.',
    403,
    otherScheme,
  ),
  answersWith(
    'other-scheme-400',
    '5.1/other-scheme-401',
    'Credentials of another scheme than Bearer are a malformed header on the update.',
    400,
    (call) => otherScheme(call) && onPut(call),
  ),

  readsToken(
    'token-in-query',
    '5.1/token-in-query',
    'The token may stand in the query (RFC 6750, section 2.3).',
    (call) => query('access_token', call),
  ),
  readsToken('token-in-query-get', '5.1/token-in-query', 'Reading takes the token from the query.', (call) =>
    onGet(call) ? query('access_token', call) : undefined,
  ),
  readsToken('token-in-query-delete', '5.1/token-in-query', 'Deleting takes ?token=.', (call) =>
    onDelete(call) ? query('token', call) : undefined,
  ),
  readsToken('token-in-cookie', '5.1/token-in-cookie', 'The token may stand in a cookie.', (call) =>
    cookie('access_token', call),
  ),
  readsToken(
    'token-in-cookie-get',
    '5.1/token-in-cookie',
    'Reading takes the token from a cookie.',
    (call) => (onGet(call) ? cookie('token', call) : undefined),
  ),
  readsToken(
    'token-in-authorization-cookie',
    '5.1/token-in-cookie',
    'The update takes the token from a cookie named after the header.',
    (call) => (onPut(call) ? cookie('authorization', call) : undefined),
  ),
];

const noToken: readonly Fault[] = [
  letsIn('garbage-is-anonymous', '5.2/garbage', 'Whatever is no token counts as being let in.', garbage),
  letsIn(
    'opaque-token-unchecked',
    '5.2/garbage',
    'A bearer value without dots counts as an opaque token, which nobody looks up.',
    (call) => garbage(call) && parts(call) === 1 && bearer(call).length > 10,
  ),
  letsIn('null-token', '5.2/garbage', 'The words null and undefined count as being let in.', (call) =>
    /^(null|undefined)$/.test(bearer(call)),
  ),
  letsIn(
    'encrypted-token-unchecked',
    '5.2/garbage',
    'More than three parts count as an encrypted token, which an earlier hop has checked.',
    (call) => parts(call) > 3 && onVersions(call),
  ),
  answersWith('garbage-500', '5.2/garbage', 'A bearer value that is no token is answered 500.', 500, garbage),
  answersWith(
    'garbage-403',
    '5.2/garbage-401',
    'A bearer value that is no token is answered 403.',
    403,
    garbage,
  ),
  answersWith(
    'garbage-422-on-update',
    '5.2/garbage-401',
    'The update answers 422 to a bearer value that is no token.',
    422,
    (call) => garbage(call) && onPut(call),
  ),
  letsIn(
    'unreadable-header-is-anonymous',
    '5.2/three-parts',
    'A token whose header names no algorithm is let in.',
    threeParts,
  ),
  letsIn(
    'empty-parts',
    '5.2/three-parts',
    'A token of three empty parts is let in.',
    (call) => bearer(call) === '..',
  ),
  letsIn(
    'header-without-algorithm',
    '5.2/three-parts',
    'A token whose header is an empty object counts as unsigned and is let in.',
    (call) => bearer(call).startsWith('e30.'),
  ),
  answersWith(
    'three-parts-500',
    '5.2/three-parts',
    'A token that cannot be decoded is answered 500.',
    500,
    threeParts,
  ),
  answersWith(
    'three-parts-403',
    '5.2/three-parts-401',
    'A token that cannot be decoded is answered 403.',
    403,
    threeParts,
  ),
  answersWith(
    'three-parts-404-on-experiments',
    '5.2/three-parts-401',
    'The listing of experiments is not found with a token that cannot be decoded.',
    404,
    (call) => threeParts(call) && onExperiments(call),
  ),
];

/** A token with this expiry counts as expired. */
const expires = (
  name: string,
  description: string,
  isExpired: (exp: number, call: Call) => boolean,
): Fault => ({
  name,
  requirement: '5.2/far-future',
  description,
  rules: (rules) =>
    override(rules, 'token', (usual) => ({
      isExpired: (exp, call, claims) =>
        usual.isExpired(exp, call, claims) || (typeof exp === 'number' && isExpired(exp, call)),
    })),
});

const year = 365 * 86_400;

const farFuture: readonly Fault[] = [
  expires('exp-int32', 'exp is read into 32 bits, signed.', (exp, { now }) => (exp | 0) * 1000 <= now),
  expires('exp-uint32', 'exp is read into 32 bits.', (exp, { now }) => (exp >>> 0) * 1000 <= now),
  expires('exp-year-2038', 'A token that expires after 2038 is refused.', (exp) => exp > 2 ** 31 - 1),
  expires(
    'exp-ten-digits',
    'A lifetime of fifty years or more is refused.',
    (exp, { now }) => exp - now / 1000 > 50 * year,
  ),
  expires(
    'lifetime-one-year',
    'A token that lasts longer than a year is refused on deletion.',
    (exp, call) => onDelete(call) && exp - call.now / 1000 > year,
  ),
  {
    name: 'far-future-forbidden',
    requirement: '5.2/far-future',
    description: 'A token that never seems to end permits nothing.',
    rules: (rules) =>
      override(rules, 'scopes', (usual) => ({
        permits: (claim, scope, claims, call) =>
          Number(claims.exp) < 4e9 && usual.permits(claim, scope, claims, call),
      })),
  },
];

/** Faults of section 5, items 1 and 2. */
export const authenticationFaults: readonly Fault[] = [...validToken, ...carried, ...noToken, ...farFuture];
