import type { Driver } from '../client/driver.ts';
import type { Authorization, Request } from '../client/exchange.ts';
import { Semaphore } from '../client/pace.ts';
import { isObject } from '../contract/json.ts';
import type { Scope } from '../contract/model.ts';
import type { Clock } from './clock.ts';
import { decodeJwt, parseScopeText, permittedScopes } from './jwt.ts';
import { runTokenCommand } from './token-command.ts';
import { TokenError } from './token-error.ts';
import type { TokenMinter } from './token-minter.ts';
import { createTokenMinter } from './token-minter.ts';
import type { ClientCredentials, Tokens } from './token-source.ts';

/** A client, with the scopes that it is known to have; undefined where only its token will tell. */
export interface KnownClient extends ClientCredentials {
  readonly scopes?: readonly string[];
}

export interface TokensOptions {
  readonly driver: Driver;
  readonly clock: Clock;
  /** A ready token, a JSON Web Token or not. */
  readonly token?: string;
  readonly clients?: readonly KnownClient[];
  /** Private JSON Web Key. */
  readonly signingKey?: unknown;
  readonly issuer?: string;
  readonly audience: string;
  /** Shell command. */
  readonly tokenCommand?: string;
}

/** Tokens that can be renewed. */
export interface RenewableTokens extends Tokens {
  /** Forgets every token that was fetched: for the case that the target refuses one that should be good. */
  invalidate(): void;
}

/** Seconds before its expiry at which a token is renewed. */
const renewalMargin = 30;

/** Seconds that a token is asked to be valid, and thought to be where nothing says it. */
const usualLifetime = 3600;

/** Token commands that run at a time. */
const commandsAtOnce = 4;

interface HeldToken {
  readonly authorization: Authorization;
  /** The scopes it permits; undefined where nobody knows, and then it is taken to permit everything. */
  readonly scopes: ReadonlySet<string> | undefined;
  /** Seconds since the epoch, by the target's clock. */
  readonly expiresAt: number;
}

interface Source {
  permitting(scopes: readonly Scope[]): Promise<Authorization | undefined>;
  forget(): void;
}

/** A source of one token at a time. */
interface SingleSource extends Source {
  current(): Promise<HeldToken>;
}

/**
 * Tokens from the given sources, asked in this order: signing key, token command, ready token, clients (those of the
 * fewest scopes first). Rejects with TypeError for a signing key that can't be used; nothing is fetched yet.
 */
export async function createTokens(options: TokensOptions): Promise<RenewableTokens> {
  const { clock, driver } = options;
  const minter =
    options.signingKey === undefined
      ? undefined
      : await createTokenMinter({ ...options, signingKey: options.signingKey });
  const sources: Source[] = [];
  if (minter !== undefined) sources.push(minted(minter));
  if (options.tokenCommand !== undefined) sources.push(commanded(options.tokenCommand, options));
  if (options.token !== undefined) sources.push(fixed(options.token, options));
  const size = (client: KnownClient) => client.scopes?.length ?? Number.POSITIVE_INFINITY;
  const clients = [...(options.clients ?? [])].sort((one, other) => size(one) - size(other) || 0);
  const known: { client: KnownClient; scopes: readonly string[]; source: SingleSource }[] = [];
  for (const client of clients) {
    const source = issued(client, options);
    sources.push(source);
    if (client.scopes !== undefined) known.push({ client, scopes: client.scopes, source });
  }

  const invalidate = () => {
    for (const source of sources) source.forget();
  };
  clock.onMove(invalidate);
  return {
    minter,
    invalidate,
    remember(token) {
      driver.secrets.addToken(token);
      return hold(token, Number.POSITIVE_INFINITY).authorization;
    },
    async permitting(scopes) {
      for (const source of sources) {
        const authorization = await source.permitting(scopes);
        if (authorization !== undefined) return authorization;
      }
      return undefined;
    },
    async known() {
      return Promise.all(
        known.map(async ({ client, scopes, source }) => {
          const held = await source.current();
          // What the token itself says goes before what is said of its client: by that it is judged.
          return {
            client: client.id,
            scopes: held.scopes === undefined ? scopes : [...held.scopes],
            authorization: held.authorization,
          };
        }),
      );
    },
  };
}

function minted(minter: TokenMinter): Source {
  return {
    permitting: (scopes) => minter.sign(minter.claims(scopes)),
    // What is minted follows from the clock alone.
    forget() {},
  };
}

function fixed(token: string, { clock, driver }: TokensOptions): Source {
  driver.secrets.addToken(token);
  const held = hold(token, Number.POSITIVE_INFINITY);
  return {
    permitting: async (scopes) =>
      permits(held, scopes) && held.expiresAt > clock.now() ? held.authorization : undefined,
    forget() {},
  };
}

