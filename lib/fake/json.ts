import { isObject, type JsonObject } from '../contract/json.ts';

/** The JSON of items that never change, as `itemJson` writes it; without it, writing JSON would be most of a page's cost. */
const written = new WeakMap<object, Buffer>();
const unwritten = Buffer.alloc(0);

/** Lets the JSON of an item be written only once. Neither it nor what it contains may change from now on. */
export function cacheJson(item: JsonObject): JsonObject {
  written.set(item, unwritten);
  return item;
}

/** The text of a body. */
export function plainJson(body: unknown): string {
  return JSON.stringify(body);
}

/** The bytes of `plainJson`; the lists of an object are put together from their items' JSON. */
export function jsonBytes(body: unknown): Buffer {
  if (!isObject(body) || !Object.values(body).some(isCached)) return Buffer.from(plainJson(body));
  const parts: Buffer[] = [];
  let text = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:`;
    if (!Array.isArray(value)) text += JSON.stringify(value);
    else {
      parts.push(Buffer.from(`${text}[`));
      value.forEach((item, index) => {
        const bytes = itemJson(item);
        parts.push(index === 0 ? bytes.subarray(1) : bytes);
      });
      text = ']';
    }
  }
  return Buffer.concat([...parts, Buffer.from(`${text}}`)]);
}

function isCached(list: unknown): boolean {
  return Array.isArray(list) && isObject(list[0]) && written.has(list[0]);
}

/** The JSON of a list's item, with the comma before it. */
function itemJson(item: unknown): Buffer {
  const known = isObject(item) ? written.get(item) : undefined;
  if (known !== undefined && known !== unwritten) return known;
  const bytes = Buffer.from(`,${JSON.stringify(item) ?? 'null'}`);
  if (isObject(item) && known !== undefined) written.set(item, bytes);
  return bytes;
}
