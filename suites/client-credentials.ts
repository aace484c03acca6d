import type { Authorization } from '../lib/client/exchange.ts';
import { isObject, type JsonObject } from '../lib/contract/json.ts';
import type { Scope } from '../lib/contract/model.ts';
import { type CallResult, members, response, status } from '../lib/runner/call-result.ts';
import { expectServed, expectStatus, expectThat, isRefusal, show } from '../lib/runner/expect.ts';
import { expectTwinServed } from '../lib/runner/permission.ts';
import { type Check, type ContextFor, observation, requirement } from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import {
  grantedFields,
  otherManners,
  type TokenRequestManner,
  tokenRequest,
  withoutLastSlash,
} from '../lib/tokens/client-credentials.ts';
import { decodeJwt, permittedScopes } from '../lib/tokens/jwt.ts';

/** Section 5, item 4: a token for client credentials (RFC 6749, section 4.4). */

type Changes = Parameters<typeof tokenRequest>[1];

/** A manner that is not the usual one: a form at the contract's path. */
interface Manner extends Partial<TokenRequestManner> {
  /** The client's secret as a shell script may say it. */
  readonly shownSecret?: string;
}

type Context = ContextFor<'client'>;

/** A token request with these fields; undefined leaves one out. */
async function ask(ctx: Context, changes: Changes = {}, manner: Manner = {}) {
  const { audience, tokenUrl, place, shownSecret } = { place: 'form' as const, ...ctx.client, ...manner };
  const fields = { ...grantedFields({ ...ctx.client, audience }), ...changes };
  return ctx.send(tokenRequest({ tokenUrl, place }, fields, shownSecret));
}

/** The answer to a right request, in the first manner that this server takes. */
async function askRightly(ctx: Context): Promise<{ answer: CallResult; manner: Manner }> {
  const answer = await ask(ctx);
  for (const manner of otherManners(ctx.client, status(answer))) {
    const other = await ask(ctx, {}, manner);
    if (status(other) < 300) return { answer: other, manner };
  }
  return { answer, manner: {} };
}

/** Refused, and no token in the answer, wherever it may stand. */
async function expectNoToken(ctx: Context, changes: Changes, because: string, manner: Manner): Promise<void> {
  const answer = await ask(ctx, changes, manner);
  // Only the status is shown: the body may carry a token.
  const code = String(status(answer));
  expectThat(isRefusal(answer), `a 4xx status, because ${because}`, code, answer.exchange);
  const { text } = response(answer);
  const token = 'access_token' in members(answer) || /eyJ[\w-]+\.[\w-]+\.[\w-]*/.test(text);
  expectThat(!token, `no token, because ${because}`, 'an access token', answer.exchange);
}

const refused = (id: string, because: string, ...cases: readonly Changes[]): Check =>
  requirement(id, { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { answer, manner } = await askRightly(ctx);
    expectTwinServed(ctx, answer);
    for (const changes of cases) await expectNoToken(ctx, changes, because, manner);
  });

/** The token of a right request, with its claims where it is a JSON Web Token. */
async function issued(
  ctx: Context,
): Promise<{ authorization: Authorization; claims: JsonObject | undefined }> {
  const { answer } = await askRightly(ctx);
  const token = members(answer).access_token;
  if (typeof token !== 'string') throw new NotJudged('no token was issued: see 5.4/token-issued');
  return { authorization: ctx.tokens.remember(token), claims: decodeJwt(token)?.claims };
}

/** True where a token with these claims permits the scope. */
function permits(claims: JsonObject | undefined, { name }: Scope): boolean {
  return claims !== undefined && permittedScopes(claims)?.has(name) === true;
}

/** An operation that the token's scopes permit. */
const permittedOperation = (ctx: Context, claims: JsonObject | undefined) =>
  ctx.run.operations.find(
    ({ scopes }) => scopes.length > 0 && scopes.every((scope) => permits(claims, scope)),
  );