function commanded(command: string, { clock, driver }: TokensOptions): Source {
  const cache = new Cache(clock);
  const semaphore = new Semaphore(commandsAtOnce);
  return {
    async permitting(scopes) {
      const key = scopes.map(({ name }) => name).sort();
      const held = await cache.get(key.join(' '), async () => {
        await semaphore.acquire();
        try {
          // The command knows the real now only, so where the clock stands ahead the token must last until then.
          const lifetime = usualLifetime + Math.max(0, clock.offsetSeconds);
          const token = await runTokenCommand(command, scopes, lifetime);
          driver.secrets.addToken(token);
          return hold(token, clock.now() + usualLifetime);
        } finally {
          semaphore.release();
        }
      });
      return held.authorization;
    },
    forget: () => cache.clear(),
  };
}

function issued(client: KnownClient, { clock, driver }: TokensOptions): SingleSource {
  driver.secrets.add(client.secret, '$CLIENT_SECRET');
  const cache = new Cache(clock);
  const current = () => cache.get('', () => requestToken(client, driver, clock));
  return {
    current,
    async permitting(scopes) {
      // Spares the request where it can't help.
      if (client.scopes !== undefined && !scopes.every(({ name }) => client.scopes?.includes(name)))
        return undefined;
      const held = await current();
      return permits(held, scopes) ? held.authorization : undefined;
    },
    forget: () => cache.clear(),
  };
}

/** A token request; the client's id and secret stand in the form or in Authorization (RFC 6749, section 2.3.1). */
function tokenRequest(client: KnownClient, place: 'form' | 'basic'): Request {
  const grant = { grant_type: 'client_credentials', audience: client.audience };
  const credentials = { client_id: client.id, client_secret: client.secret };
  const form = new URLSearchParams(place === 'form' ? { ...grant, ...credentials } : grant);
  const pair = `${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`;
  return {
    operation: undefined,
    method: 'POST',
    target: '',
    url: client.tokenUrl,
    headers: [['accept', 'application/json']],
    ...(place === 'basic' && { authorization: { value: `Basic ${Buffer.from(pair).toString('base64')}` } }),
    body: {
      mediaType: 'application/x-www-form-urlencoded',
      bytes: Buffer.from(form.toString()),
      secret: true,
    },
  };
}

/** An access token by the client's credentials (RFC 6749, section 4.4), given where the server takes them. */
async function requestToken(client: KnownClient, driver: Driver, clock: Clock): Promise<HeldToken> {
  const first = await driver.call(tokenRequest(client, 'form'));
  const refused = first.response !== undefined && first.response.status >= 400 && first.response.status < 500;
  const second = refused ? await driver.call(tokenRequest(client, 'basic')) : first;
  const { response, failure } = second.response?.status === 200 ? second : first;
  if (response === undefined) throw new TokenError(`token endpoint ${client.tokenUrl}: ${failure?.message}`);
  const answer = isObject(response.json) ? response.json : {};
  if (response.status !== 200 || typeof answer.access_token !== 'string') {
    const why = typeof answer.error === 'string' ? `: ${driver.scrub(answer.error).slice(0, 200)}` : '';
    const what =
      response.status === 200 ? 'answered without access_token' : `answered ${response.status}${why}`;
    throw new TokenError(`token endpoint ${client.tokenUrl} ${what}, for client ${client.id}`);
  }
  driver.secrets.addToken(answer.access_token);
  const lifetime = Number(answer.expires_in ?? usualLifetime);
  const held = hold(answer.access_token, clock.now() + (Number.isNaN(lifetime) ? usualLifetime : lifetime));
  const said = typeof answer.scope === 'string' ? parseScopeText(answer.scope) : undefined;
  return { ...held, scopes: held.scopes ?? said ?? (client.scopes && new Set(client.scopes)) };
}

function hold(token: string, expiresAt: number): HeldToken {
  const decoded = decodeJwt(token);
  const exp = decoded?.claims.exp;
  return {
    authorization: { value: `Bearer ${token}`, ...decoded },
    scopes: decoded && permittedScopes(decoded.claims),
    expiresAt: typeof exp === 'number' ? exp : expiresAt,
  };
}

function permits(held: HeldToken, scopes: readonly Scope[]): boolean {
  return held.scopes === undefined || scopes.every(({ name }) => held.scopes?.has(name));
}

/** Tokens by key, fetched once however many ask at the same time, and again shortly before they expire. */
class Cache {
  readonly #held = new Map<string, Promise<HeldToken>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(key: string, fetch: () => Promise<HeldToken>): Promise<HeldToken> {
    const pending = this.#held.get(key);
    const held = await pending;
    if (held !== undefined && held.expiresAt - renewalMargin > this.#clock.now()) return held;
    // Of several callers that found the same old token, the first renews it.
    const current = this.#held.get(key);
    if (current !== undefined && current !== pending) return current;
    const fetched = fetch();
    this.#held.set(key, fetched);
    fetched.catch(() => {
      if (this.#held.get(key) === fetched) this.#held.delete(key);
    });
    return fetched;
  }

  clear(): void {
    this.#held.clear();
  }
}
