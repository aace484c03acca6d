import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIV3_1 } from 'openapi-types';
import { isObject, type JsonObject, mapValues } from './json.ts';
import { bodyKindOf, essenceOf } from './media-types.ts';
import {
  type Contract,
  type Correlation,
  type MediaType,
  type Method,
  methods,
  type Operation,
  type ParameterStyle,
  type RequestBody,
  type SuccessResponse,
  safeMethods,
  type TokenEndpoint,
} from './model.ts';
import { type DeclaredParameter, type ListingDefaults, paginationOf } from './pagination.ts';
import { References } from './references.ts';
import type { Direction, Schema } from './schema.ts';
import { scopesOf, securityOf, tokenEndpointOf } from './security.ts';
import { createSchemaCompiler } from './validation.ts';

/** Header parameters that are ignored, because other parts of the document declare them (OpenAPI 3.1, section 4.8.12.1). */
const otherwiseDeclared = /^(accept|content-type|authorization)$/i;

/**
 * The typed model of an OpenAPI 3.1 document whose references are all local.
 * @param shipped the suite's own contract, for limits that the document does not declare
 * @throws Error with the place if the document breaks the conventions
 */
export function buildContract(document: OpenAPIV3_1.Document, shipped: OpenAPIV3_1.Document): Contract {
  const reader = new DocumentReader(document, shipped);
  const payload = object(object(document)['x-payload-limit'] ?? object(shipped)['x-payload-limit']);
  const { schemes, tokenEndpoint, resolve } = reader;
  const { operations, skipped } = reader.operations();
  return {
    title: String(object(document.info).title ?? ''),
    version: String(object(document.info).version ?? ''),
    specification: shipped.info.version,
    operations,
    skipped,
    scopes: scopesOf(schemes, operations),
    tokenEndpoint,
    payload: { accepts: number(payload.accepts), refuses: number(payload.refuses) },
    resolve,
    component: (name) => {
      const found = document.components?.schemas?.[name];
      return found === undefined ? undefined : resolve(object(found));
    },
  };
}

/** Reads the parts of a document into the model. */
class DocumentReader {
  readonly schemes: Readonly<Record<string, JsonObject>>;
  readonly tokenEndpoint: TokenEndpoint | undefined;
  readonly resolve = (schema: Schema): Schema => this.#references.schema(schema);
  readonly #document: OpenAPIV3_1.Document;
  readonly #shipped: OpenAPIV3_1.Document;
  readonly #references: References;
  readonly #follow = (value: unknown): JsonObject => this.#references.follow(value);
  readonly #validator: ReturnType<typeof createSchemaCompiler>;
  readonly #defaults: ListingDefaults;

