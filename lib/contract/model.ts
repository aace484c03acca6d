import type { BodyKind } from './media-types.ts';
import type { Schema, Validate } from './schema.ts';

/** HTTP methods (RFC 9110, section 9) that an operation of a contract may have. */
export const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/** Safe methods, which change nothing (RFC 9110, section 9.2.1). */
export const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The two kinds of cloud, on which page sizes have different maxima (section 8). */
export type Cloud = 'public' | 'private';

/** A scope of the catalogue, `read:actions` (section 5.5). */
export interface Scope {
  readonly name: string;
  readonly verb: string;
  readonly resource: string;
}

/** How the value of a parameter is serialized (OpenAPI 3.1, section 4.8.12). */
export interface ParameterStyle {
  readonly style: string;
  readonly explode: boolean;
  /** True if `content` declares its text as JSON. */
  readonly json: boolean;
}

/** A parameter of an operation. Its schema is resolved: it has no top-level `$ref`. */
export interface Parameter extends ParameterStyle {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly examples: readonly unknown[];
  /** The kind of data that it names (`rate_limit_policy`), if the contract declares it. */
  readonly resource: string | undefined;
  readonly schema: Schema;
  readonly validate: Validate;
}

/** A request body, one schema for each media type that the operation accepts. */
export interface RequestBody {
  readonly required: boolean;
  /** The declared media types. Valid requests use JSON if it is declared, else a form, else the first one. */
  readonly content: readonly MediaType[];
}

/** A media type with the schema of its content. */
export interface MediaType {
  /** Lower case, without parameters: `application/json`. May be a range: `image/*`. */
  readonly mediaType: string;
  readonly kind: BodyKind;
  readonly schema: Schema;
  /** Values that the document gives as examples. They need not match the schema. */
  readonly examples: readonly unknown[];
  /** How form fields are serialized, by name, if `encoding` declares it. */
  readonly encoding: Readonly<Record<string, ParameterStyle>>;
  readonly validate: Validate;
}

/**
 * A declared success response: a status or a range (`2XX`), and the content if it is declared. If an operation declares no 2xx
 * status, its 3xx statuses count, else `DEFAULT`.
 */
export interface SuccessResponse {
  readonly status: string;
  /** True if a `Link` header is declared (RFC 8288). */
  readonly links: boolean;
  readonly content: readonly MediaType[];
}

/** How a listing is paginated (section 8), recognized by its parameters: see `pagination.ts`. */
export type Pagination = CheckpointPagination | OffsetPagination;

export interface Pages {
  /** The name of the response's field with the array; empty if the response is the array itself. */
  readonly items: string;
  /** The schema of the response, or the alternative of it that has the items. */
  readonly shape: Schema;
  readonly size: PageSize;
}

/** `from` and `take`, or parameters that mean the same. */
export interface CheckpointPagination extends Pages {
  readonly kind: 'checkpoint';
  /** The query parameter for the checkpoint: `from`. */
  readonly from: string;
  /** The response's field with the next checkpoint; undefined if a `Link` header has it. */
  readonly next: string | undefined;
  /** Seconds from issue for which a checkpoint is valid; infinite if none are declared. */
  readonly lifetime: number;
}

/** `page` and `per_page`, or parameters that mean the same. */
export interface OffsetPagination extends Pages {
  readonly kind: 'offset';
  /** The query parameter for the start of the page: `page`. */
  readonly page: string;
  /** What that parameter counts. */
  readonly counts: 'pages' | 'items';
  /** The number of the first page. */
  readonly first: number;
}

/** Bounds of the page size parameter. */
export interface PageSize {
  readonly parameter: Parameter;
  /** The declared default, otherwise half the maximum (section 8). */
  readonly default: number;
  readonly minimum: number;
  /** The parameter's own maximum, or the cloud's if it declares none. */
  readonly maximum: Readonly<Record<Cloud, number>>;
  /** The cloud's own maximum (section 8), regardless of the parameter's. */
  readonly cloudMaximum: Readonly<Record<Cloud, number>>;
}

