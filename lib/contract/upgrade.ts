import { isObject, type JsonObject } from './json.ts';

/** Keywords whose value is data, not a part of the document: it contains neither references nor schemas. */
const data = new Set(['description', 'example', 'examples', 'default', 'enum', 'const']);

/** Keywords whose value maps names to parts of the document. */
const maps = new Set(
  (
    'properties patternProperties dependentSchemas $defs definitions schemas responses requestBodies headers ' +
    'securitySchemes links callbacks paths content variables encoding parameters pathItems webhooks'
  ).split(' '),
);

/** True for a member of a part of the document (not of a map of names) that is data or an extension. */
function isData(name: string): boolean {
  return data.has(name) || name.startsWith('x-');
}

/** True for a parameter, a header or a body, whose `required` is not a list. */
const isParameter = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.required === 'boolean' &&
  ('in' in value || 'content' in value || 'schema' in value);
/** Maps whose values are schemas. */
const schemaMaps = new Set(
  'properties patternProperties dependentSchemas $defs definitions schemas'.split(' '),
);

/**
 * A copy with the schemas of OpenAPI 3.0 converted to JSON Schema 2020-12: `nullable`, boolean `exclusiveMinimum` and
 * `exclusiveMaximum`. Applied to OpenAPI 3.1 too, because converted documents may still contain these.
 * @param keepsSiblings false drops the siblings of `$ref`, which OpenAPI 3.0 ignores
 */
export function upgraded(value: unknown, keepsSiblings: boolean, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((each) => upgraded(each, keepsSiblings));
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  // A name may have no value, which YAML allows.
  if (isMap)
    return Object.fromEntries(members.map(([name, each]) => [name, upgraded(each ?? {}, keepsSiblings)]));
  if (!keepsSiblings && typeof value.$ref === 'string') return { $ref: value.$ref };
  const part: Record<string, unknown> = Object.fromEntries(
    members.map(([name, each]) => {
      const inner = schemaMaps.has(name) ? (each ?? {}) : each;
      return [name, isData(name) ? each : upgraded(inner, keepsSiblings, maps.has(name))];
    }),
  );
  // JSON Schema draft 3 has a boolean `required` in the property itself, as parameters, headers and bodies have.
  if (typeof part.required === 'boolean' && !isParameter(part)) delete part.required;
  for (const [exclusive, inclusive] of bounds) {
    if (typeof part[exclusive] !== 'boolean') continue;
    if (part[exclusive] && part[inclusive] !== undefined) {
      part[exclusive] = part[inclusive];
      delete part[inclusive];
    } else delete part[exclusive];
  }
  if (typeof part.nullable !== 'boolean') return part;
  const { nullable: isNullable, ...schema } = part;
  return isNullable ? nullable(schema) : schema;
}

const bounds = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

function nullable(schema: Readonly<Record<string, unknown>>): unknown {
  const { type, enum: values } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const listed = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...schema, type: [type, 'null'], ...listed };
}

/** Every part of a document, including itself, with its JSON Pointer; without data and extensions. `isMap`: its members are named parts. */
export function* partsOf(
  value: unknown,
  pointer = '',
  isMap = false,
): Generator<{ readonly part: JsonObject; readonly pointer: string; readonly isMap: boolean }> {
  if (Array.isArray(value))
    for (const [index, each] of value.entries()) yield* partsOf(each, `${pointer}/${index}`);
  if (!isObject(value)) return;
  yield { part: value, pointer, isMap };
  for (const [name, each] of Object.entries(value))
    if (isMap || !isData(name))
      yield* partsOf(each, `${pointer}/${escapeToken(name)}`, !isMap && maps.has(name));
}

/**
 * The references of a document, each with the JSON Pointer of the object that contains it.
 * @param isLocal true for references within the document, false for external ones that are not to an `$id` in it
 */
export function referencesIn(document: unknown, isLocal: boolean) {
  const parts = [...partsOf(document)];
  const ids = new Set(parts.map(({ part }) => part.$id));
  return parts
    .flatMap(({ part: { $ref: ref }, pointer }) => (typeof ref === 'string' ? [{ pointer, ref }] : []))
    .filter(
      ({ ref }) =>
        ref.startsWith('#') === isLocal && !ids.has(ref.replace(/#.*$/s, '') || document) && !ids.has(ref),
    );
}

/** Escapes a reference token of a JSON Pointer (RFC 6901, section 3). */
export function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A copy without the data and extensions for which `drops` is true. */
export function withoutData(
  value: unknown,
  drops: (data: unknown, name: string) => boolean,
  isMap = false,
): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutData(each, drops));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
      if (!isMap && isData(name)) return drops(each, name) ? [] : [[name, each]];
      return [[name, withoutData(each, drops, !isMap && maps.has(name))]];
    }),
  );
}
