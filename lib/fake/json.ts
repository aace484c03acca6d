import { isObject } from '../contract/json.ts';

/** The JSON of frozen items, which never change. Without this cache, serialization would be most of a page's cost. */
const cached = new WeakMap<object, string>();

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
  return Array.isArray(list) && isObject(list[0]) && Object.isFrozen(list[0]);
}

function itemJson(item: unknown): string {
  if (!isObject(item) || !Object.isFrozen(item)) return JSON.stringify(item);
  const text = cached.get(item) ?? JSON.stringify(item);
  cached.set(item, text);
  return text;
}
