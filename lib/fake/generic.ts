import { isObject, type JsonObject } from '../contract/json.ts';
import type { Operation } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';
import type { Call } from './call.ts';
import type { Inputs } from './checks.ts';
import { filtersOf, type Handler, ok } from './handlers.ts';
import { checkpointPage, offsetPage } from './pages.ts';
import { sample } from './sample.ts';
import type { State } from './state.ts';

/** How many items a generated listing holds: more than two pages of the largest size, and no multiple of one. */
const generatedItems = 57;

/**
 * The handler of an operation that only its contract describes: answers are true to the declared schema, and listings
 * are paged over generated items. Nothing is kept of what is written.
 */
export function genericHandler(operation: Operation, state: State): Handler {
  const [success] = operation.success;
  // 200 for `2XX`.
  const status = Number(success?.status.replace(/X+/, '00')) || 200;
  const content = success?.content.find(({ mediaType }) => /[/+]json$/.test(mediaType));
  const { contract } = state;
  const { pagination } = operation;
  if (content === undefined) return () => ({ status, headers: [], body: undefined });
  if (pagination === undefined) {
    return () => ({ status, headers: [], body: sample(content.schema, contract) });
  }

  const object = (schema: Schema, index?: number): JsonObject => {
    const value = sample(schema, contract, index);
    return isObject(value) ? value : {};
  };
  const { items: item = {} } = contract.resolve(content.schema.properties?.[pagination.items] ?? {});
  const items = Array.from({ length: generatedItems }, (_, index) => object(item, index));
  const shown = (item: JsonObject): JsonObject => item;
  const { [pagination.items]: _items, ...others } = object(content.schema);
  if (pagination.kind === 'offset') {
    return ({ query }: Inputs, call: Call) =>
      ok({ ...others, ...offsetPage(items, pagination, query, shown, call, state) });
  }
  const { next: _next, ...fixed } = others;
  const listing = { items, field: (item: JsonObject, name: string) => item[name] };
  return ({ query }: Inputs, call: Call) => {
    const known = Object.entries(filtersOf(query)).filter(([name]) => name in (items[0] ?? {}));
    return ok({
      ...fixed,
      ...checkpointPage(listing, pagination, query, Object.fromEntries(known), shown, call, state),
    });
  };
}
