import { hash } from '../arbitraries/hash.ts';

/**
 * The index of a class for each dimension, in the row with this index. Rows come in groups. A group has as many rows as the
 * widest dimension has classes, and contains every class: a request sent once with each of its rows meets them all. Its first two
 * rows share no class. Class 0 of a dimension is its plain one, and not in the very first row, so that a single request already
 * shows a defect that needs a condition.
 * @param classes number of classes by dimension
 * @param seed varies which classes meet in a row
 */
export function coveringRow(
  classes: Readonly<Record<string, number>>,
  seed: number,
  index: number,
): Readonly<Record<string, number>> {
  const size = groupSize(classes);
  const group = Math.floor(index / size);
  const step = index % size;
  const row = Object.entries(classes).map(([dimension, count]) => {
    const random = hash(`${seed} ${group} ${dimension}`);
    const start = group === 0 ? 1 + (random % Math.max(1, count - 1)) : random % count;
    // Dimensions of equal size do not always take turns together.
    const turn = Math.floor(step / count) * (Math.floor(random / 64) % count);
    return [dimension, (start + step + turn) % count];
  });
  return Object.fromEntries(row);
}

/** The number of classes of the widest dimension; at least 1. */
export function groupSize(classes: Readonly<Record<string, number>>): number {
  return Math.max(1, ...Object.values(classes));
}
