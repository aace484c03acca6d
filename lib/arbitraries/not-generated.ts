/** Thrown where no value is found that matches a schema. */
export class NotGenerated extends Error {
  override name = 'NotGenerated';
}

/** What is made; undefined where no value is found for it. */
export function ifGenerated<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof NotGenerated) return undefined;
    throw error;
  }
}
