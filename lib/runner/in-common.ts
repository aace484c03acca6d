import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../client/exchange.ts';
import { differenceOf } from '../report/difference.ts';
import { show } from './expect.ts';
import { Violation } from './verdict.ts';
import { type Item, key } from './walk.ts';

/** What they have in common says something only where as many items drawn from the others would hardly have it. */
const chance = 0.05;

/** Characters of a value that is named. */
const shownCharacters = 40;

/**
 * The listing contains each of these items once, in this order.
 * @param known what the tenant contains, to say what the wrong ones have in common
 * @param ends the last item of each page, where pages were walked
 * @throws Violation
 */
export function expectSameItems(
  what: string,
  wanted: readonly string[],
  got: readonly string[],
  known: readonly Item[],
  exchanges: readonly Exchange[],
  ends: readonly Item[] = [],
): void {
  if (isDeepStrictEqual(got, wanted)) return;
  const times = (list: readonly string[], id: string) => list.filter((each) => each === id).length;
  const wrong = new Set([...wanted, ...got].filter((id) => times(wanted, id) !== times(got, id)));
  const common = inCommon(known, wrong, ends);
  const difference = {
    ...differenceOf(what, wanted, got),
    ...(common !== undefined && { in_common: common }),
  };
  throw new Violation(`${what}: ${show(wanted)}`, show(got), exchanges, difference);
}

/** What all these items have and few others, by their fields: `no created_at`; undefined where nothing distinguishes them. */
export function inCommon(
  items: readonly Item[],
  wrong: ReadonlySet<string>,
  ends: readonly Item[] = [],
): string | undefined {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const repeated = new Map(names.map((name) => [name, repeatedValues(items.map((item) => item[name]))]));
  const ending = new Map(names.map((name) => [name, new Set(ends.map((item) => item[name]))]));
  const endIds = new Set(ends.map(key));
  const traits = (item: Item) =>
    names.flatMap((name) => {
      const value = item[name];
      const isRepeated = repeated.get(name)?.has(value) === true;
      const isAtEnd = (isRepeated || value === undefined) && ending.get(name)?.has(value) === true;
      return [
        ...(endIds.has(key(item)) ? ['the last place of a page'] : []),
        ...(isAtEnd ? [`the ${name} that a page ends with, as others have`] : []),
        ...traitsOf(name, value, isRepeated),
      ];
    });
  const [others, these] = [
    items.filter((item) => !wrong.has(key(item))),
    items.filter((item) => wrong.has(key(item))),
  ];
  const [first, ...rest] = these.map(traits);
  const shared = (first ?? []).filter((trait) => rest.every((all) => all.includes(trait)));
  const counted = shared.map((trait) => ({
    trait,
    number: others.filter((item) => traits(item).includes(trait)).length,
  }));
  const [best] = counted.toSorted((one, other) => one.number - other.number);
  if (best === undefined || others.length === 0) return undefined;
  return (best.number / others.length) ** these.length <= chance ? best.trait : undefined;
}

function repeatedValues(values: readonly unknown[]): ReadonlySet<unknown> {
  return new Set(values.filter((value, index) => value !== undefined && values.indexOf(value) !== index));
}

/** What is worth saying of a value, the most telling first. */
function traitsOf(name: string, value: unknown, isRepeated: boolean): string[] {
  if (value === undefined) return [`no ${name}`];
  if (typeof value !== 'string') return typeof value === 'object' ? [] : [`${name} ${value}`];
  return [
    ...(isRepeated ? [`the same ${name} as another item`] : []),
    ...(/[^\x20-\x7e]/.test(value) ? [`a ${name} beyond ASCII`] : []),
    ...(isRepeated ? [`${name} ${JSON.stringify(value.slice(0, shownCharacters))}`] : []),
  ];
}
