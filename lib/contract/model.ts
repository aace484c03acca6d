import type { BodyKind } from './media-types.ts';
import type { Schema, Validate } from './schema.ts';

/** Methods of HTTP (RFC 9110, section 9) that a contract's operation may have. */
export const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/** Methods that change nothing, whatever the operation (RFC 9110, section 9.2.1). */
export const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The two kinds of cloud, on which page sizes have different maxima (section 8). */
export type Cloud = 'public' | 'private';

/** A scope of the catalogue, `read:actions` (section 5.5). */
export interface Scope {
  readonly name: string;
  readonly verb: string;
  readonly resource: string;
}

/** How the value of a parameter is written (OpenAPI 3.1, section 4.8.12). */
export interface ParameterStyle {
  readonly style: string;
  readonly explode: boolean;
  /** True where `content` says that its text is JSON. */
  readonly json: boolean;
}

/** A parameter of an operation. Its schema is resolved: no `$ref` at its top. */
export interface Parameter extends ParameterStyle {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly examples: readonly unknown[];
  /** The kind of data that it names (`rate_limit_policy`), where the contract says so. */
  readonly resource: string | undefined;
  readonly schema: Schema;
  readonly validate: Validate;
}

/** A request body, one schema for each media type that the operation accepts. */
export interface RequestBody {
  readonly required: boolean;
  /** The declared media types, the first one is the one that valid requests use. */
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
  /** How fields of a form are written, by name, where `encoding` says so. */
  readonly encoding: Readonly<Record<string, ParameterStyle>>;
  readonly validate: Validate;
}

/**
 * One declared success: a status or a range (`2XX`) and the content of the answer; none where none is declared. An operation
 * without any status of 2xx has those of 3xx here, else `DEFAULT`.
 */
export interface SuccessResponse {
  readonly status: string;
  /** True where a `Link` header is declared (RFC 8288). */
  readonly links: boolean;
  readonly content: readonly MediaType[];
}

/** How a listing is cut into pages (section 8), known by its parameters: see `pagination.ts`. */
export type Pagination = CheckpointPagination | OffsetPagination;

export interface Pages {
  /** The response's array, by the name of its field; empty where the response is the array itself. */
  readonly items: string;
  readonly size: PageSize;
}

/** `from` and `take`, or parameters that mean the same. */
export interface CheckpointPagination extends Pages {
  readonly kind: 'checkpoint';
  /** The query parameter that carries the checkpoint: `from`. */
  readonly from: string;
  /** The response's field with the next checkpoint; undefined where a `Link` header has it. */
  readonly next: string | undefined;
  /** Seconds from issue for which a checkpoint is valid; infinite where nothing says so. */
  readonly lifetime: number;
}

/** `page` and `per_page`, or parameters that mean the same. */
export interface OffsetPagination extends Pages {
  readonly kind: 'offset';
  /** The query parameter that says where the page begins: `page`. */
  readonly page: string;
  /** What that parameter counts. */
  readonly counts: 'pages' | 'items';
  /** The number of the first page. */
  readonly first: number;
}

/** Bounds of the page size parameter. */
export interface PageSize {
  readonly parameter: Parameter;
  /** The default where the contract names one; otherwise half the maximum (section 8). */
  readonly default: number;
  readonly minimum: number;
  /** The parameter's own maximum, or the cloud's where it names none. */
  readonly maximum: Readonly<Record<Cloud, number>>;
  /** The cloud's own maximum (section 8), whatever the parameter's. */
  readonly cloudMaximum: Readonly<Record<Cloud, number>>;
}

/** The header that carries a client's correlation ID (section 5). */
export interface Correlation {
  readonly header: string;
  /** Characters that the logs keep. */
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
  /** True where it is an operation of the shipped contract, word for word: section 4 is about these. */
  readonly specified: boolean;
  /** True where a token is needed, and is enough. */
  readonly authenticated: boolean;
  /** Security schemes that the operation needs and that the suite has no credentials for: `apiKey`. */
  readonly otherSchemes: readonly string[];
  /** Scopes that a token must permit, all of them; empty where the contract names none. */
  readonly scopes: readonly Scope[];
  /** Sets of scopes of which one is enough; `scopes` is the first. */
  readonly alternatives: readonly (readonly Scope[])[];
  /** The scope follows from the catalogue, no sentence names it. */
  readonly scopeInferred: boolean;
  readonly pagination: Pagination | undefined;
  /** Why it is not read in pages, though it looks like a listing. */
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
  /** Version of the specification that the suite judges by, whatever document was handed in. */
  readonly specification: string;
  readonly operations: readonly Operation[];
  /** What of the document is not tested, and why, one line each. */
  readonly skipped: readonly string[];
  /** The catalogue of scopes, in the contract's order. */
  readonly scopes: readonly Scope[];
  readonly tokenEndpoint: TokenEndpoint | undefined;
  /** Bytes of a request body: every operation accepts the one, and refuses the other (sections 1 and 8). */
  readonly payload: { readonly accepts: number; readonly refuses: number };
  /** The schema with every `$ref` at its top followed. */
  resolve(schema: Schema): Schema;
  /** The resolved component schema of this name, or undefined. */
  component(name: string): Schema | undefined;
}

/** The operation of this id. Throws where the contract has none: then the caller's list is wrong. */
export function operation(contract: Contract, id: string): Operation {
  const found = contract.operations.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`the contract has no operation ${id}`);
  return found;
}

/** True where a token with these scopes permits the operation. */
export function permits({ alternatives }: Operation, scopes: readonly Scope[]): boolean {
  const names = new Set(scopes.map(({ name }) => name));
  return alternatives.length === 0 || alternatives.some((all) => all.every(({ name }) => names.has(name)));
}

/** `read:actions` parsed; undefined for a name that is not a `<verb>:<resource>`. */
export function parseScope(name: string): Scope | undefined {
  const colon = name.indexOf(':');
  if (colon < 1 || colon === name.length - 1) return undefined;
  return { name, verb: name.slice(0, colon), resource: name.slice(colon + 1) };
}

/** The `scopes` claim that permits exactly these: `{"actions": {"actions": ["read"]}}` (section 5.2). */
export function scopesClaim(scopes: readonly Scope[]): Record<string, { actions: string[] }> {
  const entries = new Map<string, { actions: string[] }>();
  for (const { resource, verb } of scopes) {
    const entry = entries.get(resource) ?? { actions: [] };
    if (!entry.actions.includes(verb)) entry.actions.push(verb);
    entries.set(resource, entry);
  }
  return Object.fromEntries(entries);
}
