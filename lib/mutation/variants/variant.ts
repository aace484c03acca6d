import { isObject, type JsonObject, mapValues } from '../../contract/json.ts';
import type { Cloud } from '../../contract/model.ts';
import type { Call, WireResponse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { after, everywhere } from '../builders/on.ts';
import type { Variant } from '../fault.ts';

/** Rules with the ids of the inferred requirements that may warn about them. */
export type RulesWithWarnings = readonly [rules: RulesOverride, ...warns: readonly string[]];

/** Variants by name, for tenants on this kind of cloud. */
export function variants(
  table: Readonly<Record<string, RulesOverride | RulesWithWarnings>>,
  cloud: Cloud = 'public',
): readonly Variant[] {
  return Object.entries(table).map(([name, variant]) => {
    const [rules, ...warns] = typeof variant === 'function' ? [variant] : variant;
    return { name, rules, warns, cloud };
  });
}

/** Changes every response as it is sent: fields to replace, or a function that returns them. */
export function onWire(
  transform: Partial<WireResponse> | ((response: WireResponse, call: Call) => Partial<WireResponse>),
): RulesOverride {
  return after('responses.wire', (response, _answer, call) => ({
    ...response,
    ...(typeof transform === 'function' ? transform(response, call) : transform),
  }));
}

/** Changes every value in the items of both listings, innermost first; undefined omits it. `key` is empty for the item itself. */
export function itemValues(transform: (value: unknown, key: string) => unknown): RulesOverride {
  const each = (value: unknown, key: string): unknown => {
    if (Array.isArray(value))
      return transform(
        value.map((item) => each(item, key)),
        key,
      );
    return transform(isObject(value) ? members(value) : value, key);
  };
  const members = (object: JsonObject): JsonObject => mapValues(object, each);
  return everywhere.item(members);
}

/** The members of every object in reverse order. */
export function reversedMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedMembers);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, reversedMembers(inner)] as const);
  return Object.fromEntries(members.toReversed());
}
