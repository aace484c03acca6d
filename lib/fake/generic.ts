import { isObject, type JsonObject } from '../contract/json.ts';
import type { Operation } from '../contract/model.ts';
import type { Call, FakeResponse } from './call.ts';
import type { Inputs } from './checks.ts';
import { filtersOf, type Handler, ok } from './handlers.ts';
import { createListing } from './listing.ts';
import { checkpointPage, offsetPage, pageChoice } from './pages.ts';
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
  const status = statusOf(success?.status);
  const content = success?.content.find(({ mediaType }) => /[/+]json$/.test(mediaType));
  const { contract } = state;
  const { pagination } = operation;
  if (content === undefined) return () => ({ status, headers: [], body: undefined });
  if (pagination === undefined) {
    return (): FakeResponse => ({ status, headers: [], body: sample(content.schema, contract) });
  }

  const list = contract.resolve(content.schema.properties?.[pagination.items] ?? {});
  const items = Array.from({ length: generatedItems }, (_, index): JsonObject => {
    const item = sample(list.items ?? {}, contract, index);
    return isObject(item) ? item : {};
  });
  const whole = (item: JsonObject): JsonObject => item;
  const rest = sample(
    { ...content.schema, properties: without(content.schema.properties, pagination.items) },
    contract,
  );
  const others = isObject(rest) ? rest : {};
  if (pagination.kind === 'offset') {
    return ({ query }: Inputs, call: Call) =>
      ok({ ...others, ...offsetPage(items, pagination, query, whole, call, state) });
  }
  const listing = createListing(items, (item, name) => item[name]);
  return ({ query }: Inputs, call: Call) => {
    const known = Object.entries(filtersOf(query, pageChoice)).filter(([name]) => name in (items[0] ?? {}));
    const { next: _next, ...fixed } = others;
    return ok({
      ...fixed,
      ...checkpointPage(listing, pagination, query, Object.fromEntries(known), whole, call, state),
    });
  };
}

/** The status to answer with: 200 for `2XX`. */
function statusOf(status: string | undefined): number {
  return Number((status ?? '200').replace(/X+/, '00')) || 200;
}

function without<T>(
  values: Readonly<Record<string, T>> | undefined,
  name: string,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([each]) => each !== name));
}
