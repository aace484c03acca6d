import type { Authorization } from '../lib/client/exchange.ts';
import { isObject } from '../lib/contract/json.ts';
import { type Operation, permits, safeMethods } from '../lib/contract/model.ts';
import { type CallResult, members, responseOf, status } from '../lib/runner/call-result.ts';
import {
  expectRefused,
  expectServed,
  expectStatus,
  expectThat,
  expectTokenAccepted,
  isRefusal,
  isServed,
  show,
} from '../lib/runner/expect.ts';
import { assertTwinServed } from '../lib/runner/permission.ts';
import { type Check, type ContextFor, observation, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import {
  grantedFields,
  otherStyles,
  type TokenRequestStyle,
  tokenRequest,
  withoutLastSlash,
} from '../lib/tokens/client-credentials.ts';
import { permittedScopes, swapCase } from '../lib/tokens/jwt.ts';
import type { ClientCredentials } from '../lib/tokens/token-source.ts';
import { widestLeeway } from './requests.ts';

/** Section 5, item 4: a token for client credentials (RFC 6749, section 4.4). */

type Changes = Parameters<typeof tokenRequest>[1];

/** How a token request differs from the usual one, a form at the contract's path. */
interface Style extends Partial<TokenRequestStyle> {
  /** The client's secret as shown in a shell script. */
  readonly shownSecret?: string;
}

type Context = ContextFor<'client'>;

/** Exclusive, because a new token may revoke the client's previous one, with which other requirements are judged. */
const exclusively = { needs: ['client'], lane: 'exclusive' } as const;

/** Sends a token request with these fields; undefined omits one. */
async function requestToken(ctx: Context, changes: Changes = {}, style: Style = {}) {
  const { audience, tokenUrl, place, shownSecret } = { place: 'form' as const, ...ctx.client, ...style };
  const fields = { ...grantedFields({ ...ctx.client, audience }), ...changes };
  return ctx.send(tokenRequest({ tokenUrl, place }, fields, shownSecret));
}

/** The response to a valid request, in the first style that the server accepts. */
async function requestValidToken(ctx: Context): Promise<{ result: CallResult; style: Style }> {
  const result = await requestToken(ctx);
  for (const style of otherStyles(ctx.client, status(result))) {
    const other = await requestToken(ctx, {}, style);
    if (isServed(other)) return { result: other, style };
  }
  return { result, style: {} };
}

/** The style in which the server issues a token. Throws NotJudged if it issues none. */
async function acceptedStyle(ctx: Context): Promise<Style> {
  const { result, style } = await requestValidToken(ctx);
  assertTwinServed(ctx, result, '5.4/token-issued');
  return style;
}

/** The request is refused, and the response contains no token anywhere. */
async function expectNoToken(ctx: Context, changes: Changes, because: string, style: Style): Promise<void> {
  const result = await requestToken(ctx, changes, style);
  // The message shows only the status: the body may contain a token.
  const code = String(status(result));
  expectThat(isRefusal(result), { expected: 'a 4xx status', because }, code, result.exchange);
  const { text } = responseOf(result);
  const token = 'access_token' in members(result) || /eyJ[\w-]+\.[\w-]+\.[\w-]*/.test(text);
  expectThat(!token, { expected: 'no token', because }, 'an access token', result.exchange);
}

const tokenRequestsRefused = (
  id: string,
  because: string,
  cases: (client: ClientCredentials) => readonly Changes[],
): Check =>
  requirement(id, exclusively, async (ctx) => {
    const style = await acceptedStyle(ctx);
    for (const changes of cases(ctx.client)) await expectNoToken(ctx, changes, because, style);
  });

/** The token of a valid request, with its claims if it is a JSON Web Token. */
async function issued(ctx: Context) {
  const { result } = await requestValidToken(ctx);
  const token = members(result).access_token;
  if (typeof token !== 'string')
    throw new NotJudged(`a valid token request got ${status(result)} and no token: see 5.4/token-issued`);
  return { result, authorization: ctx.tokens.remember(token) };
}

/** An encrypted JSON Web Token has five parts (RFC 7516, section 3.1). */
const isEncrypted = ({ value }: Authorization): boolean => /^Bearer ([\w-]*\.){4}[\w-]*$/.test(value);

/** The token of a valid request. Throws NotJudged if its claims cannot be read. */
async function readableToken(ctx: Context): Promise<Authorization> {
  const { authorization } = await issued(ctx);
  if (authorization.claims === undefined)
    throw new NotJudged('the scopes of the token are unknown: see 5.4/token-is-jwt');
  return authorization;
}

/** By the `scopes` map alone: no other claim permits anything. */
const isPermitted = (operation: Operation, { claims = {} }: Authorization): boolean =>
  permits(operation, permittedScopes({ scopes: claims.scopes }) ?? []);

/** The operations that require a scope, and that the token's scopes permit. */
const permittedOperations = ({ run }: Context, token: Authorization): readonly Operation[] =>
  run.operations.filter((each) => each.scopes.length > 0 && isPermitted(each, token));

/** The first of these operations that may be sent. If none of them may, the first one, which is then not judged. */
const firstToSend = (ctx: Context, operations: readonly Operation[]): Operation | undefined =>
  operations.find(({ method }) => ctx.can('write') || safeMethods.has(method)) ?? operations[0];

export const clientCredentials: readonly Check[] = [
  requirement('5.4/token-issued', exclusively, async (ctx) => {
    const { result } = await requestValidToken(ctx);
    expectServed(result, 'the client ID and secret are valid');
    const { access_token: token } = members(result);
    const isValid = typeof token === 'string' && token !== '';
    const got = token === undefined ? 'none' : token === '' ? 'an empty string' : typeof token;
    expectThat(isValid, 'a JSON object with a string access_token', got, result.exchange);
  }),

  requirement('5.4/token-is-jwt', exclusively, async (ctx) => {
    // Two at once: two instances of the service may issue them.
    for (const { result, authorization } of await settleAll([1, 2], () => issued(ctx))) {
      if (isEncrypted(authorization)) throw new NotJudged('the token is encrypted');
      const { claims } = authorization;
      const { exchange } = result;
      const other = 'a text that is not one';
      expectThat(claims !== undefined, 'a JSON Web Token', other, exchange);
      const map = claims?.scopes;
      const isValid =
        isObject(map) && Object.values(map).every((entry) => isObject(entry) && Array.isArray(entry.actions));
      expectThat(isValid, 'a scopes claim that maps resources to { actions: [...] }', show(map), exchange);
    }
  }),

  requirement('5.4/token-works', exclusively, async (ctx) => {
    // Instances of the service may use different keys. Each token is used before the next one is requested, which may revoke it.
    for (let count = 0; count < 3; count += 1) {
      const authorization = await readableToken(ctx);
      const permitted = permittedOperations(ctx, authorization);
      // Services behind a gateway may trust different keys.
      const first = count % Math.max(1, permitted.length);
      const operation = firstToSend(ctx, [...permitted.slice(first), ...permitted.slice(0, first)]);
      if (operation === undefined) throw new NotJudged("the client's scopes permit no operation");
      const result = await ctx.call({ operation, authorization });
      expectTokenAccepted(result, 'its token was just issued and permits it');
    }
  }),

  requirement('5.4/token-altered', exclusively, async (ctx) => {
    const authorization = await readableToken(ctx);
    const operation = firstToSend(ctx, permittedOperations(ctx, authorization));
    const altered = ctx.tokens.alterable(authorization)?.altered;
    if (operation === undefined || altered === undefined)
      throw new NotJudged("the client's scopes permit no operation");
    // A service may look up the tokens that it has issued, and verify those of others only.
    for (const signature of ['changed-payload', 'untrusted-key'] as const) {
      const result = await ctx.probe({ operation, authorization: await altered(signature) });
      expectRefused(result, 'the issued token was altered', [401]);
    }
    assertTwinServed(ctx, await ctx.call({ operation, authorization }), '5.4/token-works');
  }),

  requirement('5.4/token-expires', { needs: ['client', 'clock'], lane: 'exclusive' }, async (ctx) => {
    const authorization = await readableToken(ctx);
    const [operation, ...others] = permittedOperations(ctx, authorization);
    const { exp } = authorization.claims ?? {};
    if (operation === undefined || typeof exp !== 'number')
      throw new NotJudged('the token shows no time of expiry, or permits no operation');
    assertTwinServed(ctx, await ctx.call({ operation, authorization }), '5.4/token-works');
    const judged = [operation];
    // Other requirements judge on every operation that minted tokens expire.
    for (const each of ctx.minter === undefined ? others : []) {
      const result = await ctx.call({ operation: each, authorization, mayBeForbidden: true });
      if (![401, 403].includes(status(result))) judged.push(each);
    }
    await ctx.clock.moveTo(exp + widestLeeway + 1);
    for (const each of judged)
      expectRefused(await ctx.probe({ operation: each, authorization }), 'the token has expired', [401]);
    // The endpoint may have remembered the expired token.
    const { authorization: renewed } = await issued(ctx);
    const because = 'its token was issued after the previous one had expired';
    expectServed(await ctx.call({ operation, authorization: renewed }), because);
  }),

  requirement('5.4/token-scoped', exclusively, async (ctx) => {
    const authorization = await readableToken(ctx);
    const forbidden = ctx.run.operations
      .filter((each) => !isPermitted(each, authorization))
      .toSorted((one, other) => Number(one.scopeInferred) - Number(other.scopeInferred));
    const denied = firstToSend(ctx, forbidden);
    if (denied === undefined)
      throw new NotJudged("the client's scopes permit every operation", [
        '--client-id of a client without one of the scopes',
      ]);
    const operation = firstToSend(ctx, permittedOperations(ctx, authorization));
    if (operation !== undefined && status(await ctx.call({ operation, authorization })) === 401)
      throw new NotJudged('the token is not accepted: see 5.4/token-works');
    const result = await ctx.probe({ operation: denied, authorization });
    if (denied.scopeInferred && status(result) !== 403)
      throw new NotJudged(`the scope that ${denied.id} requires is not known`, ['assume.required_scopes']);
    expectStatus(result, 403, "the client's scopes do not permit it");
  }),

  requirement('5.4/token-type', exclusively, async (ctx) => {
    const { result } = await issued(ctx);
    expectStatus(result, 200, 'a token was issued (RFC 6749, section 5.1)');
    const { token_type: type } = members(result);
    const bearer = typeof type === 'string' && type.toLowerCase() === 'bearer';
    expectThat(bearer, 'token_type: Bearer (RFC 6750, section 4)', show(type), result.exchange);
  }),

  requirement('5.4/wrong-secret', exclusively, async (ctx) => {
    const secret = ctx.client.client_secret;
    const style = await acceptedStyle(ctx);
    const wrong = [
      ['not-the-secret', 'not-the-secret'],
      ['', ''],
      [`${secret}x`, '$CLIENT_SECRETx'],
      // Bash expansions that drop the last or the first character of the secret, replace one, and swap the case of its letters.
      [secret.slice(0, -1), `\${CLIENT_SECRET%?}`],
      [`${secret.slice(0, -1)}~`, `\${CLIENT_SECRET%?}~`],
      [secret.slice(1), `\${CLIENT_SECRET#?}`],
      [swapCase(secret), `\${CLIENT_SECRET~~}`],
    ] as const;
    const expectWrong = (client_secret: string, wrongStyle: Style & { readonly shownSecret: string }) => {
      const { shownSecret } = wrongStyle;
      const because = shownSecret === '' ? 'the secret is empty' : `the secret is wrong: ${shownSecret}`;
      return expectNoToken(ctx, { client_secret }, because, { ...style, ...wrongStyle });
    };
    for (const [text, shownSecret] of wrong) if (text !== secret) await expectWrong(text, { shownSecret });
    for (const place of ['basic', 'json'] as const)
      if (isServed(await requestToken(ctx, {}, { ...style, place })))
        for (const text of ["' OR '1'='1", '']) await expectWrong(text, { place, shownSecret: text });
  }),
  tokenRequestsRefused('5.4/unknown-client', 'the client does not exist', ({ client_id: id }) => [
    { client_id: 'no-such-client' },
    { client_id: `${id}x` },
    { client_id: '%' },
  ]),
  tokenRequestsRefused('5.4/missing-fields', 'a field is missing', () => [
    { grant_type: undefined },
    { client_id: undefined },
    { client_secret: undefined },
  ]),
  tokenRequestsRefused('5.4/unsupported-grant', 'the grant type does not exist', () => [
    { grant_type: 'no_such_grant' },
    { grant_type: 'client_credentials_x' },
  ]),

  requirement('5.4/other-audience', exclusively, async (ctx) => {
    const style = await acceptedStyle(ctx);
    for (const audience of ['https://elsewhere.example/', '/api/v1/']) {
      const other = await requestToken(ctx, { audience }, style);
      const token = members(other).access_token;
      if (typeof token !== 'string') continue;
      const authorization = ctx.tokens.remember(token);
      const operation = firstToSend(ctx, permittedOperations(ctx, authorization));
      if (operation === undefined) continue;
      const used = await ctx.call({ authorization, operation, mayBeForbidden: true });
      const expected = `no token for the audience ${audience}, or one that is refused`;
      const got = `a token; a request with it was answered with ${status(used)}`;
      expectThat(isRefusal(used), expected, got, other.exchange, used.exchange);
    }
  }),

  observation('5.4/missing-audience', exclusively, async (ctx) =>
    status(await requestToken(ctx, { audience: undefined }, (await requestValidToken(ctx)).style)),
  ),

  observation('5.4/json-request', exclusively, async (ctx) =>
    status(await requestToken(ctx, {}, { place: 'json' })),
  ),

  observation('5.4/path-without-slash', exclusively, async (ctx) =>
    status(await requestToken(ctx, {}, { tokenUrl: withoutLastSlash(ctx.client.tokenUrl) })),
  ),

  observation('5.4/absolute-audience', exclusively, async (ctx) =>
    status(await requestToken(ctx, { audience: `${ctx.target.baseUrl}/` })),
  ),
];
