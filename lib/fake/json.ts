import { isObject, type JsonObject } from '../contract/json.ts';

/** The JSON of items that never change. Without this cache, serialization would be most of a page's cost. */
const cached = new WeakMap<object, string | undefined>();

/** Serializes an item only once. Neither the item nor its content may change afterwards. */
export function cacheJson(item: JsonObject): JsonObject {
  cached.set(item, undefined);
  return item;
}

/** The JSON of a body. Lists of an object are joined from the cached JSON of their items. */
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
