import type { Driver } from '../client/driver.ts';
import type { Exchange, Request } from '../client/exchange.ts';
import { isObject } from '../contract/json.ts';
import type { Scope } from '../contract/model.ts';
import type { Clock } from './clock.ts';
import { assumedLifetime, type IssuedToken, parseToken, permits, TokenCache } from './issued-token.ts';
import { parseScopeText } from './jwt.ts';
import {
  type KnownClient,
  TokenError,
  type TokenSource,
  type TokenSourceType,
  type TokensOptions,
} from './token-source.ts';

/** Tokens from the token endpoint (RFC 6749, section 4.4), by one or more clients. */
export const clientTokens: TokenSourceType = {
  flags: {
    token: ['--client-id'],
    known_scopes: ['auth.clients in the profile'],
    client: ['--client-id', '--client-secret'],
  },
  create: ({ clients = [], ...options }) => (clients.length === 0 ? undefined : tokensOf(clients, options)),
};

/** Clients of few scopes are asked first. */
function tokensOf(clients: readonly KnownClient[], { driver, clock }: TokensOptions): TokenSource {
  const cache = new TokenCache(clock);
  const current = (client: KnownClient) =>
    cache.get(JSON.stringify([client.tokenUrl, client.id]), () => requestToken(client, driver, clock));
  const size = (client: KnownClient) => client.scopes?.length ?? Number.POSITIVE_INFINITY;
  const sorted = [...clients].sort((one, other) => size(one) - size(other) || 0);
  for (const { secret } of clients) driver.secrets.add(secret, '$CLIENT_SECRET');
  return {
    capabilities: ['token', 'client', ...(sorted[0]?.scopes ? (['known_scopes'] as const) : [])],
    async permitting(scopes: readonly Scope[]) {
      for (const client of sorted) {
        // No request for a client that can't help.
        if (client.scopes !== undefined && !scopes.every(({ name }) => client.scopes?.includes(name)))
          continue;
        const token = await current(client);
        if (permits(token, scopes)) return token.authorization;
      }
      return undefined;
    },
    known: () =>
      Promise.all(
        sorted.flatMap((client) => {
          const { id, scopes } = client;
          if (scopes === undefined) return [];
          // What the token says takes precedence: the server goes by that.
          return current(client).then((token) => ({
            client: id,
            scopes: token.scopes === undefined ? scopes : [...token.scopes],
            authorization: token.authorization,
          }));
        }),
      ),
    forget: () => cache.clear(),
  };
}

/** The client's id and secret stand in the form, in Authorization (RFC 6749, section 2.3.1), or in JSON. */
function tokenRequest(client: KnownClient, place: 'form' | 'basic' | 'json'): Request {
  const grant = { grant_type: 'client_credentials', audience: client.audience };
  const credentials = { client_id: client.id, client_secret: client.secret };
  const fields = place === 'basic' ? grant : { ...grant, ...credentials };
  const text = place === 'json' ? JSON.stringify(fields) : new URLSearchParams(fields).toString();
  const pair = [client.id, client.secret].map((text) => encodeURIComponent(text.toWellFormed())).join(':');
  return {
    operation: undefined,
    method: 'POST',
    target: '',
    url: client.tokenUrl,
    headers: [['accept', 'application/json']],
    ...(place === 'basic' && { authorization: { value: `Basic ${Buffer.from(pair).toString('base64')}` } }),
    body: {
      mediaType: place === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
      bytes: Buffer.from(text),
      secret: true,
    },
  };
}

/** The URL without its last slash: some servers serve the token endpoint there, not at the path that section 5 names. */
export const withoutLastSlash = (url: string): string => url.replace(/\/$/, '');

/** Where the token endpoint may be instead, after a response with this status; undefined where the server knows the URL. */
export function otherTokenUrl(url: string, status = 0): string | undefined {
  const isElsewhere = status === 404 || status === 405 || (status >= 300 && status < 400);
  return isElsewhere && url.endsWith('/') ? withoutLastSlash(url) : undefined;
}

/** Asks at the client's URL, and at the other one if the server does not know that. */
async function requestToken(client: KnownClient, driver: Driver, clock: Clock): Promise<IssuedToken> {
  const first = await requestAt(client, driver);
  const tokenUrl = otherTokenUrl(client.tokenUrl, first.response?.status);
  const second = tokenUrl === undefined ? first : await requestAt({ ...client, tokenUrl }, driver);
  return readToken(second.response?.status === 200 ? second : first, client, driver, clock);
}

/** The audience as a URL of the token endpoint's host, where it is a path. */
export const absoluteAudience = ({
  audience,
  tokenUrl,
}: Pick<KnownClient, 'audience' | 'tokenUrl'>): string =>
  audience.startsWith('/') ? new URL(audience, tokenUrl).href : audience;

/**
 * Sends the credentials in the form first, then in Authorization and in JSON if the server refuses that; each with the audience as
 * it is, and as a URL.
 */
async function requestAt(client: KnownClient, driver: Driver): Promise<TokenAnswer> {
  const first = await driver.call(tokenRequest(client, 'form'));
  const { status = 0 } = first.response ?? {};
  if (status < 400 || status > 499) return first;
  for (const audience of new Set([client.audience, absoluteAudience(client)]))
    for (const place of ['form', 'basic', 'json'] as const) {
      const other = await driver.call(tokenRequest({ ...client, audience }, place));
      if (other.response?.status === 200) return other;
    }
  return first;
}

type TokenAnswer = Pick<Exchange, 'response' | 'failure'>;

function readToken(
  { response, failure }: TokenAnswer,
  client: KnownClient,
  driver: Driver,
  clock: Clock,
): IssuedToken {
  const fail = (what: string): never => {
    throw new TokenError(`token endpoint ${client.tokenUrl} ${what}, for client ${client.id}`);
  };
  if (response === undefined) return fail(`gave no response: ${failure?.message}`);
  const body = isObject(response.json) ? response.json : {};
  const { access_token: token, expires_in: expiresIn, scope, error } = body;
  if (response.status !== 200) {
    const why = typeof error === 'string' ? `: ${driver.scrub(error.slice(0, 1000)).slice(0, 200)}` : '';
    return fail(`answered ${response.status}${why}`);
  }
  if (typeof token !== 'string') return fail('answered without access_token');
  driver.secrets.add(token);
  if (!/^[\x21-\x7e]+$/.test(token))
    return fail('issued a token of characters that a header field must not contain');
  const lifetime = Number(expiresIn ?? assumedLifetime);
  const issued = parseToken(token, clock.now() + (Number.isNaN(lifetime) ? assumedLifetime : lifetime));
  const granted = typeof scope === 'string' ? parseScopeText(scope) : undefined;
  return { ...issued, scopes: issued.scopes ?? granted ?? (client.scopes && new Set(client.scopes)) };
}
