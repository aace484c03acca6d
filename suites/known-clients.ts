import type { Authorization } from '../lib/client/exchange.ts';
import { isObject } from '../lib/contract/json.ts';
import { status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectRefused, expectServed } from '../lib/runner/expect.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import type { KnownToken } from '../lib/tokens/token-source.ts';

/**
 * The part of the scope matrix that clients with known scopes cover, if the suite cannot get tokens of chosen scopes: a client
 * without the required scope gets 403, one with it does not.
 */

/** The tokens of the selected clients. Throws NotJudged if there are none. */
async function clients(
  ctx: RequirementContext,
  what: string,
  selects: (token: KnownToken) => boolean,
): Promise<readonly [KnownToken, ...KnownToken[]]> {
  const [first, ...more] = (await ctx.tokens.known()).filter(selects);
  if (first === undefined)
    throw new NotJudged(`no known client has ${what}`, ['--signing-key', 'auth.clients in the profile']);
  return [first, ...more];
}

/** True for a token whose scopes do not permit the operation. */
const isForbidden = ({ operation }: RequirementContext, { scopes }: KnownToken): boolean =>
  operation.alternatives.every((all) => all.some(({ name }) => !scopes.includes(name)));

async function expectForbidden(ctx: RequirementContext, tokens: readonly KnownToken[]): Promise<void> {
  for (const { client, scopes, authorization } of tokens) {
    const result = await ctx.probe({ authorization });
    const [only, ...more] = scopes;
    if (only !== undefined && more.length === 0)
      ctx.run.recordScopeResult(ctx.operation, only, status(result));
    expectRefused(result, `the scopes of client ${client} are ${scopes.join(', ') || 'empty'}`, [403]);
  }
  await ctx.twin();
}

async function expectPermitted(ctx: RequirementContext, tokens: readonly KnownToken[]): Promise<void> {
  const { operation, run } = ctx;
  for (const { client, authorization } of tokens) {
    const result = await ctx.call({ authorization });
    for (const { name } of operation.scopes) run.recordScopeResult(operation, name, status(result));
    expectServed(result, `client ${client} has ${operation.scopes.map(({ name }) => name).join(' and ')}`);
  }
}

/** Judges that the selected clients without the required scope are refused. */
const forbidden =
  (what: string, selects: (token: KnownToken, ctx: RequirementContext) => boolean) =>
  async (ctx: RequirementContext): Promise<void> =>
    expectForbidden(ctx, await clients(ctx, what, (token) => isForbidden(ctx, token) && selects(token, ctx)));

/** Checks that judge a requirement in part, by its slug. */
export const byKnownClients: Readonly<Record<string, (ctx: RequirementContext) => Promise<void>>> = {
  'required-scope': async (ctx) =>
    expectPermitted(ctx, await clients(ctx, 'the required scope', (token) => !isForbidden(ctx, token))),

  'each-scope-alone': forbidden(
    'exactly one scope, other than the required one',
    ({ scopes }) => scopes.length === 1,
  ),

  'wrong-verb': forbidden('another verb on the required resource', ({ scopes }, { operation }) =>
    operation.scopes.some(({ resource }) => scopes.some((name) => name.endsWith(`:${resource}`))),
  ),

  'wrong-resource': forbidden('the required verb on other resources only', ({ scopes }, { operation }) =>
    operation.scopes.some(({ verb }) => scopes.some((name) => name.startsWith(`${verb}:`))),
  ),

  'all-but-required': forbidden(
    'several scopes, but not the required one',
    ({ scopes }) => scopes.length > 1,
  ),

  'among-others': async (ctx) =>
    expectPermitted(
      ctx,
      await clients(
        ctx,
        'the required scope among others',
        (token) => token.scopes.length > ctx.operation.scopes.length && !isForbidden(ctx, token),
      ),
    ),

  'any-set': async (ctx) => {
    const permitted = await clients(ctx, 'the required scope', (token) => !isForbidden(ctx, token));
    const others = await clients(ctx, 'only scopes other than the required one', (token) =>
      isForbidden(ctx, token),
    );
    await expectPermitted(ctx, permitted);
    await expectForbidden(ctx, others);
  },
};

/** The token of a client whose scopes do not permit the operation. Throws NotJudged if there is none. */
export async function tokenWithout(ctx: RequirementContext): Promise<Authorization> {
  const [first] = await clients(ctx, 'only scopes other than the required one', (token) =>
    isForbidden(ctx, token),
  );
  return first.authorization;
}

/** A client whose token has an empty scopes map is refused with 403. */
export const emptyScopes = forbidden('a token with an empty scopes map', ({ authorization }) => {
  const scopes = authorization.claims?.scopes;
  return isObject(scopes) && Object.keys(scopes).length === 0;
});