export const clientCredentials: readonly Check[] = [
  requirement('5.4/token-issued', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { answer } = await askRightly(ctx);
    expectStatus(answer, 200, 'the client and its secret are right (RFC 6749, section 5.1)');
    const { access_token: token } = members(answer);
    const isValid = typeof token === 'string' && token !== '';
    expectThat(isValid, 'a JSON object with access_token', 'none', answer.exchange);
  }),

  requirement('5.4/form-accepted', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { answer } = await askRightly(ctx);
    expectTwinServed(ctx, answer);
    const inForm = await ask(ctx);
    const got = status(inForm) === 200 ? inForm : await ask(ctx, {}, { place: 'basic' });
    expectStatus(got, 200, 'it is a form, at the path and with the audience that the specification names');
  }),

  requirement('5.4/token-is-jwt', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { claims } = await issued(ctx);
    const last = ctx.exchanges.slice(-1);
    const other = 'a token whose payload is not a JSON object';
    expectThat(claims !== undefined, 'a JSON Web Token', other, ...last);
    const map = claims?.scopes;
    const isValid =
      isObject(map) && Object.values(map).every((entry) => isObject(entry) && Array.isArray(entry.actions));
    expectThat(isValid, 'a scopes claim that maps resources to { actions: [...] }', show(map), ...last);
  }),

  requirement('5.4/token-works', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { authorization, claims } = await issued(ctx);
    const operation = permittedOperation(ctx, claims);
    if (operation === undefined) throw new NotJudged("the client's scopes permit no operation");
    expectServed(await ctx.call({ operation, authorization }), 'the token was just issued and permits it');
  }),

  requirement('5.4/token-scoped', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { authorization, claims } = await issued(ctx);
    if (claims === undefined) throw new NotJudged('the token shows no scopes: see 5.4/token-is-jwt');
    const [denied] = ctx.run.operations
      .filter(
        ({ scopes, alternatives }) =>
          scopes.length > 0 && alternatives.every((all) => all.some((scope) => !permits(claims, scope))),
      )
      .toSorted((one, other) => Number(one.scopeInferred) - Number(other.scopeInferred));
    if (denied === undefined) throw new NotJudged("the client's scopes permit every operation");
    const operation = permittedOperation(ctx, claims);
    if (operation !== undefined && status(await ctx.call({ operation, authorization })) === 401)
      throw new NotJudged('the token is not accepted: see 5.4/token-works');
    const answer = await ctx.probe({ operation: denied, authorization });
    if (denied.scopeInferred && status(answer) !== 403)
      throw new NotJudged(`the scope that ${denied.id} requires is not known`, ['assume.required_scopes']);
    expectStatus(answer, 403, "the client's scopes do not permit it");
  }),

  requirement('5.4/token-type', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { answer } = await askRightly(ctx);
    const { token_type: type, access_token: token } = members(answer);
    if (typeof token !== 'string') throw new NotJudged('no token was issued: see 5.4/token-issued');
    const bearer = typeof type === 'string' && type.toLowerCase() === 'bearer';
    expectThat(bearer, 'token_type: Bearer (RFC 6750, section 4)', show(type), answer.exchange);
  }),

  requirement('5.4/wrong-secret', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const secret = ctx.client.secret;
    const swapped = secret.replace(/[a-z]/gi, (each) =>
      each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase(),
    );
    const { answer, manner } = await askRightly(ctx);
    expectTwinServed(ctx, answer);
    const wrong = [
      ['not-the-secret', 'not-the-secret'],
      ['', ''],
      [`${secret}x`, '$CLIENT_SECRETx'],
      // What bash makes of the secret without its last character, and with the case of its letters swapped.
      [secret.slice(0, -1), `\${CLIENT_SECRET%?}`],
      [swapped, `\${CLIENT_SECRET~~}`],
    ] as const;
    for (const [text, shown] of wrong) {
      const manners = { ...manner, shownSecret: shown };
      if (text !== secret) await expectNoToken(ctx, { client_secret: text }, 'the secret is wrong', manners);
    }
    const client_secret = 'not-the-secret';
    for (const place of ['basic', 'json'] as const) {
      if (status(await ask(ctx, {}, { ...manner, place })) >= 300) continue;
      const other = { ...manner, place, shownSecret: client_secret };
      await expectNoToken(ctx, { client_secret }, 'the secret is wrong', other);
    }
  }),
  refused('5.4/unknown-client', 'the client does not exist', { client_id: 'no-such-client' }),
  refused(
    '5.4/missing-fields',
    'a field is missing',
    { grant_type: undefined },
    { client_id: undefined },
    { client_secret: undefined },
  ),
  refused('5.4/unsupported-grant', 'no such grant type exists', { grant_type: 'no_such_grant' }),

  requirement('5.4/other-audience', { needs: ['client'], lane: 'parallel' }, async (ctx) => {
    const { answer, manner } = await askRightly(ctx);
    expectTwinServed(ctx, answer);
    for (const audience of ['https://elsewhere.example/', '/api/v1/']) {
      const other = await ask(ctx, { audience }, manner);
      const token = members(other).access_token;
      if (typeof token !== 'string') continue;
      const operation = permittedOperation(ctx, decodeJwt(token)?.claims);
      if (operation === undefined) continue;
      const authorization = ctx.tokens.remember(token);
      const used = await ctx.call({ authorization, operation, mayBeForbidden: true });
      const expected = `no token for the audience ${audience}, or one that is refused`;
      const got = `a token that was answered with ${status(used)}`;
      expectThat(isRefusal(used), expected, got, other.exchange, used.exchange);
    }
  }),

  observation('5.4/missing-audience', { needs: ['client'], lane: 'parallel' }, async (ctx) =>
    status(await ask(ctx, { audience: undefined }, (await askRightly(ctx)).manner)),
  ),

  observation('5.4/json-request', { needs: ['client'], lane: 'parallel' }, async (ctx) =>
    status(await ask(ctx, {}, { place: 'json' })),
  ),

  observation('5.4/path-without-slash', { needs: ['client'], lane: 'parallel' }, async (ctx) =>
    status(await ask(ctx, {}, { tokenUrl: withoutLastSlash(ctx.client.tokenUrl) })),
  ),

  observation('5.4/absolute-audience', { needs: ['client'], lane: 'parallel' }, async (ctx) =>
    status(await ask(ctx, { audience: `${ctx.target.baseUrl}/` })),
  ),
];
