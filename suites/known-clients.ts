import type { Authorization } from '../lib/client/exchange.ts';
import { isObject } from '../lib/contract/json.ts';
import { status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectRefused, expectServed } from '../lib/runner/expect.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import type { KnownToken } from '../lib/tokens/token-source.ts';

/**
 * The scope matrix as far as clients of known scopes go, for targets that the suite can have no tokens of chosen scopes for: a
 * client without the scope that an operation needs gets 403, one with it does not.
 */

/** The clients' tokens that are selected. Throws NotJudged where none is. */
async function clients(
  ctx: RequirementContext,
  what: string,
  selects: (token: KnownToken) => boolean,
): Promise<readonly [KnownToken, ...KnownToken[]]> {
  const [first, ...more] = (await ctx.tokens.known()).filter(selects);
  if (first === undefined)
    throw new NotJudged(`no client is known that has ${what}`, [
      '--signing-key',
      'auth.clients in the profile',
    ]);
  return [first, ...more];
}

/** True for a token without one of the scopes that the operation needs. */
const isForbidden = ({ operation }: RequirementContext, { scopes }: KnownToken): boolean =>
  operation.alternatives.every((all) => all.some(({ name }) => !scopes.includes(name)));

async function expectForbidden(ctx: RequirementContext, tokens: readonly KnownToken[]): Promise<void> {
  for (const { client, scopes, authorization } of tokens) {
    const answer = await ctx.probe({ authorization });
    const [only, ...more] = scopes;
    if (only !== undefined && more.length === 0)
      ctx.run.recordScopeResult(ctx.operation, only, status(answer));
    expectRefused(answer, `client ${client} has ${scopes.join(', ') || 'no scope'} only`, [403]);
  }
  await ctx.twin();
}

async function expectPermitted(ctx: RequirementContext, tokens: readonly KnownToken[]): Promise<void> {
  const { operation, run } = ctx;
  for (const { client, authorization } of tokens) {
    const answer = await ctx.call({ authorization });
    for (const { name } of operation.scopes) run.recordScopeResult(operation, name, status(answer));
    expectServed(answer, `client ${client} has ${operation.scopes.map(({ name }) => name).join(' and ')}`);
  }
}

/** Judges the refusal of the clients without the needed scope that are selected. */
const forbidden =
  (what: string, selects: (token: KnownToken, ctx: RequirementContext) => boolean) =>
  async (ctx: RequirementContext): Promise<void> =>
    expectForbidden(ctx, await clients(ctx, what, (token) => isForbidden(ctx, token) && selects(token, ctx)));

/** By the slug of the requirement that it judges in part. */
export const byKnownClients: Readonly<Record<string, (ctx: RequirementContext) => Promise<void>>> = {
  'required-scope': async (ctx) =>
    expectPermitted(ctx, await clients(ctx, 'the scope that it needs', (token) => !isForbidden(ctx, token))),

  'each-scope-alone': forbidden('one scope, another than it needs', ({ scopes }) => scopes.length === 1),

  'wrong-verb': forbidden('another verb on the resource that it needs', ({ scopes }, { operation }) =>
    operation.scopes.some(({ resource }) => scopes.some((name) => name.endsWith(`:${resource}`))),
  ),

  'wrong-resource': forbidden('the verb that it needs on other resources only', ({ scopes }, { operation }) =>
    operation.scopes.some(({ verb }) => scopes.some((name) => name.startsWith(`${verb}:`))),
  ),

  'all-but-required': forbidden(
    'several scopes, but not the one it needs',
    ({ scopes }) => scopes.length > 1,
  ),

  'among-others': async (ctx) =>
    expectPermitted(
      ctx,
      await clients(
        ctx,
        'the scope that it needs among others',
        (token) => token.scopes.length > ctx.operation.scopes.length && !isForbidden(ctx, token),
      ),
    ),

  'any-set': async (ctx) => {
    const permitted = await clients(ctx, 'the scope that it needs', (token) => !isForbidden(ctx, token));
    const others = await clients(ctx, 'other scopes than it needs', (token) => isForbidden(ctx, token));
    await expectPermitted(ctx, permitted);
    await expectForbidden(ctx, others);
  },
};

/** The token of a client without the scopes that the operation needs. Throws NotJudged where there is none. */
export async function tokenWithout(ctx: RequirementContext): Promise<Authorization> {
  const [first] = await clients(ctx, 'other scopes than it needs', (token) => isForbidden(ctx, token));
  return first.authorization;
}

/** A client whose token carries a map of no scopes is refused with 403. */
export const emptyScopes = forbidden('no scope, and a token that says so', ({ authorization }) => {
  const scopes = authorization.claims?.scopes;
  return isObject(scopes) && Object.keys(scopes).length === 0;
});
