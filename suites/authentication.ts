import type { Authorization } from '../lib/client/exchange.ts';
import { status } from '../lib/runner/answer.ts';
import type { ContextFor, RequirementContext } from '../lib/runner/context.ts';
import { expectRefused, expectServed, expectTokenAccepted, isRefusal } from '../lib/runner/expect.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { otherClaims } from './request-variations.ts';
import { mintedRefused, signatures } from './signatures.ts';

/** Section 5, items 1 and 2, and section 7: which tokens let a request in. Judged on every operation that needs one. */

const minute = 60;
const hour = 60 * minute;
const year = 365 * 24 * hour;

/** Servers commonly allow clocks to differ by up to five minutes; a minute more for the difference that there is. */
const widestLeeway = 6 * minute;

/** An Authorization value that is no secret, so that reports show it as it is. */
const literal = (value: string): Authorization => ({ value, secret: false });

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** Bearer values that are no JSON Web Token, by RFC 7519 or by their form. */
const garbage = ['garbage', 'a.b', 'ab.cd.ef.gh.ij.kl', 'bm90IGEgdG9rZW4', '-', 'null', 'undefined'];

/** Three parts with dots between them, as a JWS has them, without a JSON header or payload behind. */
const threeParts = ['a.b.c', 'garbage.garbage.garbage', `${base64url('{}')}.${base64url('[]')}.AAAA`, '..'];

/** The request with each of these Authorization values is refused; with a valid token, where there is one, it is served. */
async function eachRefused(
  ctx: RequirementContext,
  values: readonly (Authorization | null)[],
  because: string,
  wanted: readonly number[] = [],
) {
  await settleAll(values, async (authorization) =>
    expectRefused(await ctx.probe({ authorization }), because, wanted),
  );
  if (ctx.can('token')) await ctx.twin(() => ctx.call());
}

/** Where the request is refused, it is with one of these statuses; that it is refused at all is another requirement. */
async function eachRefusedWith(
  ctx: RequirementContext,
  values: readonly (Authorization | null)[],
  because: string,
  wanted: readonly number[],
) {
  let refusals = 0;
  for (const authorization of values) {
    const answer = await ctx.probe({ authorization });
    if (!isRefusal(answer)) continue;
    refusals += 1;
    expectRefused(answer, because, wanted);
  }
  if (refusals === 0) throw new NotJudged('nothing was refused: another requirement blames that');
}

/** Where no token at all is enough, it proves nothing that one in a wrong place is: another requirement says so. */
async function refusedWithoutToken(ctx: RequirementContext): Promise<void> {
  if (!isRefusal(await ctx.probe({ authorization: null })))
    throw new NotJudged('the request is served without any token: see 5.1/no-header');
}

const expired = (id: string, secondsAgo: number): Check =>
  requirement(id, { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    const exp = minter.now() - secondsAgo;
    const tokens = await settleAll(otherClaims(ctx), (claims) =>
      minter.sign({ ...minter.claims(operation.scopes), iat: exp - hour, ...claims, exp }),
    );
    await mintedRefused(ctx, tokens, `the token expired ${secondsAgo} seconds ago`);
  });

const otherSchemes = async (ctx: RequirementContext): Promise<Authorization[]> => {
  const schemes = [
    literal('Basic Y2xpZW50OnNlY3JldA=='),
    literal('Digest username="client"'),
    literal('Token abc'),
  ];
  const { minter } = ctx.optional;
  // A vendor's own token is not sent where servers do not expect one: it might be logged.
  if (minter === undefined) return schemes;
  const { value, ...shown } = await minter.sign(minter.claims(ctx.operation.scopes));
  return [...schemes, { ...shown, value: value.replace(/^Bearer /, 'Basic ') }];
};

/** Any 4xx status. */
const anyRefusal: readonly number[] = [];

async function withoutScopes({ minter, operation }: ContextFor<'mint'>): Promise<readonly Authorization[]> {
  const { scopes: _scopes, ...claims } = minter.claims(operation.scopes);
  return [await minter.sign(claims)];
}

function withScopesOfOtherTypes({
  minter,
  operation,
}: ContextFor<'mint'>): Promise<readonly Authorization[]> {
  const names = operation.scopes.map((scope) => scope.name);
  const claims = minter.claims(operation.scopes);
  return settleAll([names.join(' '), names, null, 1, true, []], (scopes) =>
    minter.sign({ ...claims, scopes }),
  );
}

