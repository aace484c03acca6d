import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import { isObject } from '../contract/json.ts';
import type { Schema } from '../contract/schema.ts';
import type { RequirementContext } from './context.ts';
import { show } from './expect.ts';
import { Violation } from './verdict.ts';

/**
 * What came holds what the tenant holds, as far as the component's schema names its fields. Further fields are free; a
 * date-time may be written in any form of the same instant (RFC 3339).
 */
export function expectContent(
  ctx: RequirementContext,
  component: string,
  held: unknown,
  got: unknown,
  exchange: Exchange,
): void {
  const schema = ctx.contract.component(component);
  if (schema === undefined) throw new Error(`the contract has no schema ${component}`);
  const difference = differs(ctx, schema, held, got, '');
  if (difference !== undefined) {
    throw new Violation(`${difference.pointer}: ${show(difference.wanted)}`, show(difference.got), [
      exchange,
    ]);
  }
}

/** The two messages that a tenant holds, without the further fields that an inspection may show. */
export function tenantMessages({ phone_templates: held }: DataSet): DataSet['phone_templates'] {
  const { enrollment_message, verification_message } = held;
  return { enrollment_message, verification_message };
}

/** What an object says in the fields that the component's schema names; further ones are free to change. */
export function declaredFields(
  ctx: RequirementContext,
  component: string,
  item: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const declared = Object.keys(ctx.contract.component(component)?.properties ?? {});
  return Object.fromEntries(Object.entries(item).filter(([name]) => declared.includes(name)));
}

interface Difference {
  readonly pointer: string;
  readonly wanted: unknown;
  readonly got: unknown;
}

function differs(
  ctx: RequirementContext,
  given: Schema,
  wanted: unknown,
  got: unknown,
  pointer: string,
): Difference | undefined {
  const schema = ctx.contract.resolve(given);
  const here = { pointer, wanted, got };
  // A value of another type says nothing of the content: the requirements about the fields' types blame it.
  if (got !== undefined && got !== null && kind(got) !== kind(wanted)) return undefined;
  if (schema.type === 'integer' && typeof got === 'number' && !Number.isInteger(got)) return undefined;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(got) || got.length !== wanted.length) return here;
    return first(
      wanted.map((each, index) => differs(ctx, schema.items ?? {}, each, got[index], `${pointer}/${index}`)),
    );
  }
  if (isObject(wanted)) {
    if (!isObject(got)) return here;
    const names = Object.keys(schema.properties ?? wanted).filter(
      (name) => wanted[name] !== undefined && wanted[name] !== null,
    );
    return first(
      names.map((name) =>
        differs(ctx, schema.properties?.[name] ?? {}, wanted[name], got[name], `${pointer}/${name}`),
      ),
    );
  }
  if (schema.format === 'date-time') return !isDateTime(got) || sameInstant(wanted, got) ? undefined : here;
  return isDeepStrictEqual(wanted, got) ? undefined : here;
}

function first(differences: readonly (Difference | undefined)[]): Difference | undefined {
  return differences.find((each) => each !== undefined);
}

function kind(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/** True for a date-time by RFC 3339, or nothing at all; one that is none is blamed where its format is judged. */
function isDateTime(value: unknown): boolean {
  const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
  return typeof value !== 'string' || (shape.test(value) && !Number.isNaN(Date.parse(value)));
}

/** True for two texts of one instant, to the millisecond. */
function sameInstant(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && Date.parse(one) === Date.parse(other);
}
