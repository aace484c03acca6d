import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { attempt, isObject } from './json.ts';
import type { Direction, Schema, SchemaError, Validate } from './schema.ts';
import { escapeToken, partsOf } from './upgrade.ts';

const documentId = 'contract:document';

/**
 * A compiler for the schemas of `document` (JSON Schema 2020-12, as in OpenAPI 3.1), which resolves their `$ref` in it.
 * Formats are asserted: a date-time must be one (RFC 3339, section 5.6).
 */
export function createSchemaCompiler(document: object, resolve: (schema: Schema) => Schema) {
  const ajv = createAjv({ code: { regExp: Object.assign(regExpOf, { code: 'regExpOf' }) } });
  ajv.addSchema({ ...document, $id: documentId }, undefined, false, false);
  /** The component's name for each schema in a component: Ajv's own paths lose it at a `$ref`. */
  const components = new WeakMap<object, string>();
  const pointers = new WeakMap<object, string>();
  for (const { part, pointer } of partsOf(document)) {
    const [, , kind, name] = pointer.split('/');
    if (kind === 'schemas' && name !== undefined) components.set(part, name);
    if (isObject(part.schema)) pointers.set(part.schema, `${pointer}/schema`);
  }

  /** The validator of the `schema` of a parameter or a media type. Compiled when it is first used. */
  return (schema: unknown, direction: Direction): Validate => {
    const pointer = isObject(schema) ? pointers.get(schema) : undefined;
    if (pointer === undefined) return () => [];
    // A JSON Pointer as a URI fragment (RFC 6901, section 6).
    const fragment = pointer.split('/').map(encodeURIComponent).join('/');
    let compiled: ReturnType<typeof ajv.compile> | undefined;
    let problem: string | undefined;
    const problemOf = (): string | undefined => {
      if (compiled !== undefined || problem !== undefined) return problem;
      try {
        compiled = ajv.compile({ $ref: `${documentId}#${fragment}` });
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
      }
      return problem;
    };
    const validate = (value: unknown): readonly SchemaError[] => {
      problemOf();
      if (compiled === undefined || compiled(value)) return [];
      return (compiled.errors ?? [])
        .filter((error) => !isOneWay(error, direction, resolve))
        .map((error) => {
          const { instancePath: pointer, keyword, parentSchema, data: value } = error;
          const component = parentSchema && components.get(parentSchema);
          return { pointer, keyword, message: messageOf(error), component, value };
        });
    };
    return Object.defineProperty(validate, 'problem', { get: problemOf });
  };
}

/** What Ajv says, in words, with the values or the name that it leaves out. */
export function messageOf({ keyword, params, message = keyword }: ErrorObject): string {
  switch (keyword) {
    case 'enum':
      // Some contracts have enumerations of hundreds of values.
      return params.allowedValues.length > 10 ? message : `must be ${params.allowedValues.join(' or ')}`;
    case 'additionalProperties':
      return `must not have the property ${params.additionalProperty}`;
    case 'format':
      return `must be a valid ${params.format}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'type':
      return message.replace(/\bbe (?=[aeiou])/, 'be an ').replace(/\bbe (?!an )/, 'be a ');
    default:
      return message;
  }
}

/**
 * Checks the types of the schemas' keywords, on which the code relies, by the meta-schema of JSON Schema 2020-12.
 * @throws Error with the JSON Pointer of a keyword whose value has the wrong type
 */
export function checkSchemas(document: object): void {
  const validate = createAjv().getSchema('https://json-schema.org/draft/2020-12/schema');
  // OpenAPI's examples are not those of JSON Schema.
  const isWrong = ({ keyword, instancePath }: ErrorObject) =>
    keyword === 'type' && !instancePath.endsWith('/examples');
  for (const { part, pointer, isMap } of partsOf(document)) {
    const own = isMap || part.schema === undefined ? {} : { schema: part.schema };
    for (const [name, schema] of Object.entries(pointer === '/components/schemas' ? part : own)) {
      validate?.(schema);
      const error = validate?.errors?.find(isWrong);
      if (error === undefined) continue;
      const at = `${pointer}/${escapeToken(name)}${error.instancePath}`;
      throw new Error(`${at}: ${JSON.stringify(error.data)?.slice(0, 80)} is not allowed here`);
    }
  }
}

/** Ajv with the options for all schemas: reports all errors with their schemas, asserts formats, ignores unknown keywords. */
export function createAjv(options: Options = {}): Ajv2020 {
  const usual = {
    strict: false,
    allErrors: true,
    verbose: true,
    logger: false,
    validateSchema: false,
  } as const;
  const ajv = new Ajv2020({ ...usual, ...options });
  addFormats.default(ajv);
  ajv.addFormat('date-time', (text) => lenientDateTime(text) && zone.test(text));
  return ajv;
}

/** The date-time of ajv-formats, which accepts `+0000` and `+00` too. */
const lenientDateTime = addFormats.default(new Ajv2020()).compile<string>({
  type: 'string',
  format: 'date-time',
});

/** `time-offset` of RFC 3339, section 5.6. */
const zone = /(?:z|[+-]\d\d:\d\d)$/i;

/** The regular expression (ECMA-262) of a pattern: with the flag u, or without it if the pattern has legacy escapes. */
export function regExpOf(pattern: string): RegExp {
  return attempt(() => new RegExp(pattern, 'u')) ?? new RegExp(pattern);
}

/** True for a required field that is optional in this direction: a `readOnly` one in a request (OpenAPI 3.1, section 4.8.24). */
function isOneWay(
  { keyword, params, parentSchema }: ErrorObject,
  direction: Direction,
  resolve: (schema: Schema) => Schema,
): boolean {
  if (keyword !== 'required') return false;
  const property = parentSchema?.properties?.[params.missingProperty];
  if (property === undefined) return false;
  const { readOnly, writeOnly } = resolve(property);
  return direction === 'request' ? readOnly === true : writeOnly === true;
}