function withoutActions({ minter, operation }: ContextFor<'mint'>): Promise<readonly Authorization[]> {
  const resources = (entry: (verb: string) => unknown) =>
    Object.fromEntries(operation.scopes.map(({ resource, verb }) => [resource, entry(verb)]));
  const maps = [
    resources(() => ({})),
    resources(() => ({ actions: [] })),
    resources(() => ({ actions: null })),
    resources(() => null),
    resources((verb) => ({ action: [verb] })),
    resources((verb) => ({ actions: verb })),
    resources((verb) => ({ actions: { [verb]: true } })),
    resources((verb) => [verb]),
    resources((verb) => ({ [verb]: true })),
  ];
  const claims = minter.claims(operation.scopes);
  return settleAll(maps, (scopes) => minter.sign({ ...claims, scopes }));
}

export const authentication: readonly Check[] = [
  ...signatures,

  requirement('5.1/valid-token', { needs: ['token'], lane: 'parallel' }, async (ctx) => {
    expectTokenAccepted(await ctx.call(), 'its token is valid and permits the operation');
  }),

  requirement('5.1/no-header', { needs: [], lane: 'parallel' }, (ctx) =>
    eachRefused(ctx, [null], 'it carries no token'),
  ),

  requirement('5.1/no-header-401', { needs: [], lane: 'parallel' }, (ctx) =>
    eachRefusedWith(ctx, [null], 'it carries no token', [401]),
  ),

  requirement('5.1/other-scheme', { needs: [], lane: 'parallel' }, async (ctx) =>
    eachRefused(ctx, await otherSchemes(ctx), 'its credentials are no bearer token'),
  ),

  requirement('5.1/other-scheme-401', { needs: [], lane: 'parallel' }, async (ctx) =>
    eachRefusedWith(ctx, await otherSchemes(ctx), 'its credentials are no bearer token', [401]),
  ),

  requirement('5.1/other-scheme-name', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    await refusedWithoutToken(ctx);
    const { value, ...shown } = await ctx.minter.sign(ctx.minter.claims(ctx.operation.scopes));
    const jwt = value.replace(/^Bearer /, '');
    const values = [jwt, `JWT ${jwt}`].map((each) => ({ ...shown, value: each }));
    await eachRefused(ctx, values, 'the scheme before the token is not Bearer');
  }),

  requirement('5.1/token-in-query', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    await refusedWithoutToken(ctx);
    const { value } = await ctx.minter.sign(ctx.minter.claims(ctx.operation.scopes));
    const jwt = value.replace(/^Bearer /, '');
    for (const name of ['access_token', 'token']) {
      const answer = await ctx.probe({ authorization: null, query: { [name]: jwt } });
      expectRefused(answer, 'the token stands in the query, not in the Authorization header');
    }
    await ctx.twin(() => ctx.call());
  }),

  requirement('5.1/token-in-cookie', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    await refusedWithoutToken(ctx);
    const { value } = await ctx.minter.sign(ctx.minter.claims(ctx.operation.scopes));
    const jwt = value.replace(/^Bearer /, '');
    const headers = [['cookie', `access_token=${jwt}; token=${jwt}; Authorization=${jwt}`]] as const;
    const answer = await ctx.probe({ authorization: null, headers });
    expectRefused(answer, 'the token stands in a cookie, not in the Authorization header');
    await ctx.twin(() => ctx.call());
  }),

  requirement('5.2/garbage', { needs: [], lane: 'parallel' }, (ctx) =>
    eachRefused(
      ctx,
      garbage.map((each) => literal(`Bearer ${each}`)),
      'its bearer value is not a JSON Web Token',
    ),
  ),

  requirement('5.2/garbage-401', { needs: [], lane: 'parallel' }, (ctx) =>
    eachRefusedWith(
      ctx,
      garbage.map((each) => literal(`Bearer ${each}`)),
      'its bearer value is not a JSON Web Token',
      [401, 400],
    ),
  ),

  requirement('5.2/three-parts', { needs: [], lane: 'parallel' }, (ctx) =>
    eachRefused(
      ctx,
      threeParts.map((each) => literal(`Bearer ${each}`)),
      'the three parts hold no JSON Web Token',
    ),
  ),

  requirement('5.2/three-parts-401', { needs: [], lane: 'parallel' }, (ctx) =>
    eachRefusedWith(
      ctx,
      threeParts.map((each) => literal(`Bearer ${each}`)),
      'the three parts hold no JSON Web Token',
      [401, 400],
    ),
  ),

  requirement('5.2/far-future', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    for (const years of [10, 100]) {
      const claims = { ...minter.claims(operation.scopes), exp: minter.now() + years * year };
      expectServed(
        await ctx.call({ authorization: await minter.sign(claims) }),
        `the token is valid for another ${years} years`,
      );
    }
  }),

  expired('7/expired-minutes', widestLeeway + 1),
  expired('7/expired-hour', hour),
  expired('7/expired-year', year),

  requirement('7/expires-with-time', { needs: ['mint', 'clock'], lane: 'exclusive' }, async (ctx) => {
    const { clock, minter, operation } = ctx;
    const claims = minter.claims(operation.scopes);
    const old = await minter.sign({ ...claims, exp: minter.now() - widestLeeway - minute });
    if (status(await ctx.probe({ authorization: old })) !== 401)
      throw new NotJudged('a token that has expired already is not refused with 401: see 7/expired-minutes');
    const authorization = await minter.sign({ ...claims, exp: minter.now() + hour });
    await ctx.twin(() => ctx.call({ authorization }));
    await clock.waitUntil(minter.now() + hour + widestLeeway + minute);
    const answer = await ctx.probe({ authorization });
    expectRefused(answer, 'the token, accepted before, has expired meanwhile', [401]);
  }),

  requirement('5.3/no-scopes-claim', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    await mintedRefused(ctx, await withoutScopes(ctx), 'the token has no scopes claim', anyRefusal);
  }),

  requirement('5.3/scopes-malformed', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    await mintedRefused(
      ctx,
      await withScopesOfOtherTypes(ctx),
      "the token's scopes claim is not a map",
      anyRefusal,
    );
  }),

  requirement('5.3/actions-missing', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const because = "the resource's entry has no actions array that contains the verb";
    await mintedRefused(ctx, await withoutActions(ctx), because, anyRefusal);
  }),

  requirement('5.3/scopes-malformed-status', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const tokens = [
      ...(await withoutScopes(ctx)),
      ...(await withScopesOfOtherTypes(ctx)),
      ...(await withoutActions(ctx)),
    ];
    await eachRefusedWith(ctx, tokens, "the token's scopes permit nothing", [403, 401]);
  }),

  requirement('5.2/scope-string', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    const { scopes: _scopes, ...claims } = minter.claims(operation.scopes);
    if (!isRefusal(await ctx.probe({ authorization: await minter.sign(claims) })))
      throw new NotJudged('a token without any scope is served too: see 5.3/no-scopes-claim');
    const scope = operation.scopes.map(({ name }) => name).join(' ');
    const tokens = [
      await minter.sign({ ...claims, scope }),
      await minter.sign({ ...claims, scope, scp: scope.split(' '), permissions: scope.split(' ') }),
    ];
    await mintedRefused(ctx, tokens, 'its scope stands in a string, not in the scopes map', [403, 401]);
  }),

  observation('5.2/no-expiry', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    const { exp: _exp, ...claims } = minter.claims(operation.scopes);
    return status(await ctx.call({ authorization: await minter.sign(claims) }));
  }),

  observation('5.2/not-before', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    const claims = { ...minter.claims(operation.scopes), nbf: minter.now() + hour };
    return status(await ctx.call({ authorization: await minter.sign(claims) }));
  }),

  observation('5.2/leeway', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    let accepted = -1;
    for (const seconds of [0, 5, 10, 30, 60, 120, 299]) {
      const claims = { ...minter.claims(operation.scopes), exp: minter.now() - seconds };
      const answer = await ctx.call({ authorization: await minter.sign(claims) });
      if (isRefusal(answer)) break;
      accepted = seconds;
    }
    return accepted < 0 ? 'none' : `at least ${accepted} seconds`;
  }),

  observation('5.2/other-audience', { needs: ['mint'], lane: 'parallel' }, async (ctx) => {
    const { minter, operation } = ctx;
    const claims = { ...minter.claims(operation.scopes), aud: 'https://elsewhere.example/' };
    return status(await ctx.call({ authorization: await minter.sign(claims) }));
  }),

  observation('5.1/scheme-case', { needs: ['token'], lane: 'parallel' }, async (ctx) => {
    const token = await ctx.token(ctx.operation.scopes);
    return status(
      await ctx.call({ authorization: { ...token, value: token.value.replace(/^Bearer/, 'bearer') } }),
    );
  }),
];
