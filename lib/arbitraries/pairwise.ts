/** A class for each dimension, by its name. */
export type Row = Readonly<Record<string, string>>;

/** One class of one dimension. */
interface Choice {
  readonly dimension: string;
  readonly name: string;
  readonly key: string;
}

/**
 * Rows that contain every class, and every pair of classes of two dimensions (pairwise testing). They come in groups of as many
 * rows as the widest dimension has classes. Within a group, each row has the next class of every dimension, so a request sent once
 * with each row covers every class, and one sent with two rows covers as many as possible. The first class of a dimension is its
 * plain one and comes last, so that the first row already shows a defect that needs a condition. The algorithm is greedy: each
 * group starts with a missing class or pair, and takes for each dimension the class with the most missing pairs.
 * @param seed varies the choice among equally good classes
 */
export function pairwiseRows(
  dimensions: Readonly<Record<string, readonly string[]>>,
  seed: number,
): readonly Row[] {
  const all = Object.entries(dimensions).map(([dimension, classes]) => {
    const [plain = '', ...unusual] = classes;
    const shift = Math.abs(seed) % Math.max(1, unusual.length);
    const ordered = [...unusual.slice(shift), ...unusual.slice(0, shift), plain];
    return ordered.map((name): Choice => ({ dimension, name, key: `${dimension}: ${name}` }));
  });
  const missing = new Map<string, readonly Choice[]>(all.flat().map((each) => [each.key, [each]]));
  for (const [index, classes] of all.entries())
    for (const one of classes)
      for (const other of all.slice(index + 1).flat()) missing.set(pairOf(one, other), [one, other]);
  const rowsOfGroup = widestOf(dimensions);
  const rows: Row[] = [];
  for (;;) {
    const [start] = missing.values();
    if (start === undefined) return rows;
    const first = firstRow(start, all, missing, rows.length);
    for (const row of groupWith(first, all, missing, rowsOfGroup)) {
      for (const [index, one] of row.entries()) {
        missing.delete(one.key);
        for (const other of row.slice(index + 1)) missing.delete(pairOf(one, other));
      }
      rows.push(Object.fromEntries(row.map(({ dimension, name }) => [dimension, name])));
    }
  }
}

/** The key of two classes of different dimensions. */
function pairOf({ key: one }: Choice, { key: other }: Choice): string {
  return one < other ? `${one} & ${other}` : `${other} & ${one}`;
}

/** Adds to the start, for each other dimension, the class with the most missing pairs. */
function firstRow(
  start: readonly Choice[],
  all: readonly (readonly Choice[])[],
  missing: ReadonlyMap<string, unknown>,
  turn: number,
): readonly Choice[] {
  const chosen = [...start];
  for (const classes of all) {
    if (chosen.some(({ dimension }) => dimension === classes[0]?.dimension)) continue;
    const gains = classes.map((each) => {
      const pairs = chosen.filter((other) => missing.has(pairOf(each, other))).length;
      return missing.has(each.key) ? pairs + chosen.length : pairs;
    });
    const best = Math.max(...gains);
    // If no class adds a pair, the classes take turns.
    const choice = classes[best > 0 ? gains.indexOf(best) : turn % classes.length];
    if (choice !== undefined) chosen.push(choice);
  }
  return chosen;
}

/**
 * The group of rows that begins with the first row: each further row has the next class of every dimension, in the one of two
 * orders that has the most missing pairs. With a single order, the same classes would always occur together.
 */
function groupWith(
  first: readonly Choice[],
  all: readonly (readonly Choice[])[],
  missing: ReadonlyMap<string, unknown>,
  count: number,
): readonly (readonly Choice[])[] {
  const steps = [...Array(count).keys()];
  const swapped = steps.map((step) => {
    const other = step % 2 === 0 ? step + 1 : step - 1;
    return step > 1 ? other : step;
  });
  const group: Choice[][] = steps.map(() => []);
  for (const classes of all) {
    const start = classes.findIndex((each) => first.includes(each));
    const columns = [steps, swapped]
      .map((order) => order.flatMap((step) => classes[(start + step) % classes.length] ?? []))
      // In a group with an odd number of rows, the second order leaves out a class of a wide dimension.
      .filter((column) => classes.every((each) => column.includes(each)));
    const gains = columns.map((column) => {
      const pairs = column.flatMap((each, row) => (group[row] ?? []).map((other) => pairOf(each, other)));
      return new Set(pairs.filter((pair) => missing.has(pair))).size;
    });
    const column = columns[gains.indexOf(Math.max(...gains))] ?? [];
    for (const [row, each] of column.entries()) group[row]?.push(each);
  }
  return group;
}

/** The number of classes of the widest dimension; at least 1. */
export function widestOf(dimensions: Readonly<Record<string, readonly string[]>>): number {
  return Math.max(1, ...Object.values(dimensions).map(({ length }) => length));
}
