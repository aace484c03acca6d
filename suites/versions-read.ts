import { type CallResult, items, members, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectNone, expectStatus } from '../lib/runner/expect.ts';
import { settleAll } from '../lib/runner/settle-all.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import { assertReadable, type Item, key, largest, listing } from '../lib/runner/walk.ts';

/** How the versions of an action are read, for the suites of sections 2.3 and 4.4. */

export type Query = Readonly<Record<string, string | number | undefined>>;

/** A page of the versions of the action that requests name where they name none, or of this one. */
export async function page(
  ctx: RequirementContext,
  query: Query,
  actionId?: string,
): Promise<{ answer: CallResult; versions: readonly Item[] }> {
  const answer = await ctx.call({ query, ...(actionId !== undefined && { path: { actionId } }) });
  return {
    answer,
    // A getter, as in the page of a walk: what keeps the page keeps the bytes of its body only.
    get versions() {
      return status(answer) === 200 ? items(answer, listing(ctx.operation).items) : [];
    },
  };
}

/** A page without versions. */
export async function expectNoVersions(
  ctx: RequirementContext,
  query: Query,
  because: string,
  actionId?: string,
): Promise<void> {
  const { answer, versions } = await page(ctx, query, actionId);
  expectStatus(answer, 200, because);
  expectNone(`versions, because ${because}`, keys(versions), answer.exchange);
}

/** All versions, by the largest pages, until a page brings nothing new. Throws NotJudged where they can't be read. */
export async function all(
  ctx: RequirementContext,
  perPage = largest(ctx),
  actionId?: string,
): Promise<readonly Item[]> {
  const pages: Awaited<ReturnType<typeof page>>[] = [];
  const found = () => pages.flatMap(({ versions }) => versions);
  const seen = new Set<string>();
  let [count, total]: [number, unknown] = [0, undefined];
  for (let number = 0, bytes = 0; ; number += 1) {
    assertReadable(ctx, number, bytes);
    const next = await page(ctx, { page: number, per_page: perPage }, actionId);
    const { answer, versions } = next;
    // The page that begins exactly where the versions end may be refused: see 4.4/at-the-end.
    if (status(answer) !== 200 && count > 0 && count === total) return found();
    if (status(answer) !== 200)
      throw new NotJudged(`page ${number} was answered with ${status(answer)}: see 4.4/reads`);
    // A page that only repeats contains no further version: whether it may come at all, 4.4/beyond-the-end says.
    if (versions.every((version) => seen.has(key(version)))) return found();
    for (const version of versions) seen.add(key(version));
    pages.push(next);
    count += versions.length;
    total = members(answer).total;
    bytes += answer.exchange.response?.bodyBytes ?? 0;
  }
}

/**
 * All versions of an action that is known to have so many of them: its pages at once, and the one that comes after them. Throws
 * NotJudged where one of its own can't be read.
 */
export async function known(
  ctx: RequirementContext,
  count: number,
  perPage: number,
  actionId?: string,
): Promise<readonly Item[]> {
  const pages = Math.max(1, Math.ceil(count / perPage));
  const numbers = Array.from({ length: pages + 1 }, (_, number) => number);
  const read = await settleAll(numbers, (number) => page(ctx, { page: number, per_page: perPage }, actionId));
  const refused = read.slice(0, pages).find(({ answer }) => status(answer) !== 200);
  if (refused !== undefined)
    throw new NotJudged(`one of ${pages} pages was answered with ${status(refused.answer)}: see 4.4/reads`);
  return read.flatMap(({ versions }) => versions);
}

/** All versions of the action, at least this many. */
export async function atLeast(ctx: RequirementContext, count: number): Promise<readonly Item[]> {
  const found = await all(ctx);
  if (found.length < count)
    throw new NotJudged(
      `${found.length} versions of the action are listed, at least ${count} are needed`,
      ctx.optional.dataSet === undefined ? ['--control'] : [],
    );
  return found;
}

/** The versions by what distinguishes them. */
export const keys = (versions: readonly Item[]): readonly string[] => versions.map(key);
