import fc from 'fast-check';
import { type InvalidText, invalidText } from '../lib/arbitraries/input.ts';
import type { Query } from '../lib/runner/call.ts';
import type { Capability } from '../lib/runner/capabilities.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { assertExists, expect400, expectEqual, expectServed } from '../lib/runner/expect.ts';
import { type Check, requirement } from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { defaultSize, keys, largest, page, requirePagination } from '../lib/runner/walk.ts';
import { statusesOf } from './observed-statuses.ts';
import { variationsOf } from './requests.ts';
import { acceptsParameter } from './valid-exchanges.ts';

/** Page sizes, of both kinds of pagination. */

/** The operation's own name for the page size. */
const sizeName = ({ operation }: RequirementContext): string =>
  requirePagination(operation).size.parameter.name;

/** Every page size from 1 to the maximum is served, the two bounds also with other parameters. */
export const sizesServed = (id: string, needs: readonly Capability[], name: 'take' | 'per_page'): Check =>
  requirement(id, { needs, judgeExchange: acceptsParameter(name, 'page') }, async (ctx) => {
    const [usual, most] = [defaultSize(ctx), largest(ctx)];
    const judge = async (size: number, variation?: number) => {
      // A page that begins at the end of the items may be refused, so no page number is added. An added filter may match nothing.
      const mayAddQuery = name === 'take' && (variation ?? 0) > 0;
      const result = await ctx.call({ query: { [name]: size }, mayAddQuery, variation });
      assertExists(ctx, result);
      expectServed(result, `${sizeName(ctx)}=${size} is within its bounds`);
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
    if (sizes === undefined) throw new NotJudged(`${sizeName(ctx)} has no bounds`);
    const judge = ({ text, keyword }: InvalidText) =>
      expect400(ctx, { query: { [name]: text } }, `${sizeName(ctx)}=${text} violates its ${keyword}`);
    const examples = [{ text: `${defaultSize(ctx)}k`, keyword: 'type' }];
    await ctx.property(sizes, judge, { fraction: 1 / 8, examples });
    await ctx.twin({ query: { [name]: defaultSize(ctx) } });
  });

/** The page without a parameter has the same items as the page with its default, in any order. */
export async function expectSamePage(ctx: RequirementContext, what: string, named: Query, without: Query) {
  const wanted = await page(ctx, named);
  const got = await page(ctx, without);
  const [expected, received] = [wanted, got].map(({ items }) => keys(items).toSorted());
  expectEqual(what, expected, received, wanted.result.exchange, got.result.exchange);
}

/** Spellings of 5, 10 and 12 that some parsers accept, percent-encoded for a query, and an empty string. */
const integers = ['%2B5', '05', '5.0', '1e1', '%205', '1%202', ''];

/** Observes the status of each spelling in this query parameter. The specification does not say which are integers. */
export const spellings = (id: string, needs: readonly Capability[], name: string): Check =>
  statusesOf(id, { needs }, () =>
    Object.fromEntries(
      integers.map((text) => [`${name}=${decodeURIComponent(text)}`, { query: `${name}=${text}` }]),
    ),
  );
