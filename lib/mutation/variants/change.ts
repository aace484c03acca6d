import { isObject, type JsonObject } from '../../contract/json.ts';
import type { WireResponse } from '../../fake/call.ts';
import { override, type Rules, type RulesOverride } from '../../fake/rules.ts';

/** The answer with these header fields, in place of any of the same names. */
export function withHeaders(answer: WireResponse, fields: Readonly<Record<string, string>>): WireResponse {
  const names = new Set(Object.keys(fields).map((name) => name.toLowerCase()));
  const kept = answer.headers.filter(([name]) => !names.has(name.toLowerCase()));
  return { ...answer, headers: [...kept, ...Object.entries(fields)] };
}

/** Changes every answer as it goes over the wire. */
export function onWire(
  change: (answer: WireResponse, call: Parameters<Rules['answers']['wire']>[1]) => WireResponse,
) {
  const rules: RulesOverride = (given) =>
    override(given, 'answers', ({ wire }) => ({ wire: (answer, call) => change(wire(answer, call), call) }));
  return rules;
}

/** The value with each value in it changed, the innermost first; `key` is the member's name, empty at the top. */
export function each(value: unknown, change: (value: unknown, key: string) => unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => each(item, change, key));
  if (!isObject(value)) return change(value, key);
  return change(
    Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, each(inner, change, name)])),
    key,
  );
}

/** The same for an object, which stays one. */
export function eachObject(value: JsonObject, change: (value: unknown, key: string) => unknown): JsonObject {
  const changed = each(value, change);
  return isObject(changed) ? changed : value;
}
