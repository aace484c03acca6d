import fc, { type Arbitrary } from 'fast-check';
import { contradiction, discriminated, integerBounds, merged, typeOf } from './merge.ts';
import type { Contract, MediaType } from './model.ts';
import { ifGenerated, NotGenerated } from './not-generated.ts';
import type { Direction, Schema } from './schema.ts';
import { validString, word } from './strings.ts';

/** Depth from which optional properties are omitted and arrays kept as short as possible, so that recursive schemas end. */
const maximumDepth = 3;

/** Depth beyond which a schema is assumed to require itself endlessly. */
const recursionLimit = 12;

/** Largest minimum length, and minimum number of items or fields, for which values are generated. */
const longestText = 100_000;
const mostParts = 1_000;

/** Number of values that are tried to find a valid one. */
const maximumTries = 60;

/** A schema with its validator and the document's examples. */
export type DescribedSchema = Pick<MediaType, 'schema' | 'validate' | 'examples'>;

/** Which values of a schema to generate. */
interface ValueOptions {
  /** Default: `request`. */
  readonly direction?: Direction;
  /** True for values without optional parts, with defaults where the schema has some. Default: false. */
  readonly smallest?: boolean;
}

/**
 * Valid values: generated from the schema, or the examples of the document if none is generated because of a keyword that the
 * generator does not support.
 * @throws NotGenerated with the reason
 */
export function validValues(
  contract: Contract,
  { schema, validate, examples }: DescribedSchema,
  direction: Direction = 'request',
): Arbitrary<unknown> {
  const isValid = (value: unknown) => validate(value).length === 0;
  const [first, ...others] = examples.filter(isValid);
  let reason = validate.problem;
  for (const smallest of [false, true]) {
    if (validate.problem !== undefined) break;
    try {
      const values = arbitraryOf(contract, schema, { direction, smallest });
      if (firstOf(values, isValid) !== undefined) return values.filter(isValid);
      const [error] = validate(fc.sample(values, { numRuns: 1, seed })[0]);
      reason ??= `${error?.pointer || 'it'} ${error?.message}`;
    } catch (error) {
      if (!(error instanceof NotGenerated)) throw error;
      reason ??= error.message;
    }
  }
  if (first !== undefined && validate.problem === undefined) return fc.constantFrom(first, ...others);
  throw new NotGenerated(`no value is generated that matches its schema: ${reason}`);
}

/** The seed for values that are the same in every run. */
const seed = 1;

