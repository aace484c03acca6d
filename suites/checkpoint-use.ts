import { filtersOf } from '../lib/arbitraries/dimensions.ts';
import { items, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectNoServerError, expectSuccess, expectThat, isServed, show } from '../lib/runner/expect.ts';
import { type Check, observation, requirement } from '../lib/runner/requirement.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { keys, type Page, page, requirePagination } from '../lib/runner/walk.ts';

/** Section 8, convention 2: a checkpoint is opaque, and a server may get one that it never issued. */

/** Longest percent-encoded checkpoint that keeps the request target under the limits of common servers. */
const longestEncoded = 1_900;

/** Page size for requirements on checkpoints, where the size does not matter. */
const take = 1;

/** Altered checkpoints, by a description of the change. */
const alteredCheckpoints = (next: string): Readonly<Record<string, string>> => {
  const middle = Math.floor(next.length / 2);
  const flipped = next[middle] === 'A' ? 'B' : 'A';
  const others = ['', 'garbage', '-1', '99999999999999999999', "' OR '1'='1", '{}', 'ü😀', '%00'];
  return {
    'without its last character': next.slice(0, -1),
    'without its second half': next.slice(0, middle),
    'with one more character': `${next}A`,
    'with another character in the middle': next.slice(0, middle) + flipped + next.slice(middle + 1),
    'in upper case': next.toUpperCase(),
    reversed: [...next].reverse().join(''),
    ...Object.fromEntries(
      others.map((each) => [each === '' ? 'that is empty' : `replaced by ${each}`, each]),
    ),
    'replaced by 2,000 characters': 'A'.repeat(2000),
  };
};

/** The first page, with its checkpoint. Throws NotJudged if it has none. */
async function firstPage(ctx: RequirementContext): Promise<Page & { readonly next: string }> {
  const { next, ...first } = await page(ctx, { take });
  if (next === undefined) throw new NotJudged('the listing has one page only', ['--control']);
  return { ...first, next };
}

/** The responses to a checkpoint used out of order, and to `count` altered ones. */
const misuse = async (ctx: RequirementContext, count?: number) => {
  const { next } = await firstPage(ctx);
  const second = await page(ctx, { take, from: next });
  const use = async (what: string, query: Record<string, string>) => ({
    what,
    result: (await page(ctx, { take, ...query })).result,
  });
  const again = [await use('used twice', { from: next })];
  if (second.next !== undefined) {
    again.push(await use('of a later page', { from: second.next }));
    again.push(await use('of an earlier page after a later one', { from: next }));
  }
  const filtered = filtersOf(ctx.operation).map(({ name, schema }) => ({
    what: `used with another ${name}`,
    query: { from: next, [name]: String(schema.enum?.[0] ?? 'no-such-value') },
  }));
  const changed = Object.entries(alteredCheckpoints(next))
    .slice(0, count)
    .map(([what, from]) => ({ what, query: { from } }));
  const others = await settleAll([...filtered, ...changed], ({ what, query }) => use(what, query));
  const found = [...again, ...others];
  // 8/checkpoint-misuse reports a server error, so 7/no-server-error need not report it again.
  ctx.run.attribute(found.map(({ result }) => result.exchange));
  return found;
};

export const checkpointUse: readonly Check[] = [
  requirement('8/checkpoint-opaque', { needs: ['token'] }, async (ctx) => {
    const eachByte = (text: string): string =>
      Buffer.from(text)
        .toString('hex')
        .replace(/../g, (byte) => `%${byte.toUpperCase()}`);
    for (const encode of [encodeURIComponent, eachByte]) {
      const first = await firstPage(ctx);
      const encoded = encode(first.next);
      if (encode === eachByte && encoded.length > longestEncoded) continue;
      const { from, size } = { from: 'from', ...requirePagination(ctx.operation) };
      const query = `${size.parameter.name}=${take}&${from}=${encoded}`;
      const result = await ctx.call({ query });
      expectSuccess(result, 'next was sent back unchanged except for percent-encoding');
      const got = keys(items(result, requirePagination(ctx.operation).items));
      const isNext = got.length > 0 && got[0] !== keys(first.items)[0];
      const evidence = [first.result.exchange, result.exchange];
      expectThat(isNext, 'the items after the first page', show(got), ...evidence);
    }
  }),

  requirement('8/checkpoint-misuse', { needs: ['token'] }, async (ctx) => {
    for (const { what, result } of await misuse(ctx))
      expectNoServerError(result, `a checkpoint ${what} may be refused but must not break the server`);
  }),

  observation('8/checkpoint-used-twice', { needs: ['token'] }, async (ctx) => {
    const first = await firstPage(ctx);
    const once = await page(ctx, { take, from: first.next });
    const twice = await page(ctx, { take, from: first.next });
    if (!isServed(twice.result)) return `refused with ${status(twice.result)}`;
    return keys(once.items).join() === keys(twice.items).join() ? 'same items' : 'other items';
  }),

  observation('8/checkpoint-tampered-status', { needs: ['token'] }, async (ctx) => {
    const found = await misuse(ctx, 4);
    return Object.fromEntries(found.map(({ what, result }) => [what, status(result)]));
  }),
];
