import type { Driver } from '../client/driver.ts';
import { isSuccess, type Request } from '../client/exchange.ts';
import type { ReceivedResponse } from '../client/received-response.ts';
import { isObject } from '../contract/json.ts';
import { formType } from '../contract/media-types.ts';
import type { Scope } from '../contract/model.ts';
import type { Clock } from './clock.ts';
import {
  assumedLifetime,
  type IssuedToken,
  knownToken,
  parseToken,
  TokenCache,
  tokenPermits,
} from './issued-token.ts';
import { parseScopeText } from './jwt.ts';
import {
  type ClientCredentials,
  type KnownClient,
  TokenError,
  type TokenSource,
  type TokensOptions,
} from './token-source.ts';

/** Tokens from the token endpoint (RFC 6749, section 4.4), by one or more clients, of which those with few scopes are tried first. */
export function clientTokens(clients: readonly KnownClient[], { driver, clock }: TokensOptions): TokenSource {
  const cache = new TokenCache(clock);
  const current = (client: KnownClient) =>
    cache.get(JSON.stringify([client.tokenUrl, client.client_id]), () => requestToken(client, driver, clock));
  const size = (client: KnownClient) => client.scopes?.length ?? Number.POSITIVE_INFINITY;
  const sorted = [...clients].sort((one, other) => size(one) - size(other) || 0);
  for (const each of clients) driver.secrets.add(each.client_secret, '$CLIENT_SECRET');
  return {
    capabilities: ['token', 'client', 'known_scopes'],
    async permitting(scopes: readonly Scope[]) {
      for (const client of sorted) {
        // Skips clients without the scopes.
        if (client.scopes !== undefined && !scopes.every(({ name }) => client.scopes?.includes(name)))
          continue;
        const token = await current(client);
        if (tokenPermits(token, scopes)) return token.authorization;
      }
      return undefined;
    },
    known: async () => {
      const tokens = await Promise.all(
        sorted.map(async (client) => knownToken(client.client_id, await current(client), client.scopes)),
      );
      return tokens.flatMap((token) => token ?? []);
    },
    forget: () => cache.clear(),
  };
}

/** Where and how to request a token. The specification leaves the place of the credentials and the form of the audience open. */
export interface TokenRequestStyle {
  readonly tokenUrl: string;
  readonly audience: string;
  /** The client's id and secret are in the form, in Authorization (RFC 6749, section 2.3.1), or in JSON. */
  readonly place: 'form' | 'basic' | 'json';
}

type Fields = Readonly<Record<string, string | undefined>>;

/**
 * A token request (RFC 6749, section 4.4.2).
 * @param fields the fields of the form; undefined omits one
 * @param shownSecret the client's secret as shown in a shell script
 */
export function tokenRequest(
  { tokenUrl, place }: Omit<TokenRequestStyle, 'audience'>,
  fields: Fields,
  shownSecret = '$CLIENT_SECRET',
): Request {
  const { client_id: id = '', client_secret: secret = '', ...rest } = fields;
  const sent = Object.entries(place === 'basic' ? rest : fields).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  const textOf = (all: [string, string][]) =>
    place === 'json' ? JSON.stringify(Object.fromEntries(all)) : new URLSearchParams(all).toString();
  const marked = sent.map(([name, value]): [string, string] => [
    name,
    name === 'client_secret' ? 'SHOWN-SECRET' : value,
  ]);
  const pair = [id, secret].map((text) => encodeURIComponent(text.toWellFormed())).join(':');
  return {
    operation: undefined,
    method: 'POST',
    target: '',
    url: tokenUrl,
    headers: [['accept', 'application/json']],
    ...(place === 'basic' && { authorization: { value: `Basic ${Buffer.from(pair).toString('base64')}` } }),
    body: {
      mediaType: place === 'json' ? 'application/json' : formType,
      bytes: Buffer.from(textOf(sent)),
      recorded: textOf(marked).replace('SHOWN-SECRET', () => shownSecret),
    },
  };
}

/** The fields of a valid token request. */
export const grantedFields = (client: ClientCredentials): Fields => ({
  grant_type: 'client_credentials',
  client_id: client.client_id,
  client_secret: client.client_secret,
  audience: client.audience,
});

/** The URL without its last slash: some servers serve the token endpoint there, not at the path of section 5. */
export const withoutLastSlash = (url: string): string => url.replace(/\/$/, '');

/**
 * The styles to try, in order, after a form at the contract's path got a response with this status: at the path without its last
 * slash if the server does not know the path, with the audience unchanged or as a URL.
 */
export function otherStyles({ tokenUrl, audience }: ClientCredentials, status = 0): TokenRequestStyle[] {
  if (status < 300) return [];
  const isElsewhere = status === 404 || status === 405 || status < 400;
  const url = isElsewhere ? withoutLastSlash(tokenUrl) : tokenUrl;
  const absolute = audience.startsWith('/') ? new URL(audience, tokenUrl).href : audience;
  return [...new Set([audience, absolute])]
    .flatMap((each) =>
      (['form', 'basic', 'json'] as const).map((place) => ({ tokenUrl: url, audience: each, place })),
    )
    .slice(url === tokenUrl ? 1 : 0);
}

/** The response to a token request with a form, or in the first other style that the server accepts if it refuses that. */
async function responseTo(client: KnownClient, driver: Driver) {
  const request = (style: TokenRequestStyle) =>
    driver.call(tokenRequest(style, grantedFields({ ...client, audience: style.audience })));
  const first = await request({ ...client, place: 'form' });
  for (const style of otherStyles(client, first.response?.status)) {
    const other = await request(style);
    if (other.response !== undefined && isSuccess(other.response.status)) return other;
  }
  return first;
}

/** What to do if the token endpoint responds with this instead of a token, in a sentence. */
function remedyFor(response: ReceivedResponse | undefined): string {
  const { status = 0, text = '' } = response ?? {};
  if (status === 429) return 'Wait, or raise limits.wait_ms in the profile.';
  if (status >= 500) return 'See its logs.';
  if (/^\s*</.test(text))
    return 'It responds with a page of HTML: check --token-url, and what a gateway lets through.';
  return 'Check the credentials, --token-url and --audience.';
}

async function requestToken(client: KnownClient, driver: Driver, clock: Clock): Promise<IssuedToken> {
  const { response, failure } = await responseTo(client, driver);
  const fail = (what: string): never => {
    const message = `token endpoint ${client.tokenUrl} ${what}, for client ${client.client_id}`;
    throw new TokenError(message, remedyFor(response));
  };
  if (response === undefined) return fail(`gave no response: ${failure?.message}`);
  const body = isObject(response.json) ? response.json : {};
  const { access_token: token, expires_in: expiresIn, scope, error } = body;
  if (!isSuccess(response.status)) {
    const why =
      typeof error === 'string' ? `: ${driver.secrets.scrub(error.slice(0, 1000)).slice(0, 200)}` : '';
    return fail(`answered ${response.status}${why}`);
  }
  if (typeof token !== 'string') return fail('answered without access_token');
  driver.secrets.add(token);
  if (!/^[\x21-\x7e]+$/.test(token))
    return fail('issued a token with characters that a header field must not contain');
  const lifetime = Number(expiresIn ?? assumedLifetime);
  const issued = parseToken(token, clock.now() + (Number.isNaN(lifetime) ? assumedLifetime : lifetime));
  const granted = typeof scope === 'string' ? parseScopeText(scope) : undefined;
  return { ...issued, scopes: issued.scopes ?? granted ?? (client.scopes && new Set(client.scopes)) };
}
