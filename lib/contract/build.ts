import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIV3_1 } from 'openapi-types';
import { isObject, type JsonObject } from './json.ts';
import { bodyKindOf, essenceOf } from './media-types.ts';
import {
  type Contract,
  type Correlation,
  type MediaType,
  type Method,
  methods,
  type Operation,
  type Parameter,
  type ParameterStyle,
  type RequestBody,
  type SuccessResponse,
  safeMethods,
} from './model.ts';
import { type ListingDefaults, paginationOf } from './pagination.ts';
import { References } from './references.ts';
import type { Direction, Schema } from './schema.ts';
import { scopesOf, securityOf, tokenEndpointOf } from './security.ts';
import { createSchemaCompiler } from './validation.ts';

type ParameterWithExtensions = Parameter & { readonly extensions: JsonObject };

/** Header parameters that are ignored, because other parts of the document declare them (OpenAPI 3.1, section 4.8.12.1). */
const otherwiseDeclared = /^(accept|content-type|authorization)$/i;

/**
 * The typed model of an OpenAPI 3.1 document whose references are all local.
 * @param shipped the suite's own contract, for limits that the document does not declare
 * @throws Error with the place if the document breaks the conventions
 */
export function buildContract(document: OpenAPIV3_1.Document, shipped: OpenAPIV3_1.Document): Contract {
  const references = new References(document);
  const follow = (value: unknown): JsonObject => references.follow(value);
  const resolve = (schema: Schema): Schema => references.schema(schema);
  const validator = createSchemaCompiler(document, resolve);
  const defaults = listingDefaults(shipped);
  const payload = object(object(document)['x-payload-limit'] ?? object(shipped)['x-payload-limit']);
  const schemes = Object.fromEntries(
    Object.entries(object(document.components?.securitySchemes)).map(([name, scheme]) => [
      name,
      follow(scheme),
    ]),
  );
  const tokenEndpoint = tokenEndpointOf(schemes);
  const skipped: string[] = [];

  const examplesOf = (part: JsonObject, schema: Schema): unknown[] => [
    ...('example' in part ? [part.example] : []),
    ...Object.values(object(part.examples)).map((each) => follow(each).value),
    ...(schema.example === undefined ? [] : [schema.example]),
    ...array(schema.examples),
    ...(schema.default === undefined ? [] : [schema.default]),
  ];

  const mediaTypes = (content: unknown, direction: Direction): MediaType[] =>
    Object.entries(object(content)).map(([name, media]) => {
      const declared = object(media);
      const schema = resolve(object(declared.schema));
      const mediaType = essenceOf(name);
      return {
        mediaType,
        kind: bodyKindOf(mediaType),
        schema,
        examples: examplesOf(declared, schema),
        encoding: Object.fromEntries(
          Object.entries(object(declared.encoding)).flatMap(([field, each]) =>
            object(each).style === undefined ? [] : [[field, styleOf(object(each), 'form')]],
          ),
        ),
        validate: validator(declared.schema, direction),
      };
    });

  const parametersOf = (values: unknown, path: string): ParameterWithExtensions[] =>
    array(values).flatMap((value) => {
      const found = follow(value);
      const { name, in: place } = found;
      if (typeof name !== 'string') throw new Error(`${path}: a parameter has no name`);
      if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie')
        throw new Error(`parameter ${name}: unknown location in: ${String(place)}`);
      if (place === 'header' && otherwiseDeclared.test(name)) return [];
      const [content] = mediaTypes(found.content, 'request');
      const schema = content?.schema ?? resolve(object(found.schema));
      return [
        {
          name,
          in: place,
          required: place === 'path' || found.required === true,
          ...styleOf(found, place === 'query' || place === 'cookie' ? 'form' : 'simple'),
          json: content?.kind === 'json',
          resource: typeof found['x-resource'] === 'string' ? found['x-resource'] : undefined,
          schema,
          examples: [...examplesOf(found, schema), ...(content?.examples ?? [])],
          validate: content?.validate ?? validator(found.schema, 'request'),
          extensions: found,
        },
      ];
    });

  const successOf = (responses: JsonObject): SuccessResponse[] => {
    const statuses = Object.keys(responses);
    const [kind = []] = [/^2/, /^3/, /^default$/]
      .map((each) => statuses.filter((status) => each.test(status)))
      .filter((each) => each.length > 0);
    return kind.map((status) => {
      const response = follow(responses[status]);
      return {
        status: status.toUpperCase(),
        links: Object.keys(object(response.headers)).some((name) => name.toLowerCase() === 'link'),
        content: mediaTypes(response.content, 'response'),
      };
    });
  };

  const operationOf = (path: string, pathItem: JsonObject, method: Method): Operation => {
    const raw = object(pathItem[method.toLowerCase()]);
    const own = parametersOf(raw.parameters, path);
    const shared = parametersOf(pathItem.parameters, path).filter(
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
    const { required, content } = follow(raw.requestBody);
    const body: RequestBody = { required: required === true, content: mediaTypes(content, 'request') };
    const success = successOf(object(raw.responses));
    const correlationParameter = parameters.find(
      (each) => each.in === 'header' && each.extensions['x-recorded-length'] !== undefined,
    );
    const correlation: Correlation | undefined = correlationParameter && {
      header: correlationParameter.name,
      recordedLength: number(correlationParameter.extensions['x-recorded-length']),
    };
    const id = typeof raw.operationId === 'string' ? raw.operationId : `${method} ${path}`;
    return {
      id,
      method,
      path,
      parameters,
      body: body.content.length === 0 ? undefined : body,
      success,
      specified: isDeepStrictEqual(raw, object(object(shipped.paths)[path])[method.toLowerCase()]),
      ...securityOf(array(raw.security ?? document.security), schemes),
      scopeInferred: raw['x-scope-inferred'] === true,
      ...(method === 'GET'
        ? paginationOf(path, parameters, success, resolve, defaults)
        : { pagination: undefined, unpaged: undefined }),
      correlation: correlation ?? (safeMethods.has(method) ? undefined : sharedCorrelation(shipped)),
    };
  };

  const [anyPath] = Object.values(object(document.paths)).map(object);
  const base = urlsOf(document.servers ?? anyPath?.servers);
  const operations = Object.entries(object(document.paths)).flatMap(([path, item]) => {
    if (!path.startsWith('/')) return [];
    const pathItem = follow(item);
    const declared = [...methods, 'TRACE' as const].filter((method) =>
      isObject(pathItem[method.toLowerCase()]),
    );
    const why = (method: string): string | undefined => {
      if (method === 'TRACE') return 'TRACE requests are not sent';
      if (/[?#]/.test(path)) return 'its path contains a query or a fragment';
      const { servers = pathItem.servers } = object(pathItem[method.toLowerCase()]);
      return servers === undefined || urlsOf(servers) === base
        ? undefined
        : 'it has servers of its own, outside the base address';
    };
    return declared.flatMap((method) => {
      const reason = why(method);
      // The token endpoint has requirements of its own.
      if (reason !== undefined && path !== tokenEndpoint?.path) skipped.push(`${method} ${path}: ${reason}`);
      return reason !== undefined || method === 'TRACE' ? [] : [operationOf(path, pathItem, method)];
    });
  });
  if (operations.length === 0) throw new Error('no operations under the base address');
  const ids = new Set<string>();
  for (const { id } of operations) {
    if (ids.has(id)) throw new Error(`operationId ${id} is not unique`);
    ids.add(id);
  }

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

/** The correlation header of the convention (section 5), for documents that do not declare it on each operation. */
function sharedCorrelation(shipped: OpenAPIV3_1.Document): Correlation {
  const declared = object(shipped.components?.parameters?.CorrelationId);
  return { header: String(declared.name), recordedLength: number(declared['x-recorded-length']) };
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
