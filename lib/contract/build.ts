import type { OpenAPIV3_1 } from 'openapi-types';
import {
  type Cloud,
  type Contract,
  type Correlation,
  type MediaType,
  methods,
  type Operation,
  type PageSize,
  type Pagination,
  type Parameter,
  parseScope,
  type RequestBody,
  type Scope,
  type SuccessResponse,
  safeMethods,
  type TokenEndpoint,
} from './model.ts';
import type { Schema } from './schema.ts';
import { createSchemaCompiler } from './validation.ts';

type Json = Readonly<Record<string, unknown>>;

/** Half the maximum is the default page size (section 8, conventions 1 and 2). */
const defaultShareOfMaximum = 0.5;

/**
 * The typed model of an OpenAPI 3.1 document whose references are all local.
 * @param shipped the suite's own contract, from which limits are taken that the document does not name
 * @throws Error where the document breaks the conventions, with the place
 */
export function buildContract(document: OpenAPIV3_1.Document, shipped: OpenAPIV3_1.Document): Contract {
  const compiler = createSchemaCompiler(document);
  const shippedTake = object(shipped.paths?.['/experimentation/experiments']?.get?.parameters?.[1]);
  const lifetime = number(
    object(shipped.paths?.['/experimentation/experiments']?.get?.parameters?.[0])['x-checkpoint-lifetime'],
  );
  const payload = object(object(document)['x-payload-limit'] ?? object(shipped)['x-payload-limit']);

  const follow = (value: unknown): { value: Json; pointer: string | undefined } => {
    let at: string | undefined;
    let current = object(value);
    for (let hops = 0; typeof current.$ref === 'string'; hops += 1) {
      if (hops > 20) throw new Error(`$ref ${current.$ref} leads in a circle`);
      at = current.$ref.slice(1);
      current = object(find(document, at, current.$ref));
    }
    return { value: current, pointer: at };
  };
  const resolve = (schema: Schema): Schema => follow(schema).value;

  const mediaTypes = (content: unknown, pointer: string): MediaType[] =>
    Object.entries(object(content)).map(([mediaType, media]) => {
      const at = `${pointer}/content/${escapeToken(mediaType)}/schema`;
      const schema: Schema = object(media).schema === undefined ? {} : object(object(media).schema);
      return {
        mediaType: mediaType.toLowerCase().replace(/\s*;.*$/, ''),
        schema: resolve(schema),
        validate: object(media).schema === undefined ? () => [] : compiler.at(at),
      };
    });

  const parameter = (value: unknown): Parameter & { extensions: Json } => {
    const { value: found } = follow(value);
    const where = String(found.in);
    const schema: Schema = object(found.schema ?? {});
    if (where !== 'path' && where !== 'query' && where !== 'header' && where !== 'cookie') {
      throw new Error(`parameter ${String(found.name)}: in: ${where} is not known`);
    }
    return {
      name: String(found.name),
      in: where === 'cookie' ? 'header' : where,
      required: where === 'path' || found.required === true,
      resource: typeof found['x-resource'] === 'string' ? found['x-resource'] : undefined,
      schema: resolve(schema),
      validate: compiler.of(schema),
      extensions: found,
    };
  };

  const pageSize = (size: Parameter & { extensions: Json }): PageSize => {
    const clouds = object(size.extensions['x-maximum'] ?? shippedTake['x-maximum']);
    const maximumOn = (cloud: Cloud) => size.schema.maximum ?? number(clouds[cloud]);
    const maximum = { public: maximumOn('public'), private: maximumOn('private') };
    return {
      parameter: size,
      default:
        typeof size.schema.default === 'number'
          ? size.schema.default
          : maximum.public * defaultShareOfMaximum,
      minimum: size.schema.minimum ?? 1,
      maximum,
      cloudMaximum: { public: number(clouds.public), private: number(clouds.private) },
    };
  };

  const pagination = (
    parameters: readonly (Parameter & { extensions: Json })[],
    success: readonly SuccessResponse[],
  ): Pagination | undefined => {
    const query = (name: string) => parameters.find((each) => each.in === 'query' && each.name === name);
    const items = oneArray(success, resolve);
    if (items === undefined) return undefined;
    const [from, take, page, perPage] = [query('from'), query('take'), query('page'), query('per_page')];
    if (from && take) {
      const seconds = from.extensions['x-checkpoint-lifetime'];
      return {
        kind: 'checkpoint',
        items,
        size: pageSize(take),
        lifetime: seconds === undefined ? lifetime : number(seconds),
      };
    }
    return page && perPage ? { kind: 'offset', items, size: pageSize(perPage) } : undefined;
  };

  const operationOf = (path: string, pathItem: Json, method: (typeof methods)[number]): Operation => {
    const raw = object(pathItem[method.toLowerCase()]);
    const pointer = `/paths/${escapeToken(path)}/${method.toLowerCase()}`;
    const own = array(raw.parameters).map(parameter);
    const shared = array(pathItem.parameters)
      .map(parameter)
      .filter((each) => !own.some((other) => other.name === each.name && other.in === each.in));
    const parameters = [...shared, ...own];
    const bodyAt = follow(raw.requestBody ?? {});
    const body: RequestBody | undefined =
      raw.requestBody === undefined
        ? undefined
        : {
            required: bodyAt.value.required === true,
            content: mediaTypes(bodyAt.value.content, bodyAt.pointer ?? `${pointer}/requestBody`),
          };
    const success = Object.entries(object(raw.responses))
      .filter(([status]) => status.startsWith('2'))
      .map(([status, response]): SuccessResponse => {
        const at = follow(response);
        return {
          status: status.toUpperCase(),
          content: mediaTypes(at.value.content ?? {}, at.pointer ?? `${pointer}/responses/${status}`),
        };
      });
    const security = array(raw.security ?? object(document).security).map(object);
    const correlationParameter = parameters.find(
      (each) => each.in === 'header' && each.extensions['x-recorded-length'] !== undefined,
    );
    const correlation: Correlation | undefined = correlationParameter && {
      header: correlationParameter.name,
      recordedLength: number(correlationParameter.extensions['x-recorded-length']),
    };
    return {
      id: typeof raw.operationId === 'string' ? raw.operationId : `${method} ${path}`,
      method,
      path,
      parameters,
      body,
      success,
      authenticated:
        security.length > 0 && security.every((requirement) => Object.keys(requirement).length > 0),
      scopes: scopesOf(security),
      scopeInferred: raw['x-scope-inferred'] === true,
      pagination: method === 'GET' ? pagination(parameters, success) : undefined,
      correlation: correlation ?? (safeMethods.has(method) ? undefined : sharedCorrelation(shipped)),
    };
  };

  // A path with servers of its own (the token endpoint) stands outside the base address.
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
    const pathItem = object(item);
    if (pathItem.servers !== undefined) return [];
    return methods
      .filter((method) => pathItem[method.toLowerCase()] !== undefined)
      .map((method) => operationOf(path, pathItem, method));
  });
  if (operations.length === 0) throw new Error('no operations under the base address');
  const repeated = operations.find(({ id }, index) =>
    operations.slice(0, index).some((each) => each.id === id),
  );
  if (repeated) throw new Error(`operationId ${repeated.id} stands twice`);

  return {
    title: document.info.title,
    version: document.info.version,
    specification: shipped.info.version,
    operations,
    scopes: Object.keys(object(clientCredentials(document)?.scopes)).flatMap(
      (name) => parseScope(name) ?? [],
    ),
    tokenEndpoint: tokenEndpoint(document),
    payload: { accepts: number(payload.accepts), refuses: number(payload.refuses) },
    resolve,
    component: (name) => {
      const found = document.components?.schemas?.[name];
      return found === undefined ? undefined : resolve(object(found));
    },
  };
}

