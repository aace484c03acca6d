import { isObject, type JsonObject } from '../contract/json.ts';
import type { Contract } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';

/** Keeps only the properties of an object that a schema declares. */
export type Projection = (value: JsonObject) => JsonObject;

/**
 * The projection onto a schema's declared properties at every level, so that nothing else that a tenant contains (above
 * all the value of a secret) appears in a response. Objects without declared properties are kept unchanged.
 */
export function projection(contract: Contract, schema: Schema): Projection {
  const project = projector(contract, schema);
  const known = new WeakMap<JsonObject, JsonObject>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const projected = project(value);
    const item = isObject(projected) ? projected : {};
    known.set(value, item);
    return item;
  };
}

function projector(contract: Contract, unresolved: Schema): (value: unknown) => unknown {
  const schema = contract.resolve(unresolved);
  if (schema.items) {
    const item = projector(contract, schema.items);
    return (value) => (Array.isArray(value) ? value.map(item) : value);
  }
  if (!schema.properties || schema.additionalProperties) return (value) => value;
  const fields = Object.entries(schema.properties).map(
    ([name, property]) => [name, projector(contract, property)] as const,
  );
  return (value) => {
    if (!isObject(value)) return value;
    const kept: Record<string, unknown> = {};
    for (const [name, project] of fields) if (value[name] !== undefined) kept[name] = project(value[name]);
    return Object.freeze(kept);
  };
}
