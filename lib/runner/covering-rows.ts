import { hash } from '../arbitraries/hash.ts';

/**
 * One class of each dimension: the row with this index. Rows come in groups. A group has as many rows as the widest dimension has
 * classes, and contains every class: a request sent once with each of its rows meets them all. Its first two rows share no class.
 * The first class of a dimension is the plain one. The very first row contains no plain class, so that a single request already shows
 * a defect that needs a condition.
 * @param dimensions their classes by name
 * @param seed varies which classes meet in a row
 */
export function coveringRow<Class>(
  dimensions: ReadonlyMap<string, readonly Class[]>,
  seed: number,
  index: number,
): readonly Class[] {
  const size = groupSize(dimensions);
  const group = Math.floor(index / size);
  const step = index % size;
  return [...dimensions].flatMap(([name, classes]) => {
    const count = classes.length;
    const random = hash(`${seed} ${group} ${name}`);
    const start = group === 0 ? 1 + (random % Math.max(1, count - 1)) : random % count;
    // Dimensions of equal size do not always take turns together.
    const turn = Math.floor(step / count) * (Math.floor(random / 64) % count);
    const position = (start + step + turn) % count;
    return classes.slice(position, position + 1);
  });
}

/** The number of classes of the widest dimension; at least 1. */
export function groupSize(dimensions: ReadonlyMap<string, readonly unknown[]>): number {
  return Math.max(1, ...[...dimensions.values()].map(({ length }) => length));
}
