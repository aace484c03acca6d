import { discriminated, merged, typeOf } from './merge.ts';
import type { Contract, MediaType } from './model.ts';
import { formats, textsOf } from './patterns.ts';
import type { Direction, Schema } from './schema.ts';

/** A schema with its validator and the document's examples. */
export type Described = Pick<MediaType, 'schema' | 'validate' | 'examples'>;

/** Depth from which optional parts are omitted, because schemas may contain themselves. */
const deepest = 6;

/** Maximum number of samples that are tried to find a valid one. */
const maxAttempts = 64;

/** Maximum number of undeclared fields in a sample, and of items in a list. */
const mostOthers = 100;

/** Maximum length of a text in a sample. */
const longestText = 100_000;

/** Which sample of a schema to make, and for which direction. */
export interface SampleOptions {
  /** Request values have only the required fields, response values all of them. Default: `response`. */
  readonly direction?: Direction;
  /** Distinguishes items of a list by their texts and numbers. */
  readonly index?: number;
  /** Each attempt chooses other alternatives. Odd ones have the optional fields in a request and omit them in a response. */
  readonly attempt?: number;
}

/**
 * A value for a response, the same on each call: a valid example of the document, else the first valid sample, else an invalid
 * sample.
 */
export function exampleOf(contract: Contract, { schema, validate, examples }: Described): unknown {
  const isValid = (value: unknown) => validate(value).length === 0;
  const declared = examples.find(isValid);
  if (declared !== undefined) return declared;
  const attempt = findValidAttempt(contract, schema, 'response', isValid);
  return sample(contract, schema, { attempt: attempt ?? 0 });
}

/** The first attempt whose sample is valid; undefined if none is found. */
export function findValidAttempt(
  contract: Contract,
  schema: Schema,
  direction: Direction,
  isValid: (value: unknown) => boolean,
): number | undefined {
  let repeated = 0;
  for (let attempt = 0; attempt < maxAttempts && repeated < 2; attempt += 1) {
    const { value, isNew } = choose(contract, schema, { direction, attempt });
    if (isNew && isValid(value)) return attempt;
    repeated = isNew ? 0 : repeated + 1;
  }
  return undefined;
}

/** A readable value for a schema, the same on each call. Ignores rare keywords. */
export function sample(contract: Contract, schema: Schema, options: SampleOptions = {}): unknown {
  return choose(contract, schema, options).value;
}

/** @returns isNew: false if the schema has fewer choices than the number of the attempt */
function choose(
  contract: Contract,
  whole: Schema,
  { direction = 'response', index: first = 0, attempt = 0 }: SampleOptions,
): { readonly value: unknown; readonly isNew: boolean } {
  const isRequest = direction === 'request';
  const isSmall = (attempt % 2 === 0) === isRequest;
  let choices = Math.floor(attempt / 2);
  const next = <T>(all: readonly T[]): T | undefined => {
    const count = all.length || 1;
    const chosen = choices % count;
    choices = (choices - chosen) / count;
    return all[chosen];
  };

  const make = (unresolved: Schema, index: number, name: string, depth: number): unknown => {
    const schema = merged(contract, unresolved);
    const inner = (part: Schema, called = name, at = index): unknown => make(part, at, called, depth + 1);
    if (schema.const !== undefined) return schema.const;
    if (isSmall && schema.default !== undefined) return schema.default;
    if (schema.enum) return schema.enum[index % schema.enum.length];
    const { oneOf, anyOf, ...rest } = schema;
    const alternative = depth < 2 * deepest ? next(oneOf ?? anyOf ?? []) : undefined;
    if (alternative) return inner({ allOf: [rest, discriminated(schema, alternative)] });
    switch (typeOf(schema)) {
      case 'object':
        return Object.fromEntries(fields(schema, depth).map(([field, part]) => [field, inner(part, field)]));
      case 'array': {
        const usual = !isSmall && depth < deepest && schema.maxItems !== 0 ? 1 : 0;
        const length = Math.min(Math.max(schema.minItems ?? 0, usual), mostOthers);
        return Array.from({ length }, (_, at) =>
          inner(schema.prefixItems?.[at] ?? schema.items ?? {}, name, index + at),
        );
      }
      case 'boolean':
        return index % 2 === 0;
      case 'integer':
      case 'number':
        return number(schema, index);
      case 'null':
        return null;
      default:
        return typeOf(schema) === 'string'
          ? text(schema, index, isSmall ? 'conformance' : `${name}_${index}`)
          : {};
    }
  };

  const fields = (
    { properties = {}, required = [], additionalProperties: more, minProperties = 0 }: Schema,
    depth: number,
  ): (readonly [string, Schema])[] => {
    const isLeft = isRequest ? 'readOnly' : 'writeOnly';
    const named = [...new Set([...Object.keys(properties), ...required])]
      .filter((name) => (required.includes(name) ? depth < 2 * deepest : !isSmall && depth < deepest))
      .map((name) => [name, Object.hasOwn(properties, name) ? (properties[name] ?? {}) : {}] as const)
      .filter(([, part]) => typeof part === 'object' && contract.resolve(part)[isLeft] !== true);
    const others = Math.min(Math.max(0, minProperties - named.length), mostOthers);
    const other = typeof more === 'object' ? more : {};
    return [...named, ...Array.from({ length: others }, (_, at): [string, Schema] => [`field_${at}`, other])];
  };

  const value = make(whole, first, 'value', 0);
  return { value, isNew: choices === 0 };
}

function number(schema: Schema, index: number): number {
  const step = schema.multipleOf ?? 1;
  const lowest =
    schema.minimum ?? (schema.exclusiveMinimum === undefined ? 0 : schema.exclusiveMinimum + step);
  const highest = schema.maximum ?? (schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY) - step;
  const first = Math.ceil(Math.min(lowest, highest) / step) * step;
  return Math.min(first + index * step, Math.max(first, Math.floor(highest / step) * step));
}

function text(
  { format = '', pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Schema,
  index: number,
  usual: string,
): string {
  const formatted = Object.hasOwn(formats, format) ? formats[format]?.(index) : undefined;
  const plain = formatted ?? usual.padEnd(Math.min(minLength, longestText), '_').slice(-maxLength);
  const { form, matches = [] } = pattern === undefined ? {} : (textsOf(pattern) ?? {});
  if (form === undefined || form.test(plain)) return plain;
  const fitting = matches.filter((each) => each.length >= minLength && each.length <= maxLength);
  return fitting[index % fitting.length] ?? plain;
}
