import type { JsonObject } from '../contract/json.ts';
import type { CheckpointPagination, OffsetPagination } from '../contract/model.ts';
import { type Call, refuse } from './call.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { State } from './state.ts';
import type { Filters, Listing } from './tenant.ts';

/** A page of a checkpoint-based listing. */
export interface CheckpointPage {
  /** All items in their total order, as the tenant contains them. */
  readonly all: readonly unknown[];
  readonly filters: Filters;
  readonly take: number;
  /** The checkpoint of the request; undefined on the first page. */
  readonly from: Checkpoint | undefined;
  /** The positions of the matches in the total order. */
  readonly positions: readonly number[];
  /** Index among the matches of the page's first item. */
  readonly first: number;
  /** Index among the matches at which the next page starts. */
  readonly end: number;
  /** Position in the total order of the next page's first match; undefined on the last page. */
  readonly nextPosition: number | undefined;
}

/** A page of an offset-based listing. */
export interface OffsetPage {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
}

/**
 * A page of a checkpoint-based listing (section 8, convention 2). A checkpoint is a position in the total order, so that
 * page size and filters may change between pages.
 * @param shown returns an item as it appears in the response; default: the item itself
 * @throws RefusedError 400 for an invalid checkpoint
 */
export function checkpointPage<T>(
  given: Listing<T>,
  pagination: CheckpointPagination,
  query: JsonObject,
  requested: Filters,
  call: Call,
  state: State,
  shown: (item: T) => JsonObject = Object,
): JsonObject {
  const { experiments: rules, checkpoints, paging } = state.rules;
  const listing = rules.listed(given, call);
  const name = call.operation?.id ?? '';
  const filters = rules.filters(requested, call);
  const sent = query[pagination.from];
  const from = typeof sent === 'string' ? decodeCheckpoint(sent, name, pagination, call, state) : undefined;
  const take = paging.size(numberOrNothing(query[pagination.size.parameter.name]), pagination, call);

  const wanted = Object.entries(filters);
  const positions: number[] = [];
  for (const [position, item] of listing.items.entries()) {
    const isMatch = wanted.every(([field, value]) =>
      rules.matches(field, value, listing.field(item, field), item, call),
    );
    if (isMatch) positions.push(position);
  }
  const first = rules.start(indexFrom(positions, from?.position ?? 0), positions.length, from, call);
  const end = Math.min(first + take, positions.length);
  const nextPosition = positions[end];
  const { items: all } = listing;
  const page: CheckpointPage = { all, filters, take, from, positions, first, end, nextPosition };
  const found = positions.slice(first, end).flatMap((position, index) => {
    const item = all[position];
    return item === undefined ? [] : [rules.shown(shown(item), index, page, call)];
  });
  const answer: Record<string, unknown> = { [pagination.items]: rules.items(found, page, call) };
  const position = rules.next(page, call);
  if (position !== undefined) {
    const issuedAt = checkpoints.issuedAt(call, from);
    const encoded = state.codec.encode(name, { seed: state.tenant.seeds, position, issuedAt });
    answer[pagination.next ?? 'next'] = checkpoints.shown(encoded, call);
  }
  return rules.responseBody(answer, page, call);
}

/** A page of an offset-based listing (section 8, convention 1). */
export function offsetPage(
  items: readonly JsonObject[],
  pagination: OffsetPagination,
  query: JsonObject,
  call: Call,
  state: State,
  shown: (item: JsonObject) => JsonObject = Object,
): JsonObject {
  const { versions: rules, paging } = state.rules;
  const wanted = numberOrNothing(query[pagination.page]) ?? pagination.first;
  const isCount = pagination.counts === 'items';
  const page: OffsetPage = {
    page: isCount ? 0 : wanted - pagination.first,
    perPage: paging.size(numberOrNothing(query[pagination.size.parameter.name]), pagination, call),
    total: items.length,
  };
  const found = rules.items(isCount ? items.slice(wanted) : items, page, call);
  const answer = {
    total: items.length,
    [pagination.page]: wanted,
    [pagination.size.parameter.name]: page.perPage,
    [pagination.items]: found.map((whole, index) => rules.shown(shown(whole), whole, index, page, call)),
  };
  return rules.responseBody(answer, page, call);
}

/** The index of the first of ascending positions that is not before this one. */
export function indexFrom(positions: readonly number[], position: number): number {
  const index = positions.findIndex((each) => each >= position);
  return index < 0 ? positions.length : index;
}

function decodeCheckpoint(
  text: string,
  name: string,
  pagination: CheckpointPagination,
  call: Call,
  { rules: { checkpoints: rules }, codec, tenant }: State,
): Checkpoint | undefined {
  const checkpoint = codec.decode(name, rules.read(text, call));
  if (checkpoint === undefined || checkpoint.seed !== tenant.seeds)
    return rules.invalid(call) === 'restart'
      ? undefined
      : refuse(400, 'invalid_cursor', 'The checkpoint is not known');
  if (rules.isValid(checkpoint.issuedAt, call, pagination)) return checkpoint;
  return rules.expired(checkpoint, call) === 'restart'
    ? undefined
    : refuse(400, 'expired_cursor', 'The checkpoint has expired');
}

function numberOrNothing(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
