import { minimalInput } from '../lib/arbitraries/input.ts';
import type { Authorization } from '../lib/client/exchange.ts';
import type { Call } from '../lib/runner/call.ts';
import type { ContextFor, RequirementContext } from '../lib/runner/context.ts';
import { expectRefused } from '../lib/runner/expect.ts';
import { page } from '../lib/runner/walk.ts';
import { scopesClaim } from '../lib/tokens/jwt.ts';

/** Other requests and tokens that mean the same: a check that holds for the smallest ones must hold for these too. */

/** Scopes of a large token that stays clear of the header limits of common servers and proxies (8 KB a field). */
const manyScopes = 60;

/** The requests of an operation besides its smallest: as a form, in chunks, with filters, a later page. */
export async function otherRequests(ctx: RequirementContext): Promise<readonly Call[]> {
  const { contract, operation } = ctx;
  const { body } = minimalInput(contract, operation);
  const calls: Call[] = [];
  const mediaTypes = operation.body?.content.map(({ mediaType }) => mediaType) ?? [];
  if (mediaTypes.includes('application/x-www-form-urlencoded')) {
    const fields = Object.entries(Object(body)).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    calls.push({ form: Object.fromEntries(fields) });
  }
  for (const { in: place, name, schema } of operation.parameters) {
    if (place === 'query' && schema.enum !== undefined)
      calls.push({ query: { [name]: String(schema.enum[0]) } });
  }
  if (operation.pagination?.kind === 'offset') calls.push({ query: { page: 1, per_page: 2 } });
  if (operation.pagination?.kind === 'checkpoint' && ctx.can('token')) {
    const { next } = await page(ctx, { take: 2 });
    if (next !== undefined) calls.push({ query: { take: 2, from: next } });
  }
  return calls;
}

/** The other requests of the operation are refused with these statuses too, each with one of the tokens in turn. */
export async function expectOthersRefused(
  ctx: RequirementContext,
  tokens: readonly Authorization[],
  because: string,
  wanted: readonly number[],
): Promise<void> {
  for (const [index, call] of (await otherRequests(ctx)).entries()) {
    const authorization = tokens[index % tokens.length];
    if (authorization === undefined) continue;
    // A checkpoint may be refused for the token that it comes with.
    const also = wanted.length > 0 && Object.hasOwn(Object(call.query), 'from') ? [400] : [];
    expectRefused(await ctx.probe({ ...call, authorization }), because, [...wanted, ...also]);
  }
}

/** Claims of a token (RFC 7519). */
export type Claims = Readonly<Record<string, unknown>>;

/** A minted token that permits the operation, with these claims in place of the usual ones; undefined leaves one out. */
export const minted = ({ minter, operation }: ContextFor<'mint'>, changes: Claims = {}) =>
  minter.sign({ ...minter.claims(operation.scopes), ...changes });

/** Claims besides the usual ones with which a token means the same: times, a list of audiences, many scopes, a large one. */
export function otherClaims({ minter, contract, operation }: ContextFor<'mint'>): readonly Claims[] {
  const usual = minter.claims(operation.scopes);
  const past = minter.now() - 2 * 365 * 24 * 3600;
  const others = contract.scopes.filter(({ name }) => !operation.scopes.some((scope) => scope.name === name));
  return [
    {},
    { nbf: past, iat: past },
    { aud: [usual.aud, 'https://other.example/'].flat() },
    { scopes: scopesClaim([...others.slice(0, manyScopes), ...operation.scopes]) },
    { note: 'n'.repeat(1_000) },
  ];
}
