import { isObject } from '../contract/json.ts';
import type { RecordedExchange, RequirementResult } from './report.ts';
import { isBroken, isWronglyServed } from './summary.ts';

/** What an exchange shows, as the patterns read it. */
type Shown = ReturnType<typeof shownBy>;

const megabyte = 1_000_000;

/** What to do about the most common mistakes, each with the pattern that shows it; the most telling pattern first. */
const advice: Readonly<Record<string, (shown: Shown) => boolean>> = {
  'The body limit is below 1 megabyte: body parsers of Express read 100 kB by default, for JSON and forms each; set their `limit`.':
    ({ status, bytes }) => status === 413 && bytes > 0 && bytes <= megabyte,
  'A body over the limit of 1 megabyte is accepted: count the bytes of every body as they arrive, also of a body that no handler reads, with and without Content-Length; not the characters, and not what a parser leaves of them.':
    ({ isServed, bytes }) => isServed && bytes > megabyte,
  "The algorithm is taken from the token: verify with a fixed list that contains the key's own algorithm only, neither `none` nor HMAC with the public key as its secret.":
    ({ signature = '', isWronglyServed }) => /^(none$|hmac)/.test(signature) && isWronglyServed,
  'What follows the third part of a token is ignored: a signed JSON Web Token has three parts (RFC 7515, section 3.1).':
    ({ signature, isWronglyServed }) => signature === 'further-part' && isWronglyServed,
  'The signature is not verified: a decoder such as jwt.decode() only reads the token; verify it with the trusted key. If other invalid signatures are refused, verified tokens are remembered by a part of them.':
    ({ signature, isWronglyServed }) => signature !== undefined && isWronglyServed,
  'An `exp` of 0 is taken for a missing one, as golang-jwt does by default: 0 is a time in 1970.': ({
    isServed,
    claims: { exp },
  }) => isServed && exp === 0,
  'An `exp` with a fraction is ignored: a NumericDate need not be an integer (RFC 7519, section 2).': ({
    isServed,
    claims: { exp },
    because,
  }) => isServed && typeof exp === 'number' && !Number.isInteger(exp) && because.includes('expired'),
  '`exp` is not checked on every request, or read in another unit: it is in seconds since the epoch, Date.now() is in milliseconds.':
    ({ isServed, claims: { exp }, wanted, because }) =>
      isServed && typeof exp === 'number' && wanted === 401 && because.includes('expired'),
  'The token endpoint responds with a token that it has issued before: a token that it keeps must be valid for the `expires_in` that it names.':
    ({ status, because }) => status === 401 && because.includes('was issued after'),
  'An `exp` after January 2038 does not fit into a signed integer of 32 bits: read it as one of 64 bits.': ({
    status,
    signature,
    expected,
    claims: { exp },
  }) =>
    status === 401 && signature === undefined && Number(exp) >= 2 ** 31 && /2xx|neither 401/.test(expected),
  'A valid token is refused: compare its issuer, audience, kid and algorithm with what the server trusts (--issuer and --audience change them), and its times with the clock that `PUT /clock` moves.':
    ({ status, signature, expected, claims: { iat, exp } }) =>
      status === 401 &&
      signature === undefined &&
      Number(exp) > Number(iat) &&
      /2xx|neither 401|^200\b/.test(expected),
  'If the tenant has no subscription for phone messages (section 1), set `assume: { subscription: false }` in a profile. Otherwise compare the scope that the operation requires.':
    ({ status, operation, expected }) =>
      (status === 402 || status === 403) &&
      operation === 'put_factor_phone_templates' &&
      /2xx|^(200|400)\b/.test(expected),
  'A session replaces the token: create none (Spring Security: SessionCreationPolicy.STATELESS, Passport: session: false).':
    ({ isServed, because }) => isServed && because.includes('cookies of an earlier response'),
  'The token is also read from somewhere else: switch off what the framework or a plug-in reads besides the Authorization field.':
    ({ isServed, because }) => isServed && because.endsWith('not in Authorization'),
  'The route answers before authentication: register the authentication middleware before it, for every method.':
    ({ isWronglyServed, operation, headers }) =>
      isWronglyServed && operation !== undefined && headers.get('authorization') === undefined,
  'Accept `Bearer` only: the Authorization header is split without looking at its scheme, or a framework accepts another scheme, too.':
    (shown) =>
      shown.isWronglyServed &&
      shown.operation !== undefined &&
      !/^bearer /i.test(shown.headers.get('authorization') ?? ''),
  '`includes` on a string finds any part of it: `actions` must be an array (Array.isArray) before it is searched.':
    ({ isWronglyServed, claims: { scopes } }) => isWronglyServed && hasTextForActions(scopes),
  'An empty `scopes` map is truthy and permits nothing: require the verb in the entry of the resource.': (
    shown,
  ) =>
    shown.isServed &&
    isObject(shown.claims.scopes) &&
    /\b403\b/.test(shown.expected) &&
    Object.keys(shown.claims.scopes).length === 0,
  'Both halves of a scope count: look for the verb in the `actions` of exactly this resource.': (shown) =>
    shown.isServed && shown.claims.scopes !== undefined && shown.wanted === 403,
  'Respond with 401 to a missing or invalid token; 403 is for a valid token whose scopes do not permit the operation.':
    ({ status, wanted, because }) => status === 403 && wanted === 401 && because !== '',
  'parseInt() reads the digits at the beginning and ignores the rest: match the whole text against /^\\d+$/ first.':
    ({ isServed, query, wantsRefusal, because }) =>
      isServed &&
      wantsRefusal &&
      [...query.values()].some((text) => /^\d+[a-z.]/i.test(text) && because.includes(text)),
  'The number does not fit into 32 bits and becomes another one: compare it with the limits before it is converted.':
    ({ isServed, query, wanted }) =>
      isServed &&
      wanted === 400 &&
      /^\d+$/.test(query.get('take') ?? '') &&
      Number(query.get('take')) >= 2 ** 31,
  'Do not clamp a `take` outside 1 to 50 or replace it by the default: respond with 400. A tenant on a private cloud needs --cloud private.':
    ({ isServed, query, wanted }) =>
      isServed && wanted === 400 && (Number(query.get('take')) > 50 || query.get('take') === '0'),
  'A page of 51 to 100 items is valid only on a private cloud: set --cloud private for such a tenant.': ({
    expected,
    received,
  }) => expected === 'at most 50 items' && Number.parseInt(received, 10) <= 100,
  'The next page does not begin with the item after the last one: compare with `>`, not with an offset that is one too far, and order by a unique key that every item has (`created_at` may be missing; then `id`).':
    ({ kinds, expected }) => kinds.includes('missing') && /^items of the walk/.test(expected),
  'An item is listed twice: continue strictly after the last item of the page before, and do not multiply items by a join.':
    ({ expected }) => expected.includes('duplicate items'),
  '`page` is zero-indexed: skip `page * per_page` versions, not `(page - 1) * per_page`.': ({ expected }) =>
    /^(no versions of|versions on) page 0 /.test(expected),
  'Secrets are serialized as they are stored: map each to `name` and `updated_at`.': ({
    isServed,
    expected,
  }) => isServed && expected.startsWith('no values of secrets'),
  'Store both messages in one transaction. The `repeat` command sends the updates at once, the script one by one.':
    ({ expected }) => expected.endsWith('one of the concurrent updates'),
  'Validate with additionalProperties: false and without an option that strips or converts names: unknown fields are dropped, or a parser changes their names.':
    ({ isServed, wanted, because }) =>
      isServed && wanted === 400 && because.includes('not one of its fields'),
  'The serializer writes null for a field without a value: leave the field out.': ({ received, expected }) =>
    /\bnull\b/.test(received) && /null|absent|left out/.test(expected),
  'The id in the path is changed before it is looked up (case, white space, a suffix that a router takes for a format), or matched as a pattern: compare all of it.':
    ({ operation, kinds, expected }) =>
      operation === 'deleteRateLimitPolicy' &&
      kinds.includes('missing') &&
      expected.startsWith('the policies'),
  'The request is redirected, by a router or to a login page: serve each path as it is, and respond to an invalid token with 401; clients do not send their token after a redirect.':
    ({ status }) => status >= 300 && status < 400,
  'The service is overloaded, or a gateway limits the rate of requests: use --rate, or --concurrency 1.': ({
    status,
  }) => status === 503,
  'An exception of a parser or validator reaches the handler for unexpected errors: catch it and respond with 400.':
    ({ status, wantsRefusal, query, bytes }) =>
      status >= 500 && wantsRefusal && (bytes > 0 || query.size > 0),
  'Many frameworks respond with 422 if validation fails: change the status to 400.': (shown) =>
    shown.status === 422 && shown.wanted === 400,
  "Record the first 64 characters of the client's X-Correlation-ID as sent: do not generate an ID or change its case.":
    ({ expected, received }) =>
      expected.startsWith('references.correlation_id') && received !== 'no such entry',
};

