import { isObject, type JsonObject } from '../contract/json.ts';
import type { Contract } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';
import { cacheJson } from './json.ts';

/** Keeps of an object what a schema declares. */
export type Projection = (value: JsonObject) => JsonObject;

/**
 * The projection onto a schema's declared properties, all the way down, so that nothing else that a tenant contains
 * (the value of a secret above all) gets into a response. Objects without declared properties stay whole.
 */
export function projection(contract: Contract, schema: Schema): Projection {
  const project = projector(contract, schema);
  const known = new WeakMap<JsonObject, JsonObject>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const projected = project(value);
    const item = cacheJson(isObject(projected) ? projected : {});
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