/** The correlation header of the convention (section 5), for documents that do not declare it on each operation. */
function sharedCorrelation(shipped: OpenAPIV3_1.Document): Correlation {
  const declared = object(shipped.components?.parameters?.CorrelationId);
  return { header: String(declared.name), recordedLength: number(declared['x-recorded-length']) };
}

function clientCredentials(document: OpenAPIV3_1.Document): Json | undefined {
  for (const scheme of Object.values(document.components?.securitySchemes ?? {})) {
    const flow = object(object(scheme).flows ?? {}).clientCredentials;
    if (flow !== undefined) return object(flow);
  }
  return undefined;
}

function tokenEndpoint(document: OpenAPIV3_1.Document): TokenEndpoint | undefined {
  const flow = clientCredentials(document);
  if (typeof flow?.tokenUrl !== 'string') return undefined;
  const audience = object(flow['x-form-parameters'] ?? {}).audience;
  return {
    path: new URL(flow.tokenUrl, 'https://tenant.localhost').pathname,
    audience: typeof audience === 'string' ? audience : '/api/v2/',
  };
}

/** The first alternative that names scopes: all of its scopes are needed. */
function scopesOf(security: readonly Json[]): Scope[] {
  for (const requirement of security) {
    const names = Object.values(requirement).flatMap(array).map(String);
    if (names.length > 0) return names.flatMap((name) => parseScope(name) ?? []);
  }
  return [];
}

/** The name of the response's one array property, or undefined where there is none or more than one. */
function oneArray(
  success: readonly SuccessResponse[],
  resolve: (schema: Schema) => Schema,
): string | undefined {
  const schema = success[0]?.content[0]?.schema;
  const arrays = Object.entries(schema?.properties ?? {}).filter(
    ([, property]) => resolve(property).type === 'array',
  );
  return arrays.length === 1 ? arrays[0]?.[0] : undefined;
}

function find(document: unknown, pointer: string, ref: string): unknown {
  let current: unknown = document;
  for (const part of pointer.split('/').slice(1)) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    const next: unknown =
      typeof current === 'object' && current !== null ? Reflect.get(current, name) : undefined;
    if (next === undefined) throw new Error(`$ref ${ref} leads nowhere`);
    current = next;
  }
  return current;
}

/** One reference token of a JSON Pointer (RFC 6901, section 3). */
function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function array(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw new Error(`${JSON.stringify(value)} stands where a number must`);
  return value;
}