function hasTextForActions(scopes: unknown): boolean {
  return (
    isObject(scopes) &&
    Object.values(scopes).some((entry) => isObject(entry) && typeof entry.actions === 'string')
  );
}

/** Advice on a violation that plain requests do not show: what is wrong with their content is wrong with all of them. */
const plainPasses =
  'Plain requests passed: the cause is how this one was sent (form, chunks, fields, query, claims), or what came before or beside it.';

/** One sentence of advice on a broken requirement whose last exchange shows a common mistake. */
export function adviceOn(result: RequirementResult): string | undefined {
  const exchange = result.exchanges.at(-1);
  if (!isBroken(result) || exchange === undefined) return undefined;
  const shown = shownBy(exchange, result);
  const isAboutToken = shown.status === 401 || shown.status === 403;
  if (result.passes_plain && (shown.isServed || isAboutToken || shown.status >= 500)) return plainPasses;
  const found = Object.entries(advice).find(([, isShown]) => isShown(shown))?.[0];
  return found ?? (result.passes_plain ? plainPasses : undefined);
}

function shownBy({ operation, request, response }: RecordedExchange, result: RequirementResult) {
  const { difference } = result;
  const expected = difference?.expected ?? '';
  const found = request.token?.claims;
  const claims: Readonly<Record<string, unknown>> = isObject(found) ? found : {};
  const status = response?.status ?? 0;
  const isServed = status >= 200 && status < 300;
  return {
    operation,
    query: new URLSearchParams(request.url.split('?')[1]),
    headers: new Map(request.headers),
    bytes: request.body_bytes,
    status,
    isServed,
    isWronglyServed: isWronglyServed(result),
    claims,
    signature: request.token?.signature,
    expected,
    /** The first status that is expected; NaN if it is another value. */
    wanted: Number.parseInt(expected, 10),
    wantsRefusal: /^(400\b|a 4xx)/.test(expected),
    received: difference?.received ?? '',
    kinds: (difference?.entries ?? []).map(({ kind }) => kind),
    because: difference?.because ?? '',
  };
}
