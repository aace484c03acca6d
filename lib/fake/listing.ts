/** The filters of one request: for each name the value asked for. */
export type Filters = Readonly<Record<string, string>>;

/**
 * Items in their total order, with an index for each field that they are filtered by: so that a page costs the same at
 * any depth and under any filter.
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

/** Answers to sets of filters that are kept. */
const keptMatches = 1000;

/**
 * The listing of these items, in this order.
 * @param indexed names of filters whose index is built now; any other is built when it is first asked for
 */
export function createListing<T>(
  items: readonly T[],
  field: (item: T, name: string) => unknown,
  indexed: readonly string[] = [],
): Listing<T> {
  const all: Positions = {
    length: items.length,
    at: (index) => (index >= 0 && index < items.length ? index : undefined),
    indexFrom: (position) => Math.min(Math.max(position, 0), items.length),
  };
  const indexes = new Map<string, Index>();
  const indexFor = (name: string): Index => {
    const index = indexes.get(name) ?? createIndex(items.length, (position) => fieldAt(position, name));
    indexes.set(name, index);
    return index;
  };
  const fieldAt = (position: number, name: string): unknown => {
    const item = items[position];
    return item === undefined ? undefined : field(item, name);
  };
  for (const name of indexed) indexFor(name);
  const known = new Map<string, Positions>();
  const found = (asked: readonly [name: string, value: string][]): Positions => {
    // Only the shortest of the filters' lists is gone through.
    const [first, ...rest] = asked
      .map(([name, value]) => indexFor(name).having(value))
      .toSorted((one, other) => one.positions.length - other.positions.length);
    if (first === undefined) return all;
    const { positions } = first;
    return positionsOf(
      rest.length === 0 ? positions : positions.filter((at) => rest.every((other) => other.holds(at))),
    );
  };
  return {
    items,
    field,
    matching(filters) {
      const asked = Object.entries(filters);
      if (asked.length === 0) return all;
      const key = JSON.stringify(asked);
      const before = known.get(key);
      if (before !== undefined) return before;
      const positions = found(asked);
      if (known.size >= keptMatches) known.clear();
      known.set(key, positions);
      return positions;
    },
  };
}

/** Which items have which value in one field. */
interface Index {
  having(value: string): {
    readonly positions: Uint32Array;
    /** True where the item at this position is one of them. */
    holds(position: number): boolean;
  };
}

/** Values are numbered as they come, and the positions sorted by those numbers: eight bytes an item, whatever the values. */
function createIndex(length: number, fieldAt: (position: number) => unknown): Index {
  const numbers = new Map<unknown, number>();
  const numberAt = new Uint32Array(length);
  const counts: number[] = [];
  for (let position = 0; position < length; position += 1) {
    const value = fieldAt(position);
    const number = numbers.get(value) ?? counts.length;
    if (number === counts.length) numbers.set(value, counts.push(0) - 1);
    numberAt[position] = number;
    counts[number] = (counts[number] ?? 0) + 1;
  }
  const ends = new Uint32Array(counts.length);
  let sum = 0;
  counts.forEach((count, number) => {
    ends[number] = sum;
    sum += count;
  });
  const sorted = new Uint32Array(length);
  numberAt.forEach((number, position) => {
    const end = ends[number] ?? 0;
    sorted[end] = position;
    ends[number] = end + 1;
  });
  return {
    having(value) {
      const number = numbers.get(value) ?? counts.length;
      const end = ends[number] ?? 0;
      return {
        positions: sorted.subarray(end - (counts[number] ?? 0), end),
        holds: (position) => numberAt[position] === number,
      };
    },
  };
}

/** Positions out of an ascending list. */
export function positionsOf(list: ArrayLike<number>): Positions {
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