/** The first of the values that fits, the same on each call; undefined if there is none among the first ones. */
export function firstOf(
  values: Arbitrary<unknown>,
  fits: (value: unknown) => boolean,
  most = maximumTries,
): unknown {
  // Tries only a few at first, because most schemas are simple.
  for (const numRuns of [3, most]) {
    const found = fc.sample(values, { numRuns, seed }).find(fits);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** This many valid values, the same on each call; none if none is generated. */
export function someValues(
  contract: Contract,
  described: DescribedSchema,
  direction: Direction,
  numRuns: number,
): readonly unknown[] {
  const values = ifGenerated(() => validValues(contract, described, direction));
  return values === undefined ? [] : fc.sample(values, { numRuns, seed });
}

/** A valid value for a response, the same on each call: the document's example if it is valid; null if none is generated. */
export function exampleOf(contract: Contract, described: DescribedSchema): unknown {
  const declared = described.examples.find((each) => described.validate(each).length === 0);
  return declared ?? someValues(contract, described, 'response', 1)[0] ?? null;
}

/** Values that match a schema of the contract, as far as its keywords are supported. @throws NotGenerated */
export function arbitraryOf(
  contract: Contract,
  schema: Schema | boolean,
  wanted: ValueOptions = {},
  depth = 0,
): Arbitrary<unknown> {
  if (typeof schema === 'boolean') return fc.jsonValue({ maxDepth: 1 });
  if (depth > recursionLimit) throw new NotGenerated('it requires itself endlessly');
  const resolved = merged(contract, schema);
  const { minLength = 0, minItems = 0, minProperties = 0 } = resolved;
  if (minLength > longestText || Math.max(minItems, minProperties) > mostParts)
    throw new NotGenerated('its smallest value is too large');
  const { smallest = false } = wanted;
  const isShort = smallest || depth >= maximumDepth;
  const inner = (part: Schema) => arbitraryOf(contract, part, wanted, depth + 1);
  if (resolved.const !== undefined) return fc.constant(resolved.const);
  if (smallest && resolved.default !== undefined) return fc.constant(resolved.default);
  if (resolved.enum !== undefined)
    return oneOf(resolved.enum.slice(0, smallest ? 1 : undefined).map((each) => () => fc.constant(each)));
  const alternatives = resolved.oneOf ?? resolved.anyOf;
  if (alternatives !== undefined && alternatives.length > 0) {
    const { oneOf: _oneOf, anyOf: _anyOf, ...rest } = resolved;
    const chosen = alternatives.map((each) => () => inner({ allOf: [rest, discriminated(resolved, each)] }));
    return oneOf(depth < maximumDepth ? chosen : chosen.toReversed());
  }
  switch (typeOf(resolved)) {
    case 'string':
      return validString(resolved, smallest);
    case 'integer':
      return validInteger(resolved, smallest);
    case 'number':
      return smallest ? validInteger(resolved, smallest) : validNumber(resolved);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case contradiction:
      throw new NotGenerated('its parts contradict each other');
    case 'array':
      return validArray(inner, resolved, isShort);
    case 'object':
      return validObject(inner, resolved, wanted.direction, isShort, contract);
    default:
      return smallest ? fc.constant({}) : fc.jsonValue({ maxDepth: 1 });
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
const unboundedLimit = 1e9;

function validInteger(schema: Schema, smallest: boolean): Arbitrary<number> {
  const { multipleOf: step = 1 } = schema;
  const { min, max } = integerBounds(schema);
  const first = Math.ceil(min / step);
  const last = smallest ? first : Math.floor(max / step);
  const safe = (value: number) => Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
  return fc.integer({ min: safe(first), max: safe(Math.max(first, last)) }).map((times) => times * step);
}

function validNumber(schema: Schema): Arbitrary<number> {
  const { multipleOf: step } = schema;
  const min = Math.max(schema.minimum ?? -unboundedLimit, schema.exclusiveMinimum ?? -unboundedLimit);
  const max = Math.max(
    min,
    Math.min(
      schema.maximum ?? Math.max(unboundedLimit, min),
      schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY,
    ),
  );
  if (step !== undefined && step > 0) {
    const [first, last] = [Math.ceil(min / step), Math.floor(max / step)];
    return fc
      .integer({ min: first, max: Math.max(first, last) })
      .map((times) => Number((times * step).toPrecision(12)));
  }
  const isInside = (value: number) => value !== schema.exclusiveMinimum && value !== schema.exclusiveMaximum;
  return fc.double({ min, max, noNaN: true }).filter((value) => min === max || isInside(value));
}

type Inner = (part: Schema) => Arbitrary<unknown>;

/** Maximum number of items of an array beyond the minimum. */
const furtherItems = 3;

function validArray(inner: Inner, schema: Schema, isShort: boolean): Arbitrary<unknown> {
  const fixed = (schema.prefixItems ?? []).map(inner);
  const minLength = Math.max(0, (schema.minItems ?? 0) - fixed.length);
  const most = Math.min(schema.maxItems ?? Number.POSITIVE_INFINITY, minLength + fixed.length + furtherItems);
  const maxLength = isShort ? minLength : Math.max(minLength, most - fixed.length);
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
  direction: Direction = 'request',
  isShort: boolean,
  contract: Contract,
): Arbitrary<unknown> {
  const { properties = {}, minProperties = 0 } = schema;
  const omittedFlag = direction === 'request' ? 'readOnly' : 'writeOnly';
  const isAllowed = (name: string) =>
    properties[name] === undefined || contract.resolve(properties[name])[omittedFlag] !== true;
  const required = [...new Set(schema.required ?? [])].filter(isAllowed);
  const optional = Object.keys(properties).filter((name) => isAllowed(name) && !required.includes(name));
  /** The number of optional properties without which there would be too few. */
  const needed = Math.max(0, minProperties - required.length);
  const model = new Map<string, Arbitrary<unknown>>();
  for (const name of required) model.set(name, inner(properties[name] ?? {}));
  for (const name of isShort ? optional.slice(0, needed) : optional) {
    const property = properties[name];
    // An optional property whose schema is `false` is omitted.
    if (property === undefined || typeof property === 'boolean') continue;
    const value = ifGenerated(() => inner(property));
    if (value !== undefined) model.set(name, value);
  }
  const requiredKeys = [...required, ...optional.slice(0, needed)].filter((name) => model.has(name));
  const record = fc.record(Object.fromEntries(model), { requiredKeys, noNullPrototype: true });
  const further = furtherMembers(inner, schema, minProperties - model.size, isShort);
  if (further === undefined) return record;
  return fc.tuple(record, further).map(([known, unknown]) => ({ ...unknown, ...Object(known) }));
}

/** Members that the schema does not name: as many as are missing, and some more if it describes them. */
function furtherMembers(
  inner: Inner,
  { properties = {}, additionalProperties = true }: Schema,
  missing: number,
  isShort: boolean,
): Arbitrary<object> | undefined {
  const isDescribed = typeof additionalProperties === 'object';
  if (additionalProperties === false || (missing <= 0 && (isShort || !isDescribed))) return undefined;
  const names = word(3, 8).filter((name) => !Object.hasOwn(properties, name));
  const minKeys = Math.max(0, missing);
  const maxKeys = minKeys + (isDescribed ? 2 : 0);
  const value = inner(isDescribed ? additionalProperties : {});
  return fc.dictionary(names, value, { minKeys, maxKeys, noNullPrototype: true });
}
