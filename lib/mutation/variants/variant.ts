import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Call, WireResponse } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { Variant } from '../fault.ts';
import { after, compose } from '../rule-overrides.ts';

type Options = Pick<Variant, 'warns' | 'cloud'>;

/** Variants by name: what the service does, its rules, and which requirements may warn or the kind of cloud. */
export function variants(
  table: Readonly<Record<string, readonly [description: string, rules: RulesOverride, options?: Options]>>,
): readonly Variant[] {
  return Object.entries(table).map(([name, [description, rules, options]]) => ({
    name,
    description,
    rules,
    ...options,
  }));
}

/** Changes every response as it goes over the wire: fields to replace, or what returns them. */
export function onWire(
  transform: Partial<WireResponse> | ((response: WireResponse, call: Call) => Partial<WireResponse>),
): RulesOverride {
  return after('responses.wire', (response, _answer, call) => ({
    ...response,
    ...(typeof transform === 'function' ? transform(response, call) : transform),
  }));
}

/** Changes every value in the items of both listings, the innermost first; `key` is empty for the item itself. Undefined omits it. */
export function itemValues(transform: (value: unknown, key: string) => unknown): RulesOverride {
  const each = (value: unknown, key: string): unknown => {
    if (Array.isArray(value))
      return transform(
        value.map((item) => each(item, key)),
        key,
      );
    return transform(isObject(value) ? members(value) : value, key);
  };
  const members = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, inner]) => [name, each(inner, name)]));
  return compose(after('experiments.shown', members), after('versions.shown', members));
}

/** The members of every object in reverse order. */
export function reversedMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedMembers);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, reversedMembers(inner)] as const);
  return Object.fromEntries(members.toReversed());
}