  constructor(document: OpenAPIV3_1.Document, shipped: OpenAPIV3_1.Document) {
    this.#document = document;
    this.#shipped = shipped;
    this.#references = new References(document);
    this.#validator = createSchemaCompiler(document, this.resolve);
    this.#defaults = listingDefaults(shipped);
    this.schemes = mapValues(object(document.components?.securitySchemes), this.#follow);
    this.tokenEndpoint = tokenEndpointOf(this.schemes);
  }

  /** The operations under the base address, and those that are skipped, each with the reason. */
  operations(): { readonly operations: readonly Operation[]; readonly skipped: readonly string[] } {
    const paths = object(this.#document.paths);
    const [anyPath] = Object.values(paths).map(object);
    const base = urlsOf(this.#document.servers ?? anyPath?.servers);
    const skipped: string[] = [];
    const operations = Object.entries(paths).flatMap(([path, item]) => {
      if (!path.startsWith('/')) return [];
      const pathItem = this.#follow(item);
      const declared = [...methods, 'TRACE' as const].filter((method) =>
        isObject(pathItem[method.toLowerCase()]),
      );
      return declared.flatMap((method) => {
        const reason = whySkipped(path, pathItem, method, base);
        // The token endpoint has requirements of its own.
        if (reason !== undefined && path !== this.tokenEndpoint?.path)
          skipped.push(`${method} ${path}: ${reason}`);
        return reason !== undefined || method === 'TRACE' ? [] : [this.#operation(path, pathItem, method)];
      });
    });
    if (operations.length === 0) throw new Error('no operations under the base address');
    const ids = operations.map(({ id }) => id);
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
    if (repeated !== undefined) throw new Error(`operationId ${repeated} is not unique`);
    return { operations, skipped };
  }

  #examples(part: JsonObject, schema: Schema): unknown[] {
    return [
      ...('example' in part ? [part.example] : []),
      ...Object.values(object(part.examples)).map((each) => this.#follow(each).value),
      ...(schema.example === undefined ? [] : [schema.example]),
      ...array(schema.examples),
      ...(schema.default === undefined ? [] : [schema.default]),
    ];
  }

  #mediaTypes(content: unknown, direction: Direction): MediaType[] {
    return Object.entries(object(content)).map(([name, media]) => {
      const declared = object(media);
      const schema = this.resolve(object(declared.schema));
      const mediaType = essenceOf(name);
      return {
        mediaType,
        kind: bodyKindOf(mediaType),
        schema,
        examples: this.#examples(declared, schema),
        encoding: Object.fromEntries(
          Object.entries(object(declared.encoding)).flatMap(([field, each]) =>
            object(each).style === undefined ? [] : [[field, styleOf(object(each), 'form')]],
          ),
        ),
        validate: this.#validator(declared.schema, direction),
      };
    });
  }

  #parameters(values: unknown, path: string): DeclaredParameter[] {
    return array(values).flatMap((value) => {
      const found = this.#follow(value);
      const { name, in: place } = found;
      if (typeof name !== 'string') throw new Error(`${path}: a parameter has no name`);
      if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie')
        throw new Error(`parameter ${name}: unknown location in: ${String(place)}`);
      if (place === 'header' && otherwiseDeclared.test(name)) return [];
      const [content] = this.#mediaTypes(found.content, 'request');
      const schema = content?.schema ?? this.resolve(object(found.schema));
      return [
        {
          name,
          in: place,
          required: place === 'path' || found.required === true,
          ...styleOf(found, place === 'query' || place === 'cookie' ? 'form' : 'simple'),
          json: content?.kind === 'json',
          resource: typeof found['x-resource'] === 'string' ? found['x-resource'] : undefined,
          schema,
          examples: [...this.#examples(found, schema), ...(content?.examples ?? [])],
          validate: content?.validate ?? this.#validator(found.schema, 'request'),
          declaration: found,
        },
      ];
    });
  }

  #success(responses: JsonObject): SuccessResponse[] {
    const statuses = Object.keys(responses);
    const [kind = []] = [/^2/, /^3/, /^default$/]
      .map((each) => statuses.filter((status) => each.test(status)))
      .filter((each) => each.length > 0);
    return kind.map((status) => {
      const response = this.#follow(responses[status]);
      return {
        status: status.toUpperCase(),
        links: Object.keys(object(response.headers)).some((name) => name.toLowerCase() === 'link'),
        content: this.#mediaTypes(response.content, 'response'),
      };
    });
  }

  #operation(path: string, pathItem: JsonObject, method: Method): Operation {
    const raw = object(pathItem[method.toLowerCase()]);
    const own = this.#parameters(raw.parameters, path);
    const shared = this.#parameters(pathItem.parameters, path).filter(
      (each) => !own.some((other) => other.name === each.name && other.in === each.in),
    );
    const names = pathNames(path);
    const parameters = [...shared, ...own].filter((each) => each.in !== 'path' || names.includes(each.name));
    const undeclared = names.find(
      (name) => !parameters.some((each) => each.in === 'path' && each.name === name),
    );
    if (undeclared !== undefined)
      throw new Error(
        `${method} ${path}: its path parameter ${undeclared} is not declared: add it to its parameters, with in: path`,
      );
    const { required, content } = this.#follow(raw.requestBody);
    const body: RequestBody = { required: required === true, content: this.#mediaTypes(content, 'request') };
    const success = this.#success(object(raw.responses));
    const correlation = parameters.find(
      (each) => each.in === 'header' && each.declaration['x-recorded-length'] !== undefined,
    );
    // Of the convention (section 5), for documents that do not declare the header on each operation.
    const usual = safeMethods.has(method) ? undefined : this.#shipped.components?.parameters?.CorrelationId;
    const id = typeof raw.operationId === 'string' ? raw.operationId : `${method} ${path}`;
    return {
      id,
      method,
      path,
      parameters,
      body: body.content.length === 0 ? undefined : body,
      success,
      specified: isDeepStrictEqual(raw, object(object(this.#shipped.paths)[path])[method.toLowerCase()]),
      ...securityOf(array(raw.security ?? this.#document.security), this.schemes),
      scopeInferred: raw['x-scope-inferred'] === true,
      ...(method === 'GET'
        ? paginationOf(path, parameters, success, this.resolve, this.#defaults)
        : { pagination: undefined, unpaged: undefined }),
      correlation: correlationOf(correlation?.declaration ?? usual),
    };
  }
}

/** Why the operation is not judged; undefined if it is. @param base the URLs of the document's servers */
function whySkipped(path: string, pathItem: JsonObject, method: string, base: string): string | undefined {
  if (method === 'TRACE') return 'TRACE requests are not sent';
  if (/[?#]/.test(path)) return 'its path contains a query or a fragment';
  const { servers = pathItem.servers } = object(pathItem[method.toLowerCase()]);
  return servers === undefined || urlsOf(servers) === base
    ? undefined
    : 'it has servers of its own, outside the base address';
}

/** The names in a path template. */
export function pathNames(path: string): readonly string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

function urlsOf(servers: unknown): string {
  return array(servers)
    .map((server) => object(server).url)
    .join(' ');
}

function styleOf(found: JsonObject, usual: string): ParameterStyle {
  const style = typeof found.style === 'string' ? found.style : usual;
  return {
    style,
    explode: typeof found.explode === 'boolean' ? found.explode : style === 'form',
    json: false,
  };
}

function listingDefaults(shipped: OpenAPIV3_1.Document): ListingDefaults {
  const [from, take] = array(shipped.paths?.['/experimentation/experiments']?.get?.parameters).map(object);
  const clouds = object(take?.['x-maximum']);
  return {
    lifetime: number(from?.['x-checkpoint-lifetime']),
    maximum: { public: number(clouds.public), private: number(clouds.private) },
  };
}

function correlationOf(declared: object | undefined): Correlation | undefined {
  const { name, 'x-recorded-length': length } = object(declared);
  return typeof name === 'string' ? { header: name, recordedLength: number(length) } : undefined;
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function array(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw new Error(`${JSON.stringify(value)} is not a number`);
  return value;
}
