import fc, { type Arbitrary } from 'fast-check';
import type { Described } from '../contract/example.ts';
import { contradiction, discriminated, integerBounds, merged, typeOf } from '../contract/merge.ts';
import type { Contract } from '../contract/model.ts';
import type { Direction, Schema } from '../contract/schema.ts';
import { ifGenerated, NotGenerated } from './not-generated.ts';
import { validString, word } from './strings.ts';

/** Depth from which optional properties are omitted and arrays kept as short as possible, so that recursive schemas end. */
const deepest = 3;

/** Depth beyond which a schema is assumed to require itself endlessly. */
const endless = 12;

/** Largest minimum length, and minimum number of items or fields, for which values are generated. */
const longestText = 100_000;
const mostParts = 1_000;

/** Number of values that are tried to find a valid one. */
const tried = 60;

/**
 * Valid values: generated from the schema, or the examples of the document if none is generated because of a keyword that the
 * generator does not support.
 * @throws NotGenerated with the reason
 */
export function validValues(
  contract: Contract,
  { schema, validate, examples }: Described,
  direction: Direction = 'request',
): Arbitrary<unknown> {
  const isValid = (value: unknown) => validate(value).length === 0;
  const [first, ...others] = examples.filter(isValid);
  let reason = '';
  try {
    const values = valid(contract, schema, direction);
    if (validate.problem === undefined && someValid(values, isValid)) return values.filter(isValid);
    const [error] = validate(fc.sample(values, { numRuns: 1, seed: 1 })[0]);
    reason = validate.problem ?? `${error?.pointer || 'it'} ${error?.message}`;
  } catch (error) {
    if (!(error instanceof NotGenerated)) throw error;
    reason = error.message;
  }
  if (first !== undefined && validate.problem === undefined) return fc.constantFrom(first, ...others);
  throw new NotGenerated(`no value is generated that matches its schema: ${reason}`);
}

/** True if one of the first values is valid. Tries only a few at first, because most schemas are simple. */
function someValid(values: Arbitrary<unknown>, isValid: (value: unknown) => boolean): boolean {
  return [3, tried].some((numRuns) => fc.sample(values, { numRuns, seed: 1 }).some(isValid));
}

