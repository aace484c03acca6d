/** The filters of one request: for each name the value asked for. */
export type Filters = Readonly<Record<string, string>>;

/**
 * Items in their total order, with an index for each set of filters that was asked for: so that a page costs the same
 * at any depth and under any filter.
 */
export interface Listing<T> {
  readonly items: readonly T[];
  /** What a filter of this name compares with. */
  field(item: T, name: string): unknown;
  /** Positions of the items whose fields are exactly these, ascending. */
  matching(filters: Filters): Positions;
}

/** Ascending positions in a listing. */
export interface Positions {
  readonly length: number;
  /** The position at this index; undefined past the end. */
  at(index: number): number | undefined;
  /** The index of the first position that is not before this one. */
  indexFrom(position: number): number;
}

/** The listing of these items, in this order. */
export function createListing<T>(items: readonly T[], field: (item: T, name: string) => unknown): Listing<T> {
  const all: Positions = {
    length: items.length,
    at: (index) => (index >= 0 && index < items.length ? index : undefined),
    indexFrom: (position) => Math.min(Math.max(position, 0), items.length),
  };
  const none = positionsOf([]);
  // By the filters' names, then by their values: built when that set of names is first asked for.
  const indexes = new Map<string, Map<string, Positions>>();
  const indexOf = (names: readonly string[]): Map<string, Positions> => {
    const lists = new Map<string, number[]>();
    items.forEach((item, position) => {
      const key = keyOf(names.map((name) => field(item, name)));
      const list = lists.get(key);
      if (list) list.push(position);
      else lists.set(key, [position]);
    });
    return new Map([...lists].map(([key, list]) => [key, positionsOf(list)]));
  };
  return {
    items,
    field,
    matching(filters) {
      const names = Object.keys(filters).sort();
      if (names.length === 0) return all;
      const name = JSON.stringify(names);
      const index = indexes.get(name) ?? indexOf(names);
      indexes.set(name, index);
      return index.get(keyOf(names.map((each) => filters[each]))) ?? none;
    },
  };
}

/** Positions out of an ascending list. */
export function positionsOf(list: readonly number[]): Positions {
  return {
    length: list.length,
    at: (index) => list[index],
    indexFrom(position) {
      let low = 0;
      let high = list.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((list[middle] ?? 0) < position) low = middle + 1;
        else high = middle;
      }
      return low;
    },
  };
}

/** One string for the values; a filter's value is a string, so a number or a missing field never meets it. */
function keyOf(values: readonly unknown[]): string {
  return JSON.stringify(values);
}
