import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import type { Contract } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';
import { listedItems } from './exchange-checks.ts';
import { expectEqual } from './expect.ts';
import type { ExchangeContext, JudgeExchange } from './requirement.ts';
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
    const first = firstMismatch({ contract, extent }, component, wanted, got);
    if (first === undefined) return;
    const item = isObject(wanted) && typeof wanted.id === 'string' ? ` of ${wanted.id}` : '';
    expectEqual(`${first.pointer}${item}`, first.wanted, first.got, exchange);
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

/** True if `expectContent` throws nothing. */
export const hasContent = (
  { contract }: Pick<ExchangeContext, 'contract'>,
  component: string,
  wanted: Item,
  got: Item,
): boolean => firstMismatch({ contract, extent: 'complete' }, component, wanted, got) === undefined;

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

/** True for a scalar other than the default values of many languages, which may stand for a missing field. */
const isNonDefault = (value: unknown): boolean =>
  Boolean(value) && typeof value !== 'object' && !String(value).startsWith('0001-');

/** By what values are compared. */
interface Comparison {
  readonly contract: Contract;
  readonly extent: Extent;
}

/** Two values at the same place. */
interface Pair {
  readonly pointer: string;
  readonly schema: Schema;
  readonly wanted: unknown;
  readonly got: unknown;
}

/** The first of the innermost values that differ, compared by the component's schema. */
function firstMismatch(by: Comparison, component: string, wanted: unknown, got: unknown): Pair | undefined {
  const schema = by.contract.component(component);
  if (schema === undefined) throw new Error(`the contract has no schema ${component}`);
  const [first] = mismatches(by, { pointer: '', schema, wanted, got });
  return first;
}

/** The innermost values that differ. */
function* mismatches(by: Comparison, pair: Pair): Generator<Pair> {
  const { wanted, got } = pair;
  if (isDeepStrictEqual(wanted, got)) return;
  const schema = by.contract.resolve(pair.schema);
  if (by.extent === 'scalars' && (got === undefined || got === null || wanted === null)) return;
  // The requirements on schemas report values of another type.
  if (got !== undefined && got !== null && kind(got) !== kind(wanted)) return;
  if (schema.type === 'integer' && typeof got === 'number' && !Number.isInteger(got)) return;
  if (Array.isArray(wanted)) yield* arrayMismatches(by, { ...pair, schema }, wanted);
  else if (isObject(wanted)) yield* objectMismatches(by, { ...pair, schema }, wanted);
  else if (schema.format === 'date-time') {
    if (isDateTime(got) && !sameInstant(wanted, got, by.extent)) yield pair;
  } else yield pair;
}

function* arrayMismatches(by: Comparison, pair: Pair, wanted: readonly unknown[]): Generator<Pair> {
  const { pointer, got } = pair;
  const items = pair.schema.items ?? {};
  if (!Array.isArray(got)) return yield pair;
  if (by.extent === 'scalars') return yield* unmatched(by, items, wanted, got, pointer);
  if (got.length !== wanted.length) return yield pair;
  for (const [index, each] of wanted.entries())
    yield* mismatches(by, { pointer: `${pointer}/${index}`, schema: items, wanted: each, got: got[index] });
}

function* objectMismatches(by: Comparison, pair: Pair, wanted: JsonObject): Generator<Pair> {
  const { pointer, got } = pair;
  if (!isObject(got)) return yield pair;
  // The content of an object without declared properties is not specified.
  for (const [name, property] of Object.entries(pair.schema.properties ?? {})) {
    const inner = { pointer: `${pointer}/${name}`, schema: property, wanted: wanted[name], got: got[name] };
    if (inner.wanted !== undefined && inner.wanted !== null) yield* mismatches(by, inner);
    else if (by.extent === 'complete' && isNonDefault(inner.got)) yield { ...inner, wanted: undefined };
  }
}

/** How each element of the response differs from the closest remaining element of the tenant, in any order. */
function* unmatched(
  by: Comparison,
  schema: Schema,
  wanted: readonly unknown[],
  got: readonly unknown[],
  pointer: string,
): Generator<Pair> {
  const left = [...wanted];
  for (const [index, each] of got.entries()) {
    const pair = { pointer: `${pointer}/${index}`, schema, got: each };
    const compared = left.map((candidate) => [...mismatches(by, { ...pair, wanted: candidate })]);
    const [closest] = compared.toSorted((one, other) => one.length - other.length);
    if (closest === undefined) yield { ...pair, wanted: undefined };
    else if (closest.length > 0) yield* closest;
    else left.splice(compared.indexOf(closest), 1);
  }
  if (got.length > 0 && got.length < wanted.length)
    yield { pointer: `${pointer}/${got.length}`, schema, wanted: left[0], got: undefined };
}

function kind(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/** True for an RFC 3339 date-time and for anything but a string. The requirements on formats report other strings. */
export function isDateTime(value: unknown): boolean {
  const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
  return typeof value !== 'string' || (shape.test(value) && !Number.isNaN(Date.parse(value)));
}

/** True if both texts denote the same instant: to the millisecond, or rounded to the digits of `got` for `scalars`. */
function sameInstant(wanted: unknown, got: unknown, extent: Extent): boolean {
  if (typeof wanted !== 'string' || typeof got !== 'string') return false;
  const difference = Math.abs(Date.parse(wanted) - Date.parse(got));
  // Some databases round to milliseconds or store hundredths of a second.
  const rounding = /\.\d{4}/.test(wanted) ? 1 : 0;
  const precision = [1000, 100].find((each) => Date.parse(got) % each === 0) ?? 10;
  return extent === 'scalars' ? difference < precision : difference <= rounding;
}
