import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Schema, SchemaError, Validate } from './schema.ts';

/** Compiles schemas that stand somewhere in one OpenAPI document, so that their `$ref`s are found in it. */
export interface SchemaCompiler {
  /** The validator of the schema at this JSON Pointer in the document. Compiled when it is first used. */
  at(pointer: string): Validate;
  /** The validator of a free-standing schema, whose `$ref`s point into the document. */
  of(schema: Schema): Validate;
}

const documentId = 'contract:document';

/**
 * A compiler for the schemas of `document` (JSON Schema 2020-12, as OpenAPI 3.1 says).
 * Formats are asserted: a date-time must be one (RFC 3339, section 5.6).
 */
export function createSchemaCompiler(document: object): SchemaCompiler {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    logger: false,
    // The document has been validated as a whole.
    validateSchema: false,
  });
  addFormats.default(ajv);
  // Each text is checked once: the same few times stand in answer after answer.
  const isDateTime = addFormats.default(new Ajv2020()).compile({ type: 'string', format: 'date-time' });
  const valid = new Set<string>();
  ajv.addFormat('date-time', (text: string) => {
    if (valid.has(text)) return true;
    const holds = isDateTime(text);
    if (holds && valid.size < 1000) valid.add(text);
    return holds;
  });
  ajv.addSchema({ ...document, $id: documentId }, undefined, false, false);
  const components = componentOf(document);

  const lazily = (compile: () => ReturnType<typeof ajv.compile>): Validate => {
    let compiled: ReturnType<typeof ajv.compile> | undefined;
    return (value) => {
      compiled ??= compile();
      return compiled(value) ? [] : (compiled.errors ?? []).map((error) => schemaError(error, components));
    };
  };
  return {
    at: (pointer) => lazily(() => ajv.compile({ $ref: `${documentId}#${encodeFragment(pointer)}` })),
    of: (schema) => lazily(() => ajv.compile(absoluteRefs(schema))),
  };
}

function schemaError(error: ErrorObject, components: WeakMap<object, string>): SchemaError {
  const { parentSchema } = error;
  return {
    pointer: error.instancePath,
    keyword: error.keyword,
    message: error.message ?? error.keyword,
    component: parentSchema && components.get(parentSchema),
    value: error.data,
  };
}

/** For each schema that stands in a component, the component's name: Ajv's own paths lose it where a `$ref` is crossed. */
function componentOf(document: object): WeakMap<object, string> {
  const names = new WeakMap<object, string>();
  const mark = (value: unknown, name: string): void => {
    if (typeof value !== 'object' || value === null) return;
    names.set(value, name);
    for (const inner of Object.values(value)) mark(inner, name);
  };
  const components = 'components' in document ? document.components : undefined;
  const schemas =
    typeof components === 'object' && components && 'schemas' in components ? components.schemas : {};
  for (const [name, schema] of Object.entries(schemas ?? {})) mark(schema, name);
  return names;
}

/** A JSON Pointer as a URI fragment (RFC 6901, section 6). */
function encodeFragment(pointer: string): string {
  return pointer.split('/').map(encodeURIComponent).join('/');
}

/** The schema with local references (`#/…`) made to point into the document. */
function absoluteRefs(schema: Schema): Schema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === '$ref' && typeof value === 'string' && value.startsWith('#') ? `${documentId}${value}` : value,
    ),
  );
}
