import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import type { Contract } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';
import { listedItems } from './exchange-checks.ts';
import { show } from './expect.ts';
import type { ExchangeContext, JudgeExchange } from './requirement.ts';
import { Violation } from './verdict.ts';
import type { Item } from './walk.ts';

/** How closely the response must match what the tenant contains. */
type Extent =
  /** Scalars that are present on both sides, times to the second. Arrays may be empty or in another order. */
  | 'scalars'
  /** Every field, arrays in their order, times to the millisecond. */
  | 'complete';

/** Throws a Violation if the response differs from what the tenant contains in fields that the component's schema declares. */
const expectSame =
  (extent: Extent) =>
  (
    { contract }: Pick<ExchangeContext, 'contract'>,
    component: string,
    wanted: unknown,
    got: unknown,
    exchange: Exchange,
  ): void => {
    const schema = contract.component(component);
    if (schema === undefined) throw new Error(`the contract has no schema ${component}`);
    if (isDeepStrictEqual(wanted, got)) return;
    const [first] = mismatches(contract, extent, schema, { pointer: '', wanted, got });
    if (first === undefined) return;
    const item = isObject(wanted) && typeof wanted.id === 'string' ? ` of ${wanted.id}` : '';
    throw new Violation(`${first.pointer}${item}: ${show(first.wanted)}`, show(first.got), [exchange]);
  };

/**
 * The scalars of the response equal those that the tenant contains. The response may leave out fields, have further ones, empty
 * or reorder arrays, and round times to seconds.
 */
export const expectScalars = expectSame('scalars');

/**
 * The response contains everything that the tenant contains. It may have further fields, but inner records may have no value for
 * a declared field that the tenant's do not have. A date-time may have any form of the same instant (RFC 3339).
 */
export const expectContent = expectSame('complete');

/**
 * Judges those items of every page of the run that the tenant is known to contain.
 * @param stored the items that the tenant contains
 */
export function onEveryPage(
  stored: (data: DataSet) => readonly Item[],
  judge: (wanted: Item, item: Item, exchange: Exchange, ctx: ExchangeContext) => void,
): JudgeExchange {
  return (exchange, ctx) => {
    const listed = listedItems(exchange, ctx.operation);
    if (listed === undefined || ctx.dataSet === undefined) return false;
    const all = stored(ctx.dataSet);
    for (const item of listed) {
      const [wanted, another] = all.filter(({ id }) => id === item.id);
      if (wanted !== undefined && another === undefined) judge(wanted, item, exchange, ctx);
    }
    return true;
  };
}

/** The two messages that a tenant contains, without the further fields that an inspection may have. */
export function tenantMessages({ phone_templates: templates }: DataSet): DataSet['phone_templates'] {
  const { enrollment_message, verification_message } = templates;
  return { enrollment_message, verification_message };
}

/** The fields of an object that the component's schema declares; others may change at any time. */
export function declaredFields(
  { contract }: Pick<ExchangeContext, 'contract'>,
  component: string,
  item: Item,
): Item {
  const declared = Object.keys(contract.component(component)?.properties ?? {});
  return Object.fromEntries(Object.entries(item).filter(([name]) => declared.includes(name)));
}

/** True for a scalar other than the default values of many languages, which may stand for a missing field. */
const isNonDefault = (value: unknown): boolean =>
  Boolean(value) && typeof value !== 'object' && !String(value).startsWith('0001-');

/** Two values at the same place. */
interface Pair {
  readonly pointer: string;
  readonly wanted: unknown;
  readonly got: unknown;
}

/** The innermost values that differ. */
function* mismatches(contract: Contract, extent: Extent, given: Schema, pair: Pair): Generator<Pair> {
  const schema = contract.resolve(given);
  const { wanted, got } = pair;
  if (extent === 'scalars' && (got === undefined || got === null || wanted === null)) return;
  // The requirements on schemas report values of another type.
  if (got !== undefined && got !== null && kind(got) !== kind(wanted)) return;
  if (schema.type === 'integer' && typeof got === 'number' && !Number.isInteger(got)) return;
  if (Array.isArray(wanted)) yield* arrayMismatches(contract, extent, schema, { ...pair, wanted });
  else if (isObject(wanted)) yield* objectMismatches(contract, extent, schema, { ...pair, wanted });
  else if (schema.format === 'date-time') {
    if (isDateTime(got) && !sameInstant(wanted, got, extent)) yield pair;
  } else if (!isDeepStrictEqual(wanted, got)) yield pair;
}

function* arrayMismatches(
  contract: Contract,
  extent: Extent,
  { items = {} }: Schema,
  pair: Pair & { readonly wanted: readonly unknown[] },
): Generator<Pair> {
  const { pointer, wanted, got } = pair;
  if (!Array.isArray(got)) return yield pair;
  if (extent === 'scalars') return yield* unmatched(contract, items, wanted, got, pointer);
  if (got.length !== wanted.length) return yield pair;
  for (const [index, each] of wanted.entries()) {
    const inner = { pointer: `${pointer}/${index}`, wanted: each, got: got[index] };
    yield* mismatches(contract, extent, items, inner);
  }
}

function* objectMismatches(
  contract: Contract,
  extent: Extent,
  { properties = {} }: Schema,
  pair: Pair & { readonly wanted: JsonObject },
): Generator<Pair> {
  const { pointer, wanted, got } = pair;
  if (!isObject(got)) return yield pair;
  // The content of an object without declared properties is not specified.
  for (const [name, property] of Object.entries(properties)) {
    const inner = { pointer: `${pointer}/${name}`, wanted: wanted[name], got: got[name] };
    if (inner.wanted !== undefined && inner.wanted !== null)
      yield* mismatches(contract, extent, property, inner);
    else if (extent === 'complete' && pointer !== '' && isNonDefault(inner.got))
      yield { ...inner, wanted: undefined };
  }
}

/** How each element of the response differs from the closest remaining element of the tenant, in any order. */
function* unmatched(
  contract: Contract,
  schema: Schema,
  wanted: readonly unknown[],
  got: readonly unknown[],
  pointer: string,
): Generator<Pair> {
  const left = [...wanted];
  for (const [index, each] of got.entries()) {
    const compared = left.map((candidate) => {
      const inner = { pointer: `${pointer}/${index}`, wanted: candidate, got: each };
      return [...mismatches(contract, 'scalars', schema, inner)];
    });
    const [closest] = compared.toSorted((one, other) => one.length - other.length);
    if (closest === undefined) yield { pointer: `${pointer}/${index}`, wanted: undefined, got: each };
    else if (closest.length > 0) yield* closest;
    else left.splice(compared.indexOf(closest), 1);
  }
  if (got.length > 0 && got.length < wanted.length)
    yield { pointer: `${pointer}/${got.length}`, wanted: left[0], got: undefined };
}

function kind(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/** True for an RFC 3339 date-time and for anything but a string. The requirements on formats report other strings. */
function isDateTime(value: unknown): boolean {
  const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
  return typeof value !== 'string' || (shape.test(value) && !Number.isNaN(Date.parse(value)));
}

/** True if both texts denote the same instant: to the millisecond, or rounded to the digits of `got` for `scalars`. */
function sameInstant(wanted: unknown, got: unknown, extent: Extent): boolean {
  if (typeof wanted !== 'string' || typeof got !== 'string') return false;
  const difference = Math.abs(Date.parse(wanted) - Date.parse(got));
  // Some databases store hundredths of a second.
  const precision = [1000, 100].find((each) => Date.parse(got) % each === 0) ?? 10;
  return extent === 'scalars' ? difference < precision : difference === 0;
}
