import { isObject, type JsonObject } from '../contract/json.ts';

/** The JSON of items that never change, each with a comma before it; without it, writing JSON would be most of a page's cost. */
const cached = new WeakMap<object, Buffer | undefined>();

/** Lets the JSON of an item be written only once. Neither it nor what it contains may change from now on. */
export function cacheJson(item: JsonObject): JsonObject {
  cached.set(item, undefined);
  return item;
}

/** The JSON of a body; the lists of an object are put together from their items' JSON. */
export function jsonBytes(body: unknown): Buffer {
  if (!isObject(body) || !Object.values(body).some(isCached)) return Buffer.from(JSON.stringify(body));
  const parts: Buffer[] = [];
  let text = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:`;
    if (!Array.isArray(value)) text += JSON.stringify(value);
    else {
      const items = value.map(itemJson);
      parts.push(Buffer.from(`${text}[`), items[0]?.subarray(1) ?? Buffer.alloc(0), ...items.slice(1));
      text = ']';
    }
  }
  return Buffer.concat([...parts, Buffer.from(`${text}}`)]);
}

function isCached(list: unknown): boolean {
  return Array.isArray(list) && isObject(list[0]) && cached.has(list[0]);
}

/** The JSON of a list's item, with the comma before it. */
function itemJson(item: unknown): Buffer {
  if (!isObject(item)) return Buffer.from(`,${JSON.stringify(item)}`);
  const bytes = cached.get(item) ?? Buffer.from(`,${JSON.stringify(item)}`);
  if (cached.has(item)) cached.set(item, bytes);
  return bytes;
}
