import { isObject, type JsonObject } from '../contract/json.ts';
import type { Contract } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';
import { keepText } from './written.ts';

/** Keeps of an object what a schema declares. */
export type Projection = (value: JsonObject) => JsonObject;

/**
 * The projection onto a schema's declared properties, all the way down: so that nothing that a tenant holds beside them,
 * a secret's value above all, gets into an answer. Objects without declared properties stay whole.
 */
export function projection(contract: Contract, schema: Schema): Projection {
  const project = projector(contract, schema);
  return (value) => {
    const projected = project(value);
    return isObject(projected) ? projected : {};
  };
}

/** Enough for every page of an ordinary tenant; of a huge one not everything is kept. */
const rememberedItems = 5000;

/** What was made of a value when it was asked for. */
interface Asked {
  readonly projected: JsonObject;
  again: boolean;
}

/**
 * The projection, which is made only once of each of the values that were lately asked for. They must never change. Of what is
 * asked for again the text is kept too: of what a walk passes by once that would cost more than it saves.
 */
export function remembered(project: Projection): Projection {
  const known = new Map<JsonObject, Asked>();
  return (value) => {
    const asked = known.get(value);
    if (asked?.again) return asked.projected;
    if (asked !== undefined) {
      asked.again = true;
      keepText(asked.projected);
      return asked.projected;
    }
    const projected = project(value);
    if (known.size >= rememberedItems) known.clear();
    known.set(value, { projected, again: false });
    return projected;
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
    // It may be shown many times, and must come out the same.
    return Object.freeze(kept);
  };
}