/** Values that match a schema of the contract, as far as its keywords are supported. @throws NotGenerated */
export function valid(
  contract: Contract,
  schema: Schema | boolean,
  direction: Direction = 'request',
  depth = 0,
): Arbitrary<unknown> {
  if (typeof schema === 'boolean') return fc.jsonValue({ maxDepth: 1 });
  if (depth > endless) throw new NotGenerated('it requires itself endlessly');
  const resolved = merged(contract, schema);
  const { minLength = 0, minItems = 0, minProperties = 0 } = resolved;
  if (minLength > longestText || Math.max(minItems, minProperties) > mostParts)
    throw new NotGenerated('its smallest value is too large');
  const inner = (part: Schema) => valid(contract, part, direction, depth + 1);
  if (resolved.const !== undefined) return fc.constant(resolved.const);
  if (resolved.enum !== undefined) return oneOf(resolved.enum.map((each) => () => fc.constant(each)));
  const alternatives = resolved.oneOf ?? resolved.anyOf;
  if (alternatives !== undefined && alternatives.length > 0) {
    const { oneOf: _oneOf, anyOf: _anyOf, ...rest } = resolved;
    const chosen = alternatives.map((each) => () => inner({ allOf: [rest, discriminated(resolved, each)] }));
    return oneOf(depth < deepest ? chosen : chosen.toReversed());
  }
  switch (typeOf(resolved)) {
    case 'string':
      return validString(resolved);
    case 'integer':
      return validInteger(resolved);
    case 'number':
      return validNumber(resolved);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case contradiction:
      throw new NotGenerated('its parts contradict each other');
    case 'array':
      return validArray(inner, resolved, depth);
    case 'object':
      return validObject(inner, resolved, direction, depth, contract);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

/** One of the arbitraries that can be made. @throws NotGenerated if none can be made */
function oneOf(makers: readonly (() => Arbitrary<unknown>)[]): Arbitrary<unknown> {
  const made: Arbitrary<unknown>[] = [];
  let reason: NotGenerated | undefined;
  for (const make of makers) {
    try {
      made.push(make());
    } catch (error) {
      if (!(error instanceof NotGenerated)) throw error;
      reason = error;
    }
  }
  if (made.length === 0) throw reason ?? new NotGenerated('it has no alternative');
  return fc.oneof(...made);
}

/** Bound of a number without bounds. */
const widest = 1e9;

function validInteger(schema: Schema): Arbitrary<number> {
  const { multipleOf: step = 1 } = schema;
  const { min, max } = integerBounds(schema);
  const [first, last] = [Math.ceil(min / step), Math.floor(max / step)];
  const safe = (value: number) => Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
  return fc.integer({ min: safe(first), max: safe(Math.max(first, last)) }).map((times) => times * step);
}

function validNumber(schema: Schema): Arbitrary<number> {
  const { multipleOf: step } = schema;
  const min = Math.max(schema.minimum ?? -widest, schema.exclusiveMinimum ?? -widest);
  const max = Math.max(
    min,
    Math.min(schema.maximum ?? Math.max(widest, min), schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY),
  );
  if (step !== undefined && step > 0) {
    const [first, last] = [Math.ceil(min / step), Math.floor(max / step)];
    return fc
      .integer({ min: first, max: Math.max(first, last) })
      .map((times) => Number((times * step).toPrecision(12)));
  }
  const excluded = (bound: number | undefined, used: number) =>
    bound !== undefined && bound === used && min < max;
  return fc.double({
    min,
    max,
    noNaN: true,
    minExcluded: excluded(schema.exclusiveMinimum, min),
    maxExcluded: excluded(schema.exclusiveMaximum, max),
  });
}

type Inner = (part: Schema) => Arbitrary<unknown>;

/** Maximum number of items of an array beyond the minimum. */
const furtherItems = 3;

function validArray(inner: Inner, schema: Schema, depth: number): Arbitrary<unknown> {
  const fixed = (schema.prefixItems ?? []).map(inner);
  const minLength = Math.max(0, (schema.minItems ?? 0) - fixed.length);
  const most = Math.min(schema.maxItems ?? Number.POSITIVE_INFINITY, minLength + fixed.length + furtherItems);
  const maxLength = depth >= deepest ? minLength : Math.max(minLength, most - fixed.length);
  if (maxLength === 0 && fixed.length === 0) return fc.constant([]);
  const item = maxLength === 0 ? fc.constant(null) : inner(schema.items ?? {});
  const options = { minLength, maxLength };
  const rest = schema.uniqueItems
    ? fc.uniqueArray(item, { ...options, selector: (each) => JSON.stringify(each) })
    : fc.array(item, options);
  return fixed.length === 0 ? rest : fc.tuple(fc.tuple(...fixed), rest).map((parts) => parts.flat());
}

function validObject(
  inner: Inner,
  schema: Schema,
  direction: Direction,
  depth: number,
  contract: Contract,
): Arbitrary<unknown> {
  const { properties = {}, minProperties = 0 } = schema;
  const left = direction === 'request' ? 'readOnly' : 'writeOnly';
  const isLeft = (name: string) =>
    properties[name] !== undefined && contract.resolve(properties[name])[left] === true;
  const required = [...new Set(schema.required ?? [])].filter((name) => !isLeft(name));
  const optional = Object.keys(properties).filter((name) => !required.includes(name) && !isLeft(name));
  // An optional property whose schema is `false` is omitted.
  const model: Record<string, Arbitrary<unknown>> = {};
  for (const name of required) set(model, name, inner(properties[name] ?? {}));
  const missing = Math.max(0, minProperties - required.length);
  const wanted = depth < deepest ? optional : optional.slice(0, missing);
  for (const name of wanted) {
    const property = properties[name];
    if (property === undefined || typeof property === 'boolean') continue;
    const value = ifGenerated(() => inner(property));
    if (value !== undefined) set(model, name, value);
  }
  const requiredKeys = [...required, ...wanted.slice(0, missing)];
  const record = fc.record(model, {
    requiredKeys: requiredKeys.filter((name) => Object.hasOwn(model, name)),
    noNullPrototype: true,
  });
  const others = minProperties - Object.keys(model).length;
  const { additionalProperties: more } = schema;
  if (more === false || (others <= 0 && typeof more !== 'object')) return record;
  if (others <= 0 && depth >= deepest) return record;
  const names = word(3, 8).filter((name) => !Object.hasOwn(properties, name));
  const size = {
    minKeys: Math.max(0, others),
    maxKeys: Math.max(0, others) + (typeof more === 'object' ? 2 : 0),
  };
  const entries = fc.dictionary(names, inner(typeof more === 'object' ? more : {}), {
    ...size,
    noNullPrototype: true,
  });
  return fc.tuple(record, entries).map(([known, unknown]) => ({ ...unknown, ...Object(known) }));
}

/** Sets a property, even one named `__proto__`. */
function set<T>(model: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(model, name, { value, enumerable: true, configurable: true, writable: true });
}
