import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import { isObject } from '../contract/json.ts';
import type { Schema } from '../contract/schema.ts';
import { listedItems } from './exchange-checks.ts';
import { show } from './expect.ts';
import type { ExchangeContext, JudgeExchange } from './requirement.ts';
import { Violation } from './verdict.ts';
import type { Item } from './walk.ts';

/** How closely the response must match what the tenant contains. */
type Extent =
  /** Scalars that are present on both sides, times to the second. Arrays may have fewer elements, in any order. */
  | 'scalars'
  /** Every field, arrays in their order, times to the millisecond. */
  | 'complete';

/** Throws a Violation if the response differs from what the tenant contains in fields that the component's schema declares. */
const expectSame =
  (extent: Extent) =>
  (
    ctx: Pick<ExchangeContext, 'contract'>,
    component: string,
    wanted: unknown,
    got: unknown,
    exchange: Exchange,
  ): void => {
    const schema = ctx.contract.component(component);
    if (schema === undefined) throw new Error(`the contract has no schema ${component}`);
    const difference = differs(ctx, extent, schema, wanted, got, '');
    if (difference === undefined) return;
    throw new Violation(`${difference.pointer}: ${show(difference.wanted)}`, show(difference.got), [
      exchange,
    ]);
  };

/**
 * The scalars of the response equal those that the tenant contains. The response may leave out fields, have further ones, order
 * arrays differently and round times to seconds.
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
  ctx: Pick<ExchangeContext, 'contract'>,
  component: string,
  item: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const declared = Object.keys(ctx.contract.component(component)?.properties ?? {});
  return Object.fromEntries(Object.entries(item).filter(([name]) => declared.includes(name)));
}

/** True for a scalar other than the default values of many languages, which may stand for a missing field. */
const isNonDefault = (value: unknown): boolean =>
  Boolean(value) && typeof value !== 'object' && !String(value).startsWith('0001-');

interface Difference {
  readonly pointer: string;
  readonly wanted: unknown;
  readonly got: unknown;
}

function differs(
  ctx: Pick<ExchangeContext, 'contract'>,
  extent: Extent,
  given: Schema,
  wanted: unknown,
  got: unknown,
  pointer: string,
): Difference | undefined {
  const schema = ctx.contract.resolve(given);
  const here = { pointer, wanted, got };
  if (extent === 'scalars' && (got === undefined || got === null || wanted === null)) return undefined;
  // The requirements on schemas report values of another type.
  if (got !== undefined && got !== null && kind(got) !== kind(wanted)) return undefined;
  if (schema.type === 'integer' && typeof got === 'number' && !Number.isInteger(got)) return undefined;
  if (Array.isArray(wanted)) {
    if (extent === 'scalars')
      return arrayDiffers(ctx, schema, wanted, Array.isArray(got) ? got : [], pointer);
    if (!Array.isArray(got) || got.length !== wanted.length) return here;
    return first(
      wanted.map((each, index) =>
        differs(ctx, extent, schema.items ?? {}, each, got[index], `${pointer}/${index}`),
      ),
    );
  }
  if (isObject(wanted)) {
    if (!isObject(got)) return here;
    // The content of an object without declared properties is not specified.
    const names = Object.keys(schema.properties ?? {}).filter(
      (name) => wanted[name] !== undefined && wanted[name] !== null,
    );
    const further = Object.keys(schema.properties ?? {}).find(
      (name) => extent === 'complete' && pointer !== '' && !names.includes(name) && isNonDefault(got[name]),
    );
    if (further !== undefined)
      return { pointer: `${pointer}/${further}`, wanted: undefined, got: got[further] };
    return first(
      names.map((name) =>
        differs(ctx, extent, schema.properties?.[name] ?? {}, wanted[name], got[name], `${pointer}/${name}`),
      ),
    );
  }
  if (schema.format === 'date-time')
    return !isDateTime(got) || sameInstant(wanted, got, extent) ? undefined : here;
  return isDeepStrictEqual(wanted, got) ? undefined : here;
}

/** The first element of the response whose scalars match no remaining element of the tenant, in any order. */
function arrayDiffers(
  ctx: Pick<ExchangeContext, 'contract'>,
  schema: Schema,
  wanted: readonly unknown[],
  got: readonly unknown[],
  pointer: string,
): Difference | undefined {
  const left = [...wanted];
  for (const [index, each] of got.entries()) {
    const same = left.findIndex(
      (candidate) => differs(ctx, 'scalars', schema.items ?? {}, candidate, each, '') === undefined,
    );
    if (same === -1) return { pointer: `${pointer}/${index}`, wanted: left[0], got: each };
    left.splice(same, 1);
  }
  return undefined;
}

function first(differences: readonly (Difference | undefined)[]): Difference | undefined {
  return differences.find((each) => each !== undefined);
}

function kind(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/** True for an RFC 3339 date-time and for anything but a string. The requirements on formats report other strings. */
function isDateTime(value: unknown): boolean {
  const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
  return typeof value !== 'string' || (shape.test(value) && !Number.isNaN(Date.parse(value)));
}

/** True if both texts denote the same instant: to the millisecond, or to the second for `scalars`. */
function sameInstant(one: unknown, other: unknown, extent: Extent): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  const difference = Math.abs(Date.parse(one) - Date.parse(other));
  return extent === 'scalars' ? difference < 1000 : difference === 0;
}
