import type { Exchange } from '../client/exchange.ts';
import type { Operation } from '../contract/model.ts';
import type { Call } from './call.ts';
import { type CallResult, items, members, response, status } from './call-result.ts';
import type { RequirementContext } from './context.ts';
import { NotJudged, Violation } from './verdict.ts';

export type Item = Readonly<Record<string, unknown>>;
export type Query = Readonly<Record<string, string | number | undefined>>;

/** The query as messages name it, without what may be long: `a request without a query`, `?status=draft`. */
export function queryText({ from, ...query }: Query): string {
  const members = Object.entries({ ...query, ...(from !== undefined && { from: '…' }) });
  const given = members.flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`));
  return given.length === 0 ? 'a request without a query' : `?${given.join('&')}`;
}

/** One page of a walk. */
export interface Page {
  readonly answer: CallResult;
  /** A getter, so that a page keeps the bytes of its body only, not what is parsed of it. */
  readonly items: readonly Item[];
  /** The checkpoint of the page that follows, where the answer carries a usable one. */
  readonly next: string | undefined;
}

/** A listing walked from its first page by following `next`. */
export interface Walk {
  readonly pages: readonly Page[];
  readonly items: readonly Item[];
  /** Why it is not the whole listing: a page was refused, or there seems to be no end. */
  readonly broken: Violation | undefined;
}

/** Characters of a checkpoint or an ID: the URL with a longer one would be refused by most servers. */
const maximumTextLength = 16 * 1024;

/** Bytes of a listing for each page that it may have, on average: a walk that reads more fills the memory. */
const bytesPerPage = 4 * 1024;

/** Bytes of one page: many times what the largest one of a tenant has. */
const maximumPageBytes = 1024 * 1024;

/** Pages that a walk may take in addition to one for each item: empty ones, of a server that filters after it has cut the page. */
const sparePages = 20;

/** The most pages that a walk of the operation may take: one for each item of the tenant, where that is known. */
function mostPages(ctx: RequirementContext): number {
  const { dataSet } = ctx.optional;
  if (dataSet === undefined || ctx.operation.id !== 'listExperiments') return Number.POSITIVE_INFINITY;
  return dataSet.experiments.length + sparePages;
}

/** @throws Error for a listing that has become longer than the run reads: it may have no end */
export function assertReadable({ run }: RequirementContext, pages: number, bytes: number): void {
  if (pages >= run.maximumPages || bytes > bytesPerPage * run.maximumPages)
    throw new Error(
      `the listing does not end within ${pages} pages, ${bytes} bytes (limits.pages in the profile allows more)`,
    );
}

/** The same item on any page: its id, or its content where it has none. */
export function key(item: Item): string {
  return typeof item.id === 'string' ? item.id : JSON.stringify(item);
}

/** The items by what distinguishes them, in their order. */
export const keys = (items: readonly Item[]): readonly string[] => items.map(key);

/** Throws NotJudged where the listing is too short to show it. */
export function atLeast(wanted: number, reference: Walk): void {
  if (reference.items.length < wanted) {
    throw new NotJudged(`the listing has ${reference.items.length} items, at least ${wanted} are needed`, [
      '--control',
    ]);
  }
}

/** The name of the listing's array and its page size parameter. Throws NotJudged for an operation without pages. */
export function listing(operation: Operation) {
  const { pagination } = operation;
  if (pagination === undefined) throw new NotJudged(`${operation.id} is not a listing`);
  return pagination;
}

/** Items on the largest pages of the operation's listing. */
export const largest = (ctx: RequirementContext): number =>
  listing(ctx.operation).size.maximum[ctx.target.cloud];

/** Items on the pages of the operation's listing where no size is asked for. */
export const defaultSize = (ctx: RequirementContext): number => listing(ctx.operation).size.default;

/** So many items, or as many as a page of the operation's listing may have. */
export const sizeUpTo = (ctx: RequirementContext, size: number): number => Math.min(size, largest(ctx));

/** Seconds that the checkpoints of an operation's listing live. */
export function checkpointLifetime(operation: Operation): number {
  const pagination = listing(operation);
  if (pagination.kind !== 'checkpoint') throw new NotJudged(`${operation.id} has no checkpoints`);
  if (pagination.lifetime === Number.POSITIVE_INFINITY)
    throw new NotJudged('nothing says how long its checkpoints are valid');
  return pagination.lifetime;
}

/** The answer's next checkpoint, from its field or its `Link` header (RFC 8288); undefined where it has none. */
export function nextOf({ operation }: RequirementContext, answer: CallResult): unknown {
  const pagination = listing(operation);
  if (pagination.kind !== 'checkpoint') return undefined;
  // Other documents may declare null or an empty text for none.
  if (pagination.next !== undefined)
    return operation.specified
      ? members(answer)[pagination.next]
      : members(answer)[pagination.next] || undefined;
  const links = response(answer)
    .headers.filter(([name]) => name === 'link')
    .map(([, value]) => value);
  const [, url = ''] = /<([^>]*)>[^<]*;\s*rel="?next"?/i.exec(links.join(', ')) ?? [];
  return new URLSearchParams(url.split('?')[1]).get(pagination.from) ?? undefined;
}

/** One page of the operation's listing. */
export async function page(ctx: RequirementContext, query: Query, call: Call = {}): Promise<Page> {
  const answer = await ctx.call({ ...call, query });
  const next = nextOf(ctx, answer);
  const found = items(answer, listing(ctx.operation).items);
  const { bodyBytes = 0 } = answer.exchange.response ?? {};
  if (bodyBytes > maximumPageBytes)
    throw new Error(`a page of ${bodyBytes} bytes: the suite takes up to ${maximumPageBytes}`);
  for (const text of [next, ...found.map(({ id }) => id)])
    if (typeof text === 'string' && text.length > maximumTextLength)
      throw new Error(
        `a next or an id of ${text.length} characters: the suite takes up to ${maximumTextLength}`,
      );
  return {
    answer,
    get items() {
      return items(answer, listing(ctx.operation).items);
    },
    next: typeof next === 'string' && next !== '' ? next : undefined,
  };
}

/**
 * Walks a checkpoint listing to its end.
 * @param query filters, sent with every page
 * @param take page size of each page in turn, the last one for all that follow; undefined sends none
 */
export async function walk(
  ctx: RequirementContext,
  query: Query = {},
  ...take: readonly (number | undefined)[]
): Promise<Walk> {
  const pages: Page[] = [];
  const walked = (broken?: Violation): Walk => ({
    pages,
    get items() {
      return pages.flatMap((each) => each.items);
    },
    broken,
  });
  const seen = new Set<string>();
  const most = mostPages(ctx);
  let from: string | undefined;
  let bytes = 0;
  for (;;) {
    const size = take[Math.min(pages.length, take.length - 1)];
    const next = await page(ctx, { ...query, take: size, from });
    pages.push(next);
    const code = status(next.answer);
    if (code < 200 || code > 299)
      return walked(new Violation(`a 2xx status for page ${pages.length}`, String(code), exchangesOf(pages)));
    if (next.next === undefined) return walked();
    if (seen.has(next.next) || pages.length >= most) {
      const got = seen.has(next.next)
        ? 'the same next a second time'
        : `${pages.length} pages, and a next on the last one`;
      return walked(new Violation('a walk that ends', got, exchangesOf(pages)));
    }
    // A checkpoint stands in the request too, and in what is recorded of it.
    bytes += (next.answer.exchange.response?.bodyBytes ?? 0) + 4 * next.next.length;
    // Where the data is known, a walk without an end is a violation.
    if (most === Number.POSITIVE_INFINITY) assertReadable(ctx, pages.length, bytes);
    seen.add(next.next);
    from = next.next;
  }
}

/** The walk, where it came to its end; throws NotJudged otherwise: another requirement blames the server for that. */
export function whole(found: Walk): Walk {
  if (found.broken !== undefined) {
    throw new NotJudged(
      `the listing cannot be walked (${found.broken.message}): see 8/checkpoint-walk-complete`,
    );
  }
  return found;
}

/**
 * The whole listing under a filter, by the largest pages; by those of the default size where the largest are refused,
 * which 4.2/take-accepted blames. Throws NotJudged where it can't be walked at all.
 */
export async function wholeListing(ctx: RequirementContext, query: Query = {}): Promise<Walk> {
  const found = await walk(ctx, query, largest(ctx));
  return whole(found.broken !== undefined && found.pages.length === 1 ? await walk(ctx, query) : found);
}

/** The last exchanges of a walk, as evidence. */
export function exchangesOf(pages: readonly Page[]): readonly Exchange[] {
  return pages.slice(-4).map(({ answer }) => answer.exchange);
}

/** Readings of a listing that may change under the suite's eyes, after which it gives up. */
const maximumReadings = 3;

/**
 * Judges something about a listing that must not have changed meanwhile (section 8, convention 4). A violation stands
 * only where the listing reads the same before and after; otherwise the judgement is tried again.
 */
export async function withStableListing(
  ctx: RequirementContext,
  query: Query,
  judge: (reference: Walk) => Promise<void>,
): Promise<void> {
  for (let reading = 1; ; reading += 1) {
    const reference = await wholeListing(ctx, query);
    try {
      await judge(reference);
      return;
    } catch (error) {
      if (!(error instanceof Violation) || ctx.run.dataSet !== undefined) throw error;
      const again = await wholeListing(ctx, query);
      if (keys(again.items).join('\n') === keys(reference.items).join('\n')) throw error;
      if (reading === maximumReadings)
        throw new NotJudged('the data changed while it was read, several times');
    }
  }
}
