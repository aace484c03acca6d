import { isObject, type JsonObject } from '../contract/json.ts';

/** The JSON of items that never change; without it, writing JSON would be most of a page's cost. */
const cached = new WeakMap<object, string | undefined>();

/** Lets the JSON of an item be written only once. Neither it nor what it contains may change from now on. */
export function cacheJson(item: JsonObject): JsonObject {
  cached.set(item, undefined);
  return item;
}

/** The JSON of a body; the lists of an object are put together from their items' JSON. */
export function jsonOf(body: unknown): string {
  if (!isObject(body) || !Object.values(body).some(isCached)) return JSON.stringify(body);
  const members = Object.entries(body).filter(([, value]) => value !== undefined);
  const parts = members.map(([name, value]) => {
    const text = Array.isArray(value) ? `[${value.map(itemJson).join(',')}]` : JSON.stringify(value);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${parts.join(',')}}`;
}

function isCached(list: unknown): boolean {
  return Array.isArray(list) && isObject(list[0]) && cached.has(list[0]);
}

function itemJson(item: unknown): string {
  const text = (isObject(item) && cached.get(item)) || JSON.stringify(item);
  if (isObject(item) && cached.has(item)) cached.set(item, text);
  return text;
}
