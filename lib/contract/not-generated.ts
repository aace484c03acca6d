/** Thrown if no value is found that matches a schema. */
export class NotGenerated extends Error {
  override name = 'NotGenerated';
}

/** Returns what `make` returns; undefined if it throws NotGenerated. */
export function ifGenerated<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof NotGenerated) return undefined;
    throw error;
  }
}
