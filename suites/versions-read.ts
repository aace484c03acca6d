import type { Exchange } from '../lib/client/exchange.ts';
import type { ActionEntry, DataSet } from '../lib/contract/data-set.ts';
import type { Call, Query } from '../lib/runner/call.ts';
import { members, status } from '../lib/runner/call-result.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import { expectNone, expectSuccess, isServed, plural, show } from '../lib/runner/expect.ts';
import { requirement } from '../lib/runner/requirement.ts';
import { NotJudged } from '../lib/runner/verdict.ts';
import {
  assertReadable,
  type Item,
  key,
  keys,
  largest,
  type Page,
  page,
  whileUnchanged,
} from '../lib/runner/walk.ts';

/** Reading the versions of an action, for the suites of sections 2.3 and 4.4. */

/** A request for the versions of this action. */
export const ofAction = (actionId: unknown): Call => ({ path: { actionId: String(actionId) } });

/** A requirement on the listing of versions, to which others may add some meanwhile. */
export const versionsRequirement: typeof requirement = (id, execution, judge) =>
  requirement(id, execution, (ctx) => {
    if (ctx.can('seed')) return judge(ctx);
    const newest = () => page(ctx, { page: 0, per_page: 1 });
    const textOf = ({ items, result }: Page) => show([keys(items), members(result).total]);
    return whileUnchanged(ctx, newest, textOf, () => judge(ctx));
  });

/** The action in the request's path, as the tenant contains it; undefined if that is not known. */
export function storedAction({ request }: Exchange, dataSet: DataSet | undefined): ActionEntry | undefined {
  const { pathname } = new URL(request.url);
  const ends = (id: unknown) => pathname.endsWith(`/${encodeURIComponent(String(id))}/versions`);
  return dataSet?.actions.find(({ action }) => ends(action.id));
}

/** The page is served, and has no versions. */
export async function expectNoVersions(
  ctx: RequirementContext,
  query: Query,
  because: string,
  action: Call = {},
): Promise<void> {
  const { result, items } = await page(ctx, query, action);
  expectSuccess(result, because);
  expectNone({ expected: 'versions', because }, keys(items), result.exchange);
}

/**
 * All versions of the call's action: reads pages until one has nothing new. Throws NotJudged if they cannot be read.
 * @param options.stored number of versions that the action is known to have
 */
export async function readVersions(
  ctx: RequirementContext,
  action: Call = {},
  { perPage = largest(ctx), stored = 0 } = {},
): Promise<readonly Item[]> {
  const pages: Page[] = [];
  const found = () => pages.flatMap(({ items }) => items);
  const seen = new Set<string>();
  let [count, total]: [number, unknown] = [0, undefined];
  for (let number = 0, bytes = 0; ; number += 1) {
    assertReadable(ctx, number, bytes);
    const next = await page(ctx, { page: number, per_page: perPage }, action);
    const { result, items: versions } = next;
    // A page that begins exactly at the end of the versions may be refused: see 4.4/at-the-end.
    if (!isServed(result) && count > 0 && count === total) return found();
    if (number * perPage < stored) expectSuccess(result, 'the action exists and has versions');
    if (!isServed(result))
      throw new NotJudged(
        `page=${number}&per_page=${perPage} was answered with ${status(result)}: see 4.4/reads and 4.4/per-page-accepted`,
      );
    // A page that only repeats versions ends the listing. 4.4/beyond-the-end judges whether it may have any.
    if (versions.every((version) => seen.has(key(version)))) return found();
    for (const version of versions) seen.add(key(version));
    pages.push(next);
    count += versions.length;
    total = members(result).total;
    bytes += result.exchange.response?.bodyBytes ?? 0;
  }
}

/** All versions of the action. Throws NotJudged if there are fewer than `count`. */
export async function readAtLeast(ctx: RequirementContext, count: number): Promise<readonly Item[]> {
  const found = await readVersions(ctx);
  if (found.length < count)
    throw new NotJudged(
      `the action has ${plural(found.length, 'version')}; at least ${count} are needed`,
      ctx.dataSet === undefined ? ['--action-id', '--control'] : [],
    );
  return found;
}