/** The header for a client's correlation ID (section 5). */
export interface Correlation {
  readonly header: string;
  /** Number of characters that the logs keep. */
  readonly recordedLength: number;
}

/** An operation under the base address. */
export interface Operation {
  readonly id: string;
  readonly method: Method;
  /** Path template relative to the base address: `/rate-limit-policies/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  readonly success: readonly SuccessResponse[];
  /** True if the operation is identical to one of the shipped contract, to which section 4 applies. */
  readonly specified: boolean;
  /** True if a token is required and sufficient. */
  readonly authenticated: boolean;
  /** Required security schemes for which the suite has no credentials: `apiKey`. */
  readonly otherSchemes: readonly string[];
  /** All scopes that a token must permit; empty if the contract names none. */
  readonly scopes: readonly Scope[];
  /** Sets of scopes, each of which is sufficient; `scopes` is the first. */
  readonly alternatives: readonly (readonly Scope[])[];
  /** True if the scope follows from the catalogue and no sentence of the specification names it. */
  readonly scopeInferred: boolean;
  readonly pagination: Pagination | undefined;
  /** Why the operation is not read in pages, although it looks like a listing. */
  readonly unpaged: string | undefined;
  readonly correlation: Correlation | undefined;
}

/** The client-credentials token endpoint (section 5.4), on the tenant host itself. */
export interface TokenEndpoint {
  /** Path on the tenant host: `/oauth/token/`. */
  readonly path: string;
  readonly audience: string;
}

/** The whole contract, as everything else reads it. */
export interface Contract {
  readonly title: string;
  readonly version: string;
  /** Version of the specification that the suite judges by, with any contract. */
  readonly specification: string;
  readonly operations: readonly Operation[];
  /** The operations of the document that are not tested, with the reason, one line each. */
  readonly skipped: readonly string[];
  /** The catalogue of scopes, in the contract's order. */
  readonly scopes: readonly Scope[];
  readonly tokenEndpoint: TokenEndpoint | undefined;
  /** Sizes of request bodies in bytes that every operation accepts, and refuses (sections 1 and 8). */
  readonly payload: { readonly accepts: number; readonly refuses: number };
  /** The schema with its top-level `$ref` resolved. */
  resolve(schema: Schema): Schema;
  /** The resolved component schema of this name, or undefined. */
  component(name: string): Schema | undefined;
}

/** The operation with this id. @throws Error if the contract has none, which is a mistake of the caller */
export function operation(contract: Contract, id: string): Operation {
  const found = contract.operations.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`the contract has no operation ${id}`);
  return found;
}

/** The values that a parameter of the operation may have; empty if it has no enum. */
export function enumOf({ parameters }: Operation, name: string): readonly string[] {
  const parameter = parameters.find((each) => each.name === name);
  return (parameter?.schema.enum ?? []).map(String);
}

/** True if a token with these scopes, or scopes of these names, permits the operation. */
export function permits({ alternatives }: Operation, scopes: Iterable<Scope | string>): boolean {
  const names = new Set([...scopes].map((each) => (typeof each === 'string' ? each : each.name)));
  return alternatives.length === 0 || alternatives.some((all) => all.every(({ name }) => names.has(name)));
}

/** Parses `read:actions`; undefined for a name that is not `<verb>:<resource>`. */
export function parseScope(name: string): Scope | undefined {
  const colon = name.indexOf(':');
  if (colon < 1 || colon === name.length - 1) return undefined;
  return { name, verb: name.slice(0, colon), resource: name.slice(colon + 1) };
}

/** The `scopes` claim that permits exactly these scopes: `{"actions": {"actions": ["read"]}}` (section 5.2). */
export function scopesClaim(scopes: readonly Scope[]): Record<string, { actions: string[] }> {
  const entries = new Map<string, { actions: string[] }>();
  for (const { resource, verb } of scopes) {
    const entry = entries.get(resource) ?? { actions: [] };
    if (!entry.actions.includes(verb)) entry.actions.push(verb);
    entries.set(resource, entry);
  }
  return Object.fromEntries(entries);
}
