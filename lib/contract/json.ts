/** A JSON object: neither an array nor null. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object: neither an array nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined where the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
