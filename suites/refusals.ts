import type { Authorization, Exchange } from '../lib/client/exchange.ts';
import type { Call } from '../lib/runner/call.ts';
import { status } from '../lib/runner/call-result.ts';
import type { Capability } from '../lib/runner/capabilities.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectRefused, isRefusal } from '../lib/runner/expect.ts';
import { type Check, type ContextFor, type JudgeExchange, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { page, sizeUpTo } from '../lib/runner/walk.ts';
import { variationsOf } from './requests.ts';

/** Refusals that several requirements judge. */

/** A request for a later page of a listing is refused with each of the tokens, too. */
export async function expectLaterPageRefused(
  ctx: RequirementContext,
  tokens: readonly (Authorization | null)[],
  because: string,
  wanted: readonly number[],
): Promise<void> {
  if (ctx.operation.pagination?.kind !== 'checkpoint' || !ctx.can('token')) return;
  const take = sizeUpTo(ctx, 2);
  const { next } = await page(ctx, { take });
  if (next === undefined) return;
  // A server may refuse a checkpoint because it comes with another token.
  const also = wanted.length > 0 ? [400] : [];
  for (const authorization of ctx.share(tokens)) {
    const result = await ctx.probe({ query: { take, from: next }, authorization });
    expectRefused(result, because, [...new Set([...wanted, ...also])]);
  }
}

/** A refusal of any of these requests has one of these statuses. Another requirement judges whether they are refused. */
export async function expectRefusalsWith(
  ctx: RequirementContext,
  calls: readonly Call[],
  because: string,
  wanted: readonly number[],
): Promise<void> {
  let refusals = 0;
  for (const call of ctx.share(calls)) {
    const result = await ctx.probe(call);
    // The request may name data that does not exist.
    if (!isRefusal(result) || status(result) === 404) continue;
    refusals += 1;
    expectRefused(result, because, wanted);
  }
  if (refusals === 0) throw new NotJudged('nothing was refused, which another requirement reports');
}

/**
 * Judges the refusals of another requirement: each has one of these statuses. 404 means that the request names no existing data.
 * @param isMeant false for exchanges of that requirement that are refused for another reason
 */
export const refusalsOf =
  (id: string, because: string, wanted: readonly number[], isMeant = (_: Exchange) => true): JudgeExchange =>
  (exchange, { sentBy }) => {
    const result = { exchange, certain: true };
    if (sentBy !== id || status(result) === 404 || !isRefusal(result) || !isMeant(exchange)) return false;
    expectRefused(result, because, wanted);
    return true;
  };

/**
 * The request is served with a valid token, and then refused with each of these, which `make` makes for each variation.
 * @param wanted the statuses with which a token is refused
 */
export async function expectTokensRefused(
  ctx: RequirementContext,
  make: (variation: number) => Promise<readonly Authorization[]>,
  because: string,
  wanted: (token: Authorization) => readonly number[] = () => [401],
) {
  const tokens = await settleAll(variationsOf(ctx), make);
  await ctx.twin();
  const calls = tokens.flatMap((all, variation) =>
    all.map((authorization) => ({ authorization, variation })),
  );
  await settleAll(ctx.share(calls, 3), async (call) =>
    expectRefused(await ctx.probe(call), because, wanted(call.authorization)),
  );
  // The first token twice: a service may remember those that it has seen.
  const [first = []] = tokens;
  const later = [...first, ...first.slice(0, 1)];
  await expectLaterPageRefused(ctx, later, because, [...new Set(first.flatMap(wanted))]);
}

/** Requirements that these tokens are refused, which `tokens` makes for each variation. */
export const tokensRefused = <const Need extends Capability>(
  id: string,
  needs: readonly Need[],
  because: string,
  tokens: (ctx: ContextFor<Need>, variation: number) => Promise<readonly Authorization[]>,
  wanted?: (token: Authorization) => readonly number[],
): Check =>
  requirement(id, { needs }, (ctx) =>
    expectTokensRefused(ctx, (variation) => tokens(ctx, variation), because, wanted),
  );
