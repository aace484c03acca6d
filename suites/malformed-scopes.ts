import type { Authorization } from '../lib/client/exchange.ts';
import { parseJson } from '../lib/contract/json.ts';
import { type Scope, scopesClaim } from '../lib/contract/model.ts';
import { isRefusal } from '../lib/runner/expect.ts';
import { type Check, type ContextFor, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { inputs } from './inputs.ts';
import { expectRefusalsWith, expectTokensRefused, tokensRefused } from './refusals.ts';
import { inTurn, minted } from './requests.ts';

/** Section 5, items 2 and 3: tokens that permit nothing, because their scopes are missing, malformed or in another claim. */

/** Tokens that permit nothing because of their scopes claim. */
type MintedTokens = (ctx: ContextFor<'mint'>, variation: number) => Promise<readonly Authorization[]>;

const withoutScopes: MintedTokens = async (ctx, variation) => [
  await minted(ctx, { scopes: undefined }, variation),
];

const withScopesOfOtherTypes: MintedTokens = (ctx, variation) => {
  const names = ctx.operation.scopes.map((scope) => scope.name);
  const nested = { scopes: scopesClaim(ctx.operation.scopes) };
  const list = ctx.operation.scopes.map(({ verb, resource }) => ({ resource, actions: [verb] }));
  const others = [
    null,
    true,
    [],
    nested,
    1,
    [scopesClaim(ctx.operation.scopes)],
    list,
    JSON.stringify(nested.scopes),
    // Copied member by member, this one becomes the prototype of a map.
    parseJson(`{"__proto__":${JSON.stringify(nested.scopes)}}`),
  ];
  const turned = inTurn(ctx, others, variation, ctx.operation.scopeInferred ? 1 : 2);
  return settleAll([names.join(' '), names, ...turned], (scopes) => minted(ctx, { scopes }, variation));
};

const withoutActions: MintedTokens = (ctx, variation) => {
  const { scopes, scopeInferred } = ctx.operation;
  const further = inTurn(ctx, inputs.further_malformed_actions, variation, scopeInferred ? 1 : 5);
  const entryFor = (template: unknown, { verb, resource }: Scope) =>
    parseJson(
      JSON.stringify(template)
        .replaceAll('<verb>', verb)
        .replaceAll('<VERB>', verb.toUpperCase())
        .replaceAll('<resource>', resource),
    );
  return settleAll([...inputs.malformed_actions, ...further], (template) => {
    const entries = scopes.map((scope) => [scope.resource, entryFor(template, scope)]);
    return minted(ctx, { scopes: Object.fromEntries(entries) }, variation);
  });
};

export const malformedScopes: readonly Check[] = [
  tokensRefused('5.3/no-scopes-claim', ['mint'], 'the token has no scopes claim', withoutScopes, () => []),
  tokensRefused(
    '5.3/scopes-malformed',
    ['mint'],
    "the token's scopes claim is not a map of resources",
    withScopesOfOtherTypes,
    () => [],
  ),
  tokensRefused(
    '5.3/actions-missing',
    ['mint'],
    "the resource's entry has no actions array that contains the verb",
    withoutActions,
    () => [],
  ),

  requirement('5.3/scopes-malformed-status', { needs: ['mint'] }, async (ctx) => {
    const tokens = await settleAll([withoutScopes, withScopesOfOtherTypes, withoutActions], (each) =>
      each(ctx, 0),
    );
    const calls = tokens.flatMap(([authorization]) => (authorization ? [{ authorization }] : []));
    await expectRefusalsWith(ctx, calls, "the token's scopes permit nothing", [403, 401]);
  }),

  requirement('5.2/scope-string', { needs: ['mint'] }, async (ctx) => {
    const authorization = await minted(ctx, { scopes: undefined });
    if (!isRefusal(await ctx.probe({ authorization })))
      throw new NotJudged('a request is served without any scope: see 5.3/no-scopes-claim');
    const names = ctx.operation.scopes.map(({ name }) => name);
    const scope = names.join(' ');
    const scopes = scopesClaim(ctx.operation.scopes);
    const inOtherCase = Object.fromEntries(
      Object.entries(scopes).map(([resource, { actions }]) => [resource, { Actions: actions }]),
    );
    const others = [
      ...[{ scp: scope }, { permissions: names }, { scopes: {}, permissions: names }],
      // Spring Security, Keycloak and most others read these.
      { authorities: names, realm_access: { roles: names }, roles: names, groups: names },
      // The JSON decoder of Go reads names in any case; those of claims are case-sensitive (RFC 7519, section 10.1.1).
      ...[{ scopes: {}, scope }, { scopes: {}, scope: names }, { Scopes: scopes }, { scopes: inOtherCase }],
    ];
    // The standard one in every variation, the others in turn.
    const make = (variation: number) =>
      settleAll([{ scope }, ...inTurn(ctx, others, variation)], (each) =>
        minted(ctx, { scopes: undefined, ...each }, variation),
      );
    const because = 'its scopes are not in the map of the scopes claim';
    await expectTokensRefused(ctx, make, because, () => [403, 401]);
  }),
];
