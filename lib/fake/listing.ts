/** The filters of one request: for each name the value asked for. */
export type Filters = Readonly<Record<string, string>>;

/** Items in their total order, with an index of each field that they were filtered by: a page costs the same at any depth. */
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
  const indexes = new Map<string, ReadonlyMap<unknown, number[]>>();
  const indexOf = (name: string): ReadonlyMap<unknown, number[]> => {
    const known = indexes.get(name);
    if (known !== undefined) return known;
    const index = new Map<unknown, number[]>();
    items.forEach((item, position) => {
      const value = field(item, name);
      const positions = index.get(value);
      if (positions === undefined) index.set(value, [position]);
      else positions.push(position);
    });
    indexes.set(name, index);
    return index;
  };
  return {
    items,
    field,
    matching(filters) {
      const [first, ...rest] = Object.entries(filters)
        .map(([name, value]) => indexOf(name).get(value) ?? [])
        .toSorted((one, other) => one.length - other.length);
      if (first === undefined) return allPositions(items.length);
      const others = rest.map(positionsOf);
      const isIn = (list: Positions, position: number) => list.at(list.indexFrom(position)) === position;
      return positionsOf(first.filter((position) => others.every((other) => isIn(other, position))));
    },
  };
}

function allPositions(length: number): Positions {
  return {
    length,
    at: (index) => (index >= 0 && index < length ? index : undefined),
    indexFrom: (position) => Math.min(Math.max(position, 0), length),
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
