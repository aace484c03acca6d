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

/**
 * A copy with the schemas of OpenAPI 3.0 converted to JSON Schema 2020-12: `nullable`, boolean `exclusiveMinimum` and
 * `exclusiveMaximum`. Applied to OpenAPI 3.1 too, because converted documents may still contain these.
 * Extensions that contain references are left out.
 * @param keepsSiblings false drops the siblings of `$ref`, which OpenAPI 3.0 ignores
 */
export function upgraded(value: unknown, keepsSiblings: boolean, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((each) => upgraded(each, keepsSiblings));
  if (!isObject(value)) return value;
  // An extension may refer to files that nobody needs, such as samples of code.
  const members = Object.entries(value).filter(
    ([name, each]) => isMap || !name.startsWith('x-') || !JSON.stringify(each)?.includes('"$ref"'),
  );
  // A name may have no value, which YAML allows.
  if (isMap)
    return Object.fromEntries(members.map(([name, each]) => [name, upgraded(each ?? {}, keepsSiblings)]));
  if (!keepsSiblings && typeof value.$ref === 'string') return { $ref: value.$ref };
  const part: Record<string, unknown> = Object.fromEntries(
    members.map(([name, each]) => {
      const inner = maps.has(name) ? (each ?? {}) : each;
      return [name, isData(name) ? each : upgraded(inner, keepsSiblings, maps.has(name))];
    }),
  );
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

function nullable(schema: JsonObject): unknown {
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

/** Escapes a reference token of a JSON Pointer (RFC 6901, section 3). */
export function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
