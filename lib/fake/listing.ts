/** The filters of one request: for each name the value asked for. */
export type Filters = Readonly<Record<string, string>>;

/** Items in their total order, with an index of each field that they were filtered by: a page costs the same at any depth. */
export interface Listing<T> {
  readonly items: readonly T[];
  /** What a filter of this name compares with. */
  field(item: T, name: string): unknown;
  /** Positions of the items whose fields are exactly these, ascending. */
  matching(filters: Filters): readonly number[];
}

/** The listing of these items, in this order. */
export function createListing<T>(items: readonly T[], field: (item: T, name: string) => unknown): Listing<T> {
  const all = [...items.keys()];
  const indexes = new Map<string, ReadonlyMap<unknown, number[]>>();
  const indexOf = (name: string): ReadonlyMap<unknown, number[]> => {
    const index = new Map<unknown, number[]>();
    for (const [position, item] of items.entries()) {
      const value = field(item, name);
      const positions = index.get(value);
      if (positions) positions.push(position);
      else index.set(value, [position]);
    }
    indexes.set(name, index);
    return index;
  };
  return {
    items,
    field,
    matching(filters) {
      const [shortest = all, ...others] = Object.entries(filters)
        .map(([name, value]) => (indexes.get(name) ?? indexOf(name)).get(value) ?? [])
        .toSorted((one, other) => one.length - other.length);
      const isIn = (list: readonly number[], position: number) =>
        list[indexFrom(list, position)] === position;
      return others.length === 0
        ? shortest
        : shortest.filter((position) => others.every((other) => isIn(other, position)));
    },
  };
}

/** The index of the first of ascending positions that is not before this one. */
export function indexFrom(positions: readonly number[], position: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
