import fc, { type Arbitrary } from 'fast-check';
import type { Contract } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';

/** Below this depth of nesting optional properties are left out and arrays kept empty, so that recursive schemas end. */
const deepest = 6;

/** Values that hold against a schema of the contract. */
export function valid(contract: Contract, schema: Schema, depth = 0): Arbitrary<unknown> {
  const resolved = merged(contract, schema);
  if (resolved.const !== undefined) return fc.constant(resolved.const);
  if (resolved.enum !== undefined) return fc.constantFrom(...resolved.enum);
  const alternatives = resolved.oneOf ?? resolved.anyOf;
  if (alternatives !== undefined && alternatives.length > 0) {
    return fc.oneof(
      ...alternatives.map((each) => valid(contract, { ...without(resolved), ...each }, depth + 1)),
    );
  }
  switch (typeOf(resolved)) {
    case 'string':
      return validString(resolved);
    case 'integer':
      return fc.integer(integerBounds(resolved));
    case 'number':
      return fc.double({
        min: resolved.minimum ?? resolved.exclusiveMinimum ?? -1e9,
        max: resolved.maximum ?? resolved.exclusiveMaximum ?? 1e9,
        noNaN: true,
        minExcluded: resolved.exclusiveMinimum !== undefined,
        maxExcluded: resolved.exclusiveMaximum !== undefined,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return validArray(contract, resolved, depth);
    case 'object':
      return validObject(contract, resolved, depth);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

/** The schema with `$ref` followed and `allOf` laid over one another. */
export function merged(contract: Contract, schema: Schema): Schema {
  const resolved = contract.resolve(schema);
  if (resolved.allOf === undefined) return resolved;
  const parts = [{ ...resolved, allOf: undefined }, ...resolved.allOf.map((part) => merged(contract, part))];
  const result: Record<string, unknown> = {};
  for (const part of parts)
    for (const [key, value] of Object.entries(part)) if (value !== undefined) result[key] = value;
  return {
    ...result,
    properties: Object.assign({}, ...parts.map((part) => part.properties ?? {})),
    required: parts.flatMap((part) => part.required ?? []),
  };
}

/** The type that the schema names, the first that is not null where it names several, or the one its keywords imply. */
export function typeOf(schema: Schema): string | undefined {
  if (typeof schema.type === 'string') return schema.type;
  if (schema.type !== undefined) return schema.type.find((each) => each !== 'null') ?? 'null';
  if (schema.properties !== undefined || schema.required !== undefined) return 'object';
  return schema.items === undefined ? undefined : 'array';
}

/** The integers that the schema allows, within 32 bits, signed. */
export function integerBounds(schema: Schema): { min: number; max: number } {
  const min = Math.ceil(
    schema.minimum ?? (schema.exclusiveMinimum === undefined ? 0 : schema.exclusiveMinimum + 1),
  );
  const max = Math.floor(
    schema.maximum ?? (schema.exclusiveMaximum === undefined ? min + 0x7fff : schema.exclusiveMaximum - 1),
  );
  return { min, max: Math.max(min, max) };
}

function without(schema: Schema): Schema {
  const { oneOf: _oneOf, anyOf: _anyOf, ...rest } = schema;
  return rest;
}

function validString(schema: Schema): Arbitrary<string> {
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  switch (schema.format) {
    case 'date-time':
      return fc
        .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString());
    case 'date':
      return fc
        .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10));
    case 'uuid':
      return fc.uuid();
    case 'email':
      return fc.emailAddress();
    case 'uri':
    case 'url':
      return fc.webUrl();
    case 'ipv4':
      return fc.ipV4();
    case 'ipv6':
      return fc.ipV6();
    case 'hostname':
      return fc.domain();
    default: {
      const minLength = schema.minLength ?? 1;
      return fc.string({
        minLength,
        maxLength: Math.min(schema.maxLength ?? minLength + 40, minLength + 40),
      });
    }
  }
}

function validArray(contract: Contract, schema: Schema, depth: number): Arbitrary<unknown> {
  const minLength = schema.minItems ?? 0;
  const maxLength = depth >= deepest ? minLength : Math.min(schema.maxItems ?? minLength + 3, minLength + 3);
  const item = valid(contract, schema.items ?? {}, depth + 1);
  const options = { minLength, maxLength };
  return schema.uniqueItems
    ? fc.uniqueArray(item, { ...options, selector: JSON.stringify })
    : fc.array(item, options);
}

function validObject(contract: Contract, schema: Schema, depth: number): Arbitrary<unknown> {
  const required = schema.required ?? [];
  const names = Object.keys(schema.properties ?? {}).filter(
    (name) => depth < deepest || required.includes(name),
  );
  const missing = required.filter((name) => !names.includes(name));
  const model: Record<string, Arbitrary<unknown>> = {};
  for (const name of [...names, ...missing])
    model[name] = valid(contract, schema.properties?.[name] ?? {}, depth + 1);
  return fc.record(model, { requiredKeys: [...required], noNullPrototype: true });
}
