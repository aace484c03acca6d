import type { Contract } from './model.ts';
import type { Schema } from './schema.ts';

/** Depth of nested `allOf` from which the rest is omitted, because the schema contains itself. */
const longestChain = 12;

/** The schema with its `$ref` resolved and its `allOf` merged. */
export function merged(contract: Pick<Contract, 'resolve'>, schema: Schema, depth = 0): Schema {
  const resolved = contract.resolve(schema);
  if (resolved.allOf === undefined || depth > longestChain) return resolved;
  const { allOf, ...own } = resolved;
  return allOf
    .filter((part) => typeof part === 'object')
    .map((part) => merged(contract, part, depth + 1))
    .reduce(mergeTwo, own);
}

/** One schema with the constraints of both, as far as possible. */
function mergeTwo(one: Schema, other: Schema): Schema {
  const result: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = result[key];
    const combine = before === undefined || value === undefined ? undefined : combiners[key];
    result[key] = combine === undefined ? (value ?? before) : combine(before, value);
  }
  const alternatives = one.oneOf ?? one.anyOf;
  // A merged schema has one set of alternatives: pairs of both sets. Omitted pairs are covered by validating the whole value.
  if (alternatives !== undefined && (other.oneOf ?? other.anyOf) !== undefined) {
    delete result.anyOf;
    result.oneOf = (other.oneOf ?? other.anyOf ?? []).flatMap((second) =>
      alternatives.slice(0, 4).map((first) => ({ allOf: [first, second] })),
    );
  }
  return result;
}

/** The type of a schema whose parts require different types. */
export const contradiction = 'contradiction';

const combiners: Readonly<Record<string, (one: unknown, other: unknown) => unknown>> = {
  properties: (one, other) => {
    const names = new Set([...Object.keys(Object(one)), ...Object.keys(Object(other))]);
    return Object.fromEntries(
      [...names].map((name) => {
        const parts = [Object(one)[name], Object(other)[name]].filter((each) => each !== undefined);
        return [name, parts.length === 1 ? parts[0] : { allOf: parts }];
      }),
    );
  },
  required: (one, other) => [...new Set([one, other].flat())],
  type: (one, other) => {
    const common = [one]
      .flat()
      .filter((each) => [other].flat().includes(each) || (each === 'integer' && other === 'number'));
    return common.length === 1 ? common[0] : common.length === 0 ? contradiction : common;
  },
  enum: (one, other) => {
    const common = [one].flat().filter((each) => [other].flat().includes(each));
    return common.length > 0 ? common : other;
  },
  const: (one) => one,
  minimum: (one, other) => Math.max(Number(one), Number(other)),
  maximum: (one, other) => Math.min(Number(one), Number(other)),
  minLength: (one, other) => Math.max(Number(one), Number(other)),
  maxLength: (one, other) => Math.min(Number(one), Number(other)),
  items: (one, other) =>
    typeof one === 'object' && typeof other === 'object' ? { allOf: [one, other] } : other,
  additionalProperties: (one, other) => (one === false ? one : other),
};

/** The alternative with the discriminator's value that names it (OpenAPI 3.1, section 4.8.25). */
export function discriminated({ discriminator }: Schema, alternative: Schema): Schema {
  const { propertyName, mapping = {} } = discriminator ?? {};
  if (propertyName === undefined || typeof alternative.$ref !== 'string') return alternative;
  const { $ref } = alternative;
  const name = $ref.split('/').at(-1) ?? '';
  const [value = name] = Object.entries(mapping).find(([, to]) => to === $ref || to === name) ?? [];
  return {
    allOf: [
      alternative,
      { type: 'object', required: [propertyName], properties: { [propertyName]: { const: value } } },
    ],
  };
}

/** The declared type of a schema, the first one except null if it declares several, or the type that its keywords imply. */
export function typeOf(schema: Schema): string | undefined {
  if (typeof schema.type === 'string') return schema.type;
  if (schema.type !== undefined) return schema.type.find((each) => each !== 'null') ?? 'null';
  if (schema.properties !== undefined || schema.required !== undefined || schema.minProperties !== undefined)
    return 'object';
  if (typeof schema.additionalProperties === 'object') return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array';
  if (schema.pattern !== undefined || schema.minLength !== undefined || schema.maxLength !== undefined)
    return 'string';
  return schema.minimum === undefined && schema.maximum === undefined ? undefined : 'number';
}

/** The smallest and the largest integer that the schema allows. A missing maximum is 0x7fff above the smallest. */
export function integerBounds({
  minimum = Number.NEGATIVE_INFINITY,
  exclusiveMinimum = Number.NEGATIVE_INFINITY,
  maximum = Number.POSITIVE_INFINITY,
  exclusiveMaximum = Number.POSITIVE_INFINITY,
}: Schema): { min: number; max: number } {
  const lowest = Math.max(Math.ceil(minimum), Math.floor(exclusiveMinimum) + 1);
  const max = Math.min(Math.floor(maximum), Math.ceil(exclusiveMaximum) - 1);
  const min = Number.isFinite(lowest) ? lowest : Math.min(0, max);
  return { min, max: Math.max(min, Number.isFinite(max) ? max : min + 0x7fff) };
}
