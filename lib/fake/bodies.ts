import { isObject, parseJson } from '../contract/json.ts';
import { merged, typeOf } from '../contract/merge.ts';
import type { Contract, MediaType } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';
import { parsePairs } from './urlencoded.ts';

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

/**
 * True for a media type whose bodies are parsed and validated: JSON, and forms of fields without styles of their own. Bodies of
 * other media types are accepted whatever they contain.
 */
export function isParsed(contract: Contract, { kind, encoding, schema }: MediaType): boolean {
  if (kind !== 'form') return kind === 'json';
  const { oneOf, anyOf } = merged(contract, schema);
  return Object.keys(encoding).length === 0 && oneOf === undefined && anyOf === undefined;
}

/** The fields of a form; undefined if the text is not one, or a field that is not an array is repeated. */
export function parseForm(contract: Contract, media: MediaType, text: string): unknown {
  const pairs = parsePairs(text);
  if (pairs === undefined) return undefined;
  const { properties = {} } = merged(contract, media.schema);
  const texts = new Map<string, string[]>();
  for (const [name, value] of pairs) texts.set(name, [...(texts.get(name) ?? []), value]);
  const fields = [...texts].map(([name, [first = '', ...others]]): [string, unknown] => {
    const field = merged(contract, properties[name] ?? {});
    const isList = typeOf(field) === 'array' && (others.length > 0 || !first.startsWith('['));
    if (!isList) return [name, others.length > 0 ? undefined : coerced(contract, field, first)];
    return [name, [first, ...others].map((each) => coerced(contract, field.items ?? {}, each))];
  });
  return fields.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(fields);
}
