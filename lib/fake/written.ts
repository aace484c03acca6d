import { isObject } from '../contract/json.ts';

/** What is kept of an object that is answered again and again. */
interface Kept {
  /** Its JSON. */
  text: Buffer | undefined;
  /** The list that last began with it, and that list's JSON without the brackets. */
  list: readonly unknown[];
  listed: Buffer | undefined;
}

const kept = new WeakMap<object, Kept>();

/** Lets the object's JSON be written only once. It must never change: neither it nor what it holds. */
export function keepText(value: object): void {
  if (!kept.has(value)) kept.set(value, { text: undefined, list: [], listed: undefined });
}

/** The body as `JSON.stringify` writes it, in parts. A list of kept objects is put together from their texts. */
export function writeJson(body: unknown): readonly (string | Buffer)[] {
  if (!isObject(body) || !Object.keys(body).some((name) => beginsKept(body[name])))
    return [JSON.stringify(body)];
  const parts: (string | Buffer)[] = [];
  let text = '{';
  for (const name of Object.keys(body)) {
    const value = body[name];
    const list = Array.isArray(value) ? listText(value) : undefined;
    const written: string | undefined = list ? '[' : JSON.stringify(value);
    if (written === undefined) continue;
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${written}`;
    if (list === undefined) continue;
    parts.push(text, list);
    text = ']';
  }
  return [...parts, `${text}}`];
}

function beginsKept(value: unknown): boolean {
  return Array.isArray(value) && isObject(value[0]) && kept.has(value[0]);
}

/** The JSON of a list of kept objects, without the brackets; undefined for any other list. */
function listText(list: readonly unknown[]): Buffer | undefined {
  const first = isObject(list[0]) ? kept.get(list[0]) : undefined;
  if (first === undefined) return undefined;
  if (first.listed && isSame(first.list, list)) return first.listed;
  const texts: Buffer[] = [];
  for (const item of list) {
    const text = isObject(item) ? textOf(item) : undefined;
    if (text === undefined) return undefined;
    texts.push(comma, text);
  }
  first.list = [...list];
  first.listed = Buffer.concat(texts.slice(1));
  return first.listed;
}

const comma = Buffer.from(',');

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

function textOf(item: object): Buffer | undefined {
  const known = kept.get(item);
  if (known) known.text ??= Buffer.from(JSON.stringify(item));
  return known?.text;
}
