/** The filters of one request: for each name the requested value. */
export type Filters = Readonly<Record<string, string>>;

/** Items in their total order. */
export interface Listing<T> {
  readonly items: readonly T[];
  /** What a filter of this name compares with. */
  field(item: T, name: string): unknown;
}

/** The index of the first of ascending positions that is not before this one. */
export function indexFrom(positions: readonly number[], position: number): number {
  const index = positions.findIndex((each) => each >= position);
  return index < 0 ? positions.length : index;
}
