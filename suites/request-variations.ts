import fc from 'fast-check';
import { type InvalidText, invalidText } from '../lib/arbitraries/input.ts';
import type { Authorization, Exchange } from '../lib/client/exchange.ts';
import type { Call } from '../lib/runner/call.ts';
import { status } from '../lib/runner/call-result.ts';
import type { Capability } from '../lib/runner/capabilities.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import {
  expect400,
  expectEqual,
  expectRefused,
  expectServed,
  expectThat,
  isRefusal,
} from '../lib/runner/expect.ts';
import { type Check, type ContextFor, type JudgeExchange, requirement } from '../lib/runner/requirement.ts';
import { effortFraction } from '../lib/runner/run-context.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import {
  defaultSize,
  keys,
  largest,
  page,
  type Query,
  requirePagination,
  sizeUpTo,
} from '../lib/runner/walk.ts';
import { refusesNone } from './valid-exchanges.ts';

/** Variations of tokens, pages, page sizes and spellings of integers. The context varies everything else. */

/** A request for a later page of a listing is refused with each of the tokens, too. */
export async function expectLaterPageRefused(
  ctx: RequirementContext,
  tokens: readonly (Authorization | null)[],
  because: string,
  wanted: readonly number[],
): Promise<void> {
  if (tokens.length === 0 || ctx.operation.pagination?.kind !== 'checkpoint' || !ctx.can('token')) return;
  const take = sizeUpTo(ctx, 2);
  const { next } = await page(ctx, { take });
  if (next === undefined) return;
  // A server may refuse a checkpoint because it comes with another token.
  const also = wanted.length > 0 ? [400] : [];
  for (const authorization of ctx.share(tokens)) {
    const result = await ctx.probe({ query: { take, from: next }, authorization });
    expectRefused(result, because, [...wanted, ...also]);
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
    if (!isRefusal(result)) continue;
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
    const code = exchange.response?.status ?? 0;
    if (sentBy !== id || code === 404 || code < 400 || code > 499 || !isMeant(exchange)) return false;
    const expectation = { expected: wanted.join(' or '), because };
    expectThat(wanted.includes(code), expectation, String(code), exchange);
    return true;
  };

/** Claims of a token (RFC 7519). */
export type Claims = Readonly<Record<string, unknown>>;

/** A minted token that permits the operation, with these claims in place of the usual ones; undefined omits one. */
export const minted = ({ minter, operation }: ContextFor<'mint'>, changes: Claims = {}, variation?: number) =>
  minter.sign({ ...minter.claims(operation.scopes, variation), ...changes });

/** Variations in which a request is sent so that it meets every class; one in a run of few examples. */
export function variationsOf({ run, operation }: RequirementContext): readonly number[] {
  return [...Array(Math.ceil(run.neutral.rowsOfGroup(operation) * effortFraction(run))).keys()];
}

/** The same variations, and the first one again: a service may remember its response to an equal request. */
export const variationsAndAgain = (ctx: RequirementContext): readonly number[] => [...variationsOf(ctx), 0];

/**
 * Two of these variations, which share no class, for requests that are large or many; one in a run of few examples.
 * @param first number of the first one. Default: 0
 */
export const twoVariations = (ctx: RequirementContext, first = 0): readonly number[] =>
  variationsOf(ctx)
    .slice(0, 2)
    .map((variation) => first + variation);

/** The most variations that an operation of the specification has. */
const mostVariations = 5;

/**
 * Some of these values, others in each variation and on each operation, so that a few requests cover all of them.
 * @param count number of values. Default: 1
 */
export function inTurn<T>(
  { contract, operation }: RequirementContext,
  values: readonly T[],
  variation: number,
  count = 1,
): readonly T[] {
  const turn = variation + mostVariations * contract.operations.indexOf(operation);
  const start = (count * turn) % values.length;
  return [...values, ...values].slice(start, start + count);
}

/** Every page size from 1 to the maximum is served, the two bounds also with other parameters. */
export const sizesServed = (id: string, needs: readonly Capability[], name: 'take' | 'per_page'): Check =>
  requirement(id, { needs, judgeExchange: refusesNone(name, 'page') }, async (ctx) => {
    const [usual, most] = [defaultSize(ctx), largest(ctx)];
    const judge = async (size: number, variation?: number) => {
      // A page that begins at the end of the items may be refused, so no page number is added.
      const result = await ctx.call({ query: { [name]: size }, mayAddQuery: name === 'take', variation });
      expectServed(result, `${name}=${size} is within its bounds`);
    };
    for (const variation of variationsOf(ctx)) for (const size of [most, 1]) await judge(size, variation);
    await ctx.property(fc.integer({ min: 1, max: most }), (size) => judge(size), {
      fraction: 1 / 8,
      examples: [2, usual - 1, usual, usual + 1, most - 1],
    });
  });

/** Page sizes that violate the schema of their parameter are refused with 400. */
export const sizesRefused = (id: string, name: 'take' | 'per_page'): Check =>
  requirement(id, { needs: ['token'] }, async (ctx) => {
    const sizes = invalidText(ctx.contract, requirePagination(ctx.operation).size.parameter);
    if (sizes === undefined) throw new NotJudged(`its ${name} has no bounds`);
    const judge = ({ text, keyword }: InvalidText) =>
      expect400(ctx, { query: { [name]: text } }, `${name}=${text} violates its ${keyword}`);
    await ctx.property(sizes, judge, { fraction: 1 / 8 });
    await ctx.twin({ query: { [name]: defaultSize(ctx) } });
  });

/** The page without a parameter has the same items as the page with its default, in any order. */
export async function expectSamePage(
  ctx: RequirementContext,
  what: string,
  named: Query,
  without: Query,
): Promise<void> {
  const wanted = await page(ctx, named);
  const got = await page(ctx, without);
  const [expected, received] = [wanted, got].map(({ items }) => keys(items).toSorted());
  expectEqual(what, expected, received, wanted.result.exchange, got.result.exchange);
}

/** The text with each letter in the other case. */
export const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (each) => (each < 'a' ? each.toLowerCase() : each.toUpperCase()));

/** Spellings of 5 and 10 that some parsers accept, percent-encoded for a query, and an empty string. */
const integers = ['%2B5', '05', '5.0', '1e1', '0x10', '1_0', '%D9%A1%D9%A0', '%205', '5%20', ''];

/** The status of each spelling of an integer in this query parameter. The specification does not say which are integers. */
export async function spellings(ctx: RequirementContext, name: string) {
  const statuses = await settleAll(integers, async (text) => {
    const result = await ctx.call({ query: `${name}=${text}` });
    return [`${name}=${decodeURIComponent(text)}`, status(result)] as const;
  });
  return Object.fromEntries(statuses);
}
