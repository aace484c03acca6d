import { isObject, parseJson } from '../contract/json.ts';
import { merged, typeOf } from '../contract/merge.ts';
import type { Contract, MediaType } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';
import { type Reading, readPairs } from '../contract/styles.ts';
import { type Pairs, parsePairs } from './urlencoded.ts';

/** Reads a text by its schema: as a number, a boolean, null or JSON if the schema allows that, otherwise as the text itself. */
export function coerced(contract: Contract, schema: Schema, text: string): unknown {
  const types = typesOf(contract, schema, 0);
  const allows = (...wanted: readonly string[]) => wanted.some((each) => types.has(each));
  if (allows('integer', 'number') && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text))
    return Number(text);
  if (allows('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (allows('null') && text === '') return null;
  const json = allows('object', 'array') || types.size === 0 ? parseJson(text) : undefined;
  return isObject(json) || Array.isArray(json) ? json : text;
}

function typesOf(contract: Contract, schema: Schema, depth: number): ReadonlySet<string> {
  const found = merged(contract, schema);
  const alternatives = depth > 4 ? [] : (found.oneOf ?? found.anyOf ?? []);
  if (alternatives.length > 0)
    return new Set(alternatives.flatMap((each) => [...typesOf(contract, each, depth + 1)]));
  if (found.type !== undefined) return new Set([found.type].flat());
  const values = found.const === undefined ? (found.enum ?? []) : [found.const];
  return new Set(
    [...values.map((each) => (each === null ? 'null' : typeof each)), typeOf(found) ?? []].flat(),
  );
}

/** The fields of a form; undefined if the text is not one, or a field that is not an array is repeated. */
export function parseForm(contract: Contract, media: MediaType, text: string): unknown {
  const pairs = parsePairs(text);
  return pairs && fieldsOf(contract, media, pairs);
}

/** The parts of `multipart/form-data` (RFC 7578) as fields; undefined if the boundary does not occur. */
export function parseMultipart(
  contract: Contract,
  media: MediaType,
  text: string,
  contentType: string,
): unknown {
  const [, quoted, bare] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const [start, ...parts] = `\r\n${text}`.split(`\r\n--${quoted ?? bare}`);
  if (start === undefined || parts.length === 0 || !parts.at(-1)?.startsWith('--')) return undefined;
  const pairs = parts.slice(0, -1).map((part): [string, string] => {
    const end = part.indexOf('\r\n\r\n');
    const [, name = ''] = /name="([^"]*)"/i.exec(part.slice(0, end)) ?? [];
    return [name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n'), part.slice(end + 4)];
  });
  return fieldsOf(contract, media, pairs);
}

function fieldsOf(contract: Contract, { schema, encoding }: MediaType, pairs: Pairs): unknown {
  const fieldOf = (name: string) => fieldSchema(contract, schema, name);
  const fields: [string, unknown][] = [];
  const styled = Object.entries(encoding).flatMap(([name, style]) => {
    const field = fieldOf(name);
    const reading = readingOf(contract, field);
    const inner = Object.keys(field.properties ?? {});
    const value = readPairs({ ...style, name }, pairs, reading, inner);
    if (value !== undefined) fields.push([name, reading.type === undefined ? [value].flat()[0] : value]);
    return [name, ...(style.explode && reading.type === 'object' ? inner : [])];
  });

  for (const [name, texts] of grouped(pairs)) {
    if (styled.some((each) => each === name || name.startsWith(`${each}[`))) continue;
    const field = fieldOf(name);
    if (typeOf(field) === 'array' && !(texts.length === 1 && texts[0]?.startsWith('[')))
      fields.push([name, texts.map((text) => coerced(contract, field.items ?? {}, text))]);
    else if (texts.length > 1) return undefined;
    else fields.push([name, coerced(contract, field, texts[0] ?? '')]);
  }
  return Object.fromEntries(fields);
}

/** How the texts of a value are read; arrays and objects are read element by element. */
export function readingOf(contract: Contract, schema: Schema): Reading {
  const found = merged(contract, schema);
  const type = typeOf(found);
  if (type !== 'array' && type !== 'object')
    return { type: undefined, scalar: (text) => coerced(contract, schema, text) };
  const part = (field = ''): Schema => (type === 'array' ? found.items : found.properties?.[field]) ?? {};
  return { type, scalar: (text, field) => coerced(contract, part(field), text) };
}

/** The schema of a form field, from the first alternative that has the field. */
function fieldSchema(contract: Contract, schema: Schema, name: string, depth = 0): Schema {
  const found = merged(contract, schema);
  const own = found.properties?.[name];
  if (own !== undefined) return merged(contract, own);
  const alternatives = depth > 2 ? [] : (found.oneOf ?? found.anyOf ?? []);
  const all = alternatives.map((each) => fieldSchema(contract, each, name, depth + 1));
  return all.find((each) => Object.keys(each).length > 0) ?? {};
}

function grouped(pairs: Pairs): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, text] of pairs) groups.set(name, [...(groups.get(name) ?? []), text]);
  return groups;
}
