import fc, { type Arbitrary } from 'fast-check';
import { isObject } from '../contract/json.ts';
import { merged, typeOf } from '../contract/merge.ts';
import type { Contract } from '../contract/model.ts';
import { ifGenerated } from '../contract/not-generated.ts';
import type { Schema, Validate } from '../contract/schema.ts';
import { word } from '../contract/strings.ts';
import { arbitraryOf } from '../contract/valid.ts';

/** A value that violates its schema in one place. */
export interface Invalid {
  readonly value: unknown;
  /** The JSON Schema keyword that it violates: `maximum`. */
  readonly keyword: string;
  /** JSON Pointer to the place, empty for the value itself. */
  readonly pointer: string;
}

/** JSON values, one of each type (RFC 8259, section 3). */
const samples: Readonly<Record<string, Arbitrary<unknown>>> = {
  null: fc.constant(null),
  boolean: fc.boolean(),
  number: fc.oneof(fc.integer(), fc.constantFrom(1.5, -0.25)),
  string: fc.string({ maxLength: 8 }),
  array: fc.array(fc.string({ maxLength: 3 }), { maxLength: 2 }),
  object: fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), fc.integer(), { maxKeys: 2 }),
};

/** Values of any JSON type except these. */
export function ofOtherType(...types: readonly string[]): Arbitrary<unknown> {
  const others = Object.entries(samples).filter(
    ([type]) => !types.includes(type) && !(type === 'number' && types.includes('integer')),
  );
  return fc.oneof(...others.map(([, arbitrary]) => arbitrary));
}

/**
 * Values beyond the bounds of a schema, by the keyword that they violate.
 * @param longest a maximum length from this on gets no texts
 */
export function beyondBounds(
  { minimum, maximum, maxLength }: Schema,
  longest: number,
): Readonly<Record<string, Arbitrary<string | number>>> {
  const excess = fc.integer({ min: 1, max: 1000 });
  const fewer = fc.integer({ min: 1, max: 50 });
  return {
    ...(minimum !== undefined && { minimum: excess.map((by) => minimum - by) }),
    ...(maximum !== undefined && { maximum: excess.map((by) => maximum + by) }),
    ...(maxLength !== undefined &&
      maxLength < longest && { maxLength: fewer.map((by) => 'a'.repeat(maxLength + by)) }),
  };
}

/**
 * The ways in which a value can violate a schema of the contract: for each place and keyword, labelled values that violate it.
 * Empty if every value is valid.
 * @param validate validates the whole value, to filter out valid ones
 * @param most maximum number of ways, taken evenly from all
 */
export function invalidWays(
  contract: Contract,
  schema: Schema,
  validate: Validate,
  most = Number.POSITIVE_INFINITY,
): readonly Arbitrary<Invalid>[] {
  const isInvalid = ({ value }: Invalid) => validate(value).length > 0;
  const all = violations(contract, schema, 0);
  const step = Math.max(1, all.length / most);
  return all
    .filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
    .filter((way) => fc.sample(way, { numRuns: 5, seed: 1 }).some(isInvalid))
    .map((way) => way.filter(isInvalid));
}

function violations(contract: Contract, schema: Schema, depth: number): Arbitrary<Invalid>[] {
  const resolved = merged(contract, schema);
  const found: Arbitrary<Invalid>[] = [];
  const add = (keyword: string, arbitrary: Arbitrary<unknown>): void => {
    found.push(arbitrary.map((value) => ({ value, keyword, pointer: '' })));
  };
  const types = [resolved.type ?? []].flat();
  const fractions = fc.integer().map((each) => each + 0.5);
  if (types.length > 0) add('type', ofOtherType(...types));
  if (types.includes('integer')) add('type', fractions);
  if (resolved.enum !== undefined) {
    const strings = resolved.enum.filter((each): each is string => typeof each === 'string');
    add(
      'enum',
      fc.oneof(
        ...strings.map((each) => fc.constantFrom(each.toUpperCase(), `${each} `, `x${each}`)),
        fc.string({ minLength: 1, maxLength: 12 }),
      ),
    );
  }
  for (const [keyword, values] of Object.entries(beyondBounds(resolved, 10_000))) add(keyword, values);
  if (resolved.minLength !== undefined && resolved.minLength > 0)
    add('minLength', fc.constant('a'.repeat(Math.min(resolved.minLength, 10_000) - 1)));
  if (resolved.maxItems !== undefined && resolved.maxItems < 1000) {
    const length = resolved.maxItems + 1;
    const item = ifGenerated(() => arbitraryOf(contract, resolved.items ?? {}));
    if (item !== undefined) add('maxItems', fc.array(item, { minLength: length, maxLength: length }));
  }
  if (resolved.minItems !== undefined && resolved.minItems > 0) add('minItems', fc.constant([]));
  if (depth >= 3) return found;
  const alternatives = resolved.oneOf ?? resolved.anyOf ?? [];
  return [
    ...found,
    ...(typeOf(resolved) === 'object' ? objectViolations(contract, resolved, depth) : []),
    ...alternatives.flatMap((each) => violations(contract, each, depth + 1)),
  ];
}

function objectViolations(contract: Contract, schema: Schema, depth: number): Arbitrary<Invalid>[] {
  const whole = ifGenerated(() =>
    arbitraryOf(contract, schema, {}, depth).map((value) => (isObject(value) ? value : {})),
  );
  // A part is known to be invalid only within an otherwise valid value.
  if (whole === undefined) return [];
  const found: Arbitrary<Invalid>[] = (schema.required ?? []).map((name) =>
    whole.map((value) => {
      const { [name]: _dropped, ...rest } = value;
      return { value: rest, keyword: 'required', pointer: '' };
    }),
  );
  if (schema.additionalProperties === false) {
    const names = word(1, 12).filter((name) => schema.properties?.[name] === undefined);
    found.push(
      fc.tuple(whole, names, fc.jsonValue({ maxDepth: 1 })).map(([value, name, extra]) => ({
        value: { ...value, [name]: extra },
        keyword: 'additionalProperties',
        pointer: '',
      })),
    );
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    for (const broken of violations(contract, property, depth + 1)) {
      found.push(
        fc.tuple(whole, broken).map(([value, inner]) => ({
          value: { ...value, [name]: inner.value },
          keyword: inner.keyword,
          pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}${inner.pointer}`,
        })),
      );
    }
  }
  return found;
}
