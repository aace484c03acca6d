/** A JSON object: neither an array nor null. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object: neither an array nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the function returns; undefined if it throws. */
export function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  return attempt(() => JSON.parse(text));
}

/** The object without undefined members, which `exactOptionalPropertyTypes` distinguishes from absent ones. */
export function present<T extends object>(object: T): Present<T>;
export function present(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

type Present<T> = { readonly [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  readonly [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};

/** The object with each member's value transformed. */
export function mapValues<T, R>(
  object: Readonly<Record<string, T>>,
  transform: (value: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, transform(value, name)]));
}
