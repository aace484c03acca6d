import { type Exchange, isSuccess } from '../client/exchange.ts';
import type { JsonObject } from '../contract/json.ts';
import type { Operation } from '../contract/model.ts';
import { plural } from '../report/text.ts';
import type { Call, Query } from './call.ts';
import { type CallResult, items, members, responseOf, status } from './call-result.ts';
import type { RequirementContext } from './context.ts';
import { expectServed } from './expect.ts';
import { requirement } from './requirement.ts';
import { settleAll } from './settle-all.ts';
import { NotJudged, Violation } from './verdict.ts';

export type Item = JsonObject;

/** The query for messages, without the checkpoint, which may be long: `a request without a query`, `?status=draft`. */
export function queryText({ from, ...query }: Query): string {
  const members = Object.entries({ ...query, ...(from !== undefined && { from: '…' }) });
  const given = members.flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`));
  return given.length === 0 ? 'a request without a query' : `?${given.join('&')}`;
}

/** One page of a walk. */
export interface Page {
  readonly result: CallResult;
  /**
   * Empty if the request was refused. A getter, so that a page keeps only the bytes of its body, not the parsed value.
   * @throws Violation for 401, 403 and 5xx, which no page of a listing is answered with
   */
  readonly items: readonly Item[];
  /** The checkpoint of the next page, if the response contains a usable one. */
  readonly next: string | undefined;
}

/** A listing walked from its first page by following `next`. */
export interface Walk {
  readonly pages: readonly Page[];
  readonly items: readonly Item[];
  /** Why the walk is not the whole listing: a page was refused, or the listing does not end. */
  readonly broken: Violation | undefined;
  /** True if the listing does not end. */
  readonly isEndless: boolean;
}

/** Maximum characters of a checkpoint or an id: most servers would refuse a URL with a longer one. */
const maximumTextLength = 16 * 1024;

/** Maximum bytes per page of a walk, on average, to limit the memory of the run. */
const bytesPerPage = 4 * 1024;

/** Pages that a walk may have in addition to one for each item: a server may filter after paging and return empty pages. */
const sparePages = 20;

/** Maximum pages of a walk of the operation: one for each item of the tenant and some more, if its data is known. */
function maximumPages(ctx: RequirementContext): number {
  const stored = storedExperiments(ctx);
  return stored === undefined ? Number.POSITIVE_INFINITY : stored.length + sparePages;
}

/** The experiments of the tenant, if the operation lists them and its data is known. */
export const storedExperiments = ({ operation, dataSet }: RequirementContext) =>
  operation.id === 'listExperiments' ? dataSet?.experiments : undefined;

/** @throws Error if the listing is longer than the run's limit: it may be endless */
export function assertReadable({ run }: RequirementContext, pages: number, bytes: number): void {
  if (pages >= run.maximumPages || bytes > bytesPerPage * run.maximumPages)
    throw new Error(
      `the listing does not end within ${pages} pages, ${bytes} bytes (limits.pages in the profile allows more)`,
    );
}

/** What identifies an item on any page: its id, or its content if it has none. */
export function key(item: Item): string {
  return typeof item.id === 'string' ? item.id : JSON.stringify(item);
}

/** The keys of the items, in order. */
export const keys = (items: readonly Item[]): readonly string[] => items.map(key);

/** Throws NotJudged if the listing has fewer items. */
export function assertAtLeast(wanted: number, reference: Walk): void {
  if (reference.items.length < wanted) {
    const found = plural(reference.items.length, 'item');
    throw new NotJudged(`the listing has ${found}; at least ${wanted} are needed`, ['--control']);
  }
}

/** The pagination of the operation. Throws NotJudged for an operation without pages. */
export function requirePagination(operation: Operation) {
  const { pagination } = operation;
  if (pagination === undefined) throw new NotJudged(`${operation.id} is not a listing`);
  return pagination;
}

/** Maximum page size of the operation. */
export const largest = (ctx: RequirementContext): number =>
  requirePagination(ctx.operation).size.maximum[ctx.target.cloud];

/** Default page size of the operation. */
export const defaultSize = (ctx: RequirementContext): number => requirePagination(ctx.operation).size.default;

/** This page size, or the maximum page size of the operation if that is smaller. */
export const sizeUpTo = (ctx: RequirementContext, size: number): number => Math.min(size, largest(ctx));

/** Lifetime of the operation's checkpoints in seconds. Throws NotJudged if there is none. */
export function checkpointLifetime({ operation }: RequirementContext): number {
  const pagination = requirePagination(operation);
  if (pagination.kind !== 'checkpoint') throw new NotJudged(`${operation.id} has no checkpoints`);
  if (pagination.lifetime === Number.POSITIVE_INFINITY)
    throw new NotJudged('the contract does not say how long checkpoints are valid');
  return pagination.lifetime;
}

/** The next checkpoint of the response, from its field or its `Link` header (RFC 8288); undefined if it has none. */
export function nextOf({ operation }: RequirementContext, result: CallResult): unknown {
  const pagination = requirePagination(operation);
  if (pagination.kind !== 'checkpoint') return undefined;
  // In other contracts, null or an empty text may stand for no checkpoint.
  if (pagination.next !== undefined)
    return operation.specified
      ? members(result)[pagination.next]
      : members(result)[pagination.next] || undefined;
  const links = responseOf(result)
    .headers.filter(([name]) => name === 'link')
    .map(([, value]) => value);
  const [, url = ''] = /<([^>]*)>[^<]*;\s*rel="?next"?/i.exec(links.join(', ')) ?? [];
  return new URLSearchParams(url.split('?')[1]).get(pagination.from) ?? undefined;
}

/** One page of the operation's listing. */
export async function page(ctx: RequirementContext, query: Query, call: Call = {}): Promise<Page> {
  const result = await ctx.call({ ...call, query });
  const next = nextOf(ctx, result);
  const found = items(result, requirePagination(ctx.operation).items);
  for (const text of [next, ...found.map(({ id }) => id)])
    if (typeof text === 'string' && text.length > maximumTextLength)
      throw new Error(
        `a next or an id has ${text.length} characters, more than the suite reads (at most ${maximumTextLength})`,
      );
  return {
    result,
    get items() {
      const code = status(result);
      if (code === 401 || code === 403 || code >= 500) expectServed({ ...result, certain: true });
      return items(result, requirePagination(ctx.operation).items);
    },
    next: typeof next === 'string' && next !== '' ? next : undefined,
  };
}

/**
 * Walks a checkpoint listing to its end.
 * @param query filters, sent with every page
 * @param take size of the pages; undefined sends none
 */
export async function walk(ctx: RequirementContext, query: Query = {}, take?: number): Promise<Walk> {
  const pages: Page[] = [];
  const walked = (broken?: Violation, isEndless = false): Walk => ({
    pages,
    get items() {
      return pages.flatMap((each) => each.items);
    },
    broken,
    isEndless,
  });
  const checkpoints = new Set<string>();
  const known = new Set<string>();
  const most = maximumPages(ctx);
  let from: string | undefined;
  let bytes = 0;
  for (;;) {
    const next = await page(ctx, { ...query, take, from });
    pages.push(next);
    const code = status(next.result);
    if (!isSuccess(code))
      return walked(new Violation(`a 2xx status for page ${pages.length}`, String(code), exchangesOf(pages)));
    if (next.next === undefined) return walked();
    const found = keys(next.items);
    // A checkpoint may keep its text while it advances, as the cursors of some databases do.
    const isStuck = checkpoints.has(next.next) && found.every((each) => known.has(each));
    if (isStuck || pages.length >= most) {
      const got = isStuck
        ? 'the same next a second time, without further items'
        : `${pages.length} pages, and a next on the last one`;
      return walked(new Violation('a walk that ends', got, exchangesOf(pages)), true);
    }
    // The checkpoint is also in the next request and its record.
    bytes += (next.result.exchange.response?.bodyBytes ?? 0) + 4 * next.next.length;
    // If the data is known, an endless walk is a violation.
    if (most === Number.POSITIVE_INFINITY) assertReadable(ctx, pages.length, bytes);
    checkpoints.add(next.next);
    for (const each of found) known.add(each);
    from = next.next;
  }
}

/** Returns the walk if it is complete, and throws NotJudged otherwise: another requirement covers that. */
export function requireComplete(found: Walk): Walk {
  if (found.broken !== undefined) {
    throw new NotJudged(
      `the listing cannot be walked (${found.broken.message}): see 8/checkpoint-walk-complete`,
    );
  }
  return found;
}

/**
 * The listing with a filter, walked in pages of the maximum size, or of the default size if the maximum is refused, which
 * 4.2/take-accepted covers.
 */
export async function walkListing(ctx: RequirementContext, query: Query = {}): Promise<Walk> {
  const found = await walk(ctx, query, largest(ctx));
  const isMaximumRefused = found.broken !== undefined && found.pages.length === 1;
  return isMaximumRefused ? await walk(ctx, query) : found;
}

/** The whole listing with a filter. Throws NotJudged if the listing can't be walked at all. */
export const wholeListing = async (ctx: RequirementContext, query: Query = {}): Promise<Walk> =>
  requireComplete(await walkListing(ctx, query));

/** The last exchanges of a walk, as evidence. */
export function exchangesOf(pages: readonly Page[]): readonly Exchange[] {
  return pages.slice(-4).map(({ result }) => result.exchange);
}

/** Attempts to judge a listing that changes meanwhile. */
const maximumAttempts = 3;

/**
 * Judges a listing that must not change meanwhile (section 8, convention 4). If the suite cannot seed the tenant, others may change it:
 * a violation counts only if the listing is the same before and after, and if it is seen twice.
 * @param textOf a text that differs if the listing has changed
 */
export async function whileUnchanged<Reference>(
  ctx: RequirementContext,
  read: () => Promise<Reference>,
  textOf: (reference: Reference) => string,
  judge: (reference: Reference) => Promise<void>,
): Promise<void> {
  for (let attempt = 1, violations = 0; ; attempt += 1) {
    const reference = await read();
    try {
      await judge(reference);
      return;
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      if (ctx.can('seed')) throw await unlessReordered(ctx, error);
      if (textOf(await read()) === textOf(reference)) violations += 1;
      if (violations === 2) throw error;
      if (attempt === maximumAttempts)
        throw new NotJudged(
          `the listing changed during each of ${attempt} attempts to read it; if concurrent requests of the suite change it, use --concurrency 1`,
        );
    }
  }
}

/** Judges the listing of experiments, of which any may change its status meanwhile. */
export const withStableListing = (
  ctx: RequirementContext,
  judge: (reference: Walk) => Promise<void>,
): Promise<void> =>
  whileUnchanged(
    ctx,
    () => wholeListing(ctx),
    ({ items }) => keys(items).join('\n'),
    judge,
  );

/** Requests for a first page that show whether its order changes: several replicas may respond in turn. */
const firstPages = 4;

/** The violation; NotJudged if the first page is not always the same: the specification allows another order in each walk. */
async function unlessReordered(ctx: RequirementContext, violation: Violation): Promise<Error> {
  const seen = new Set<string>();
  try {
    // At once: one after the other, requests of other requirements may come between them, so that the same replica serves all of them.
    const pages = await settleAll(Array(firstPages).keys(), () => page(ctx, { take: sizeUpTo(ctx, 5) }));
    for (const { items } of pages) seen.add(keys(items).join());
  } catch {
    // The target may have died: the violation stands.
    return violation;
  }
  return seen.size === 1
    ? violation
    : new NotJudged('the order of the listing changes, so pages of different walks cannot be compared');
}

/** A requirement that compares pages of different walks. It is not judged if their order differs. */
export const walkRequirement: typeof requirement = (id, execution, judge) =>
  requirement(id, execution, async (ctx) => {
    try {
      await judge(ctx);
    } catch (error) {
      throw error instanceof Violation ? await unlessReordered(ctx, error) : error;
    }
  });
