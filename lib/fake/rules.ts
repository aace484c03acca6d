import type { ActionEntry, CustomText, DataSet, PolicyEntry, ProfileEntry } from '../contract/data-set.ts';
import type { JsonObject } from '../contract/json.ts';
import type {
  CheckpointPagination,
  Correlation,
  MediaType,
  Operation,
  Pagination,
  Parameter,
  Scope,
} from '../contract/model.ts';
import type { SchemaError } from '../contract/schema.ts';
import type { Body, Call, FakeResponse, Refusal, WireResponse } from './call.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { TrustedKey } from './keys.ts';
import type { Filters, Listing, LogEntry, PhoneTemplates, Tenant } from './tenant.ts';

/** The checks that a request must pass. They work in any order. */
export type Check = 'payload' | 'rate' | 'token' | 'scopes' | 'parameters' | 'exists' | 'mediaType' | 'body';

/**
 * Every decision of the fake. A fault or a variant overrides some of them. Each rule gets enough context for subtle faults:
 * for only one operation, on one page, for one field, or after the clock was moved.
 */
export interface Rules {
  /** The checks in order: the first refusal is the response. */
  readonly checks: readonly Check[];
  readonly routing: {
    /** The request target to route instead of the received one. */
    target(target: string): string;
  };
  /** Sections 1 and 8: the payload limit. */
  readonly payload: {
    /** The maximum bytes of a body. Called before the body is read. */
    limit(call: Call): number;
    /** How many bytes of a refused body are still read, so that the client can read the response. */
    drained(call: Call): number;
    /** True if a declared length alone is enough to refuse. */
    trustsDeclared(call: Call): boolean;
    /** The bytes that the service uses. */
    received(body: Body, call: Call): Body;
  };
  readonly rate: {
    /** Seconds to wait if the request exceeds the rate; undefined lets it pass. */
    retryAfter(call: Call): number | undefined;
  };
  /** Section 5.1 and 5.2: the bearer token. */
  readonly token: {
    /** The token as it was sent; undefined if the request has none. */
    sent(call: Call): string | undefined;
    /** The claims of a request without a token; undefined is refused. */
    anonymous(call: Call): JsonObject | undefined;
    /** True if a token that was verified before need not be verified again. */
    remembers(token: string, call: Call): boolean;
    /** The name under which a verified token is remembered. */
    rememberedAs(token: string, call: Call): string;
    /** True if the service accepts this algorithm of the JOSE header. */
    accepts(algorithm: string, header: JsonObject, call: Call): boolean;
    /** The keys among the trusted ones that may have signed; undefined if none is needed (`alg: none`). */
    candidates(
      header: JsonObject,
      keys: readonly TrustedKey[],
      call: Call,
    ): readonly (TrustedKey | undefined)[];
    /** True if this key signed the token. */
    verifiesSignature(token: SignedToken, key: TrustedKey | undefined, call: Call): Promise<boolean>;
    /** `exp` in seconds (RFC 7519, section 4.1.4), as in the token. */
    isExpired(exp: unknown, call: Call, claims: JsonObject): boolean;
    /** `nbf` or `iat` in seconds (RFC 7519, sections 4.1.5 and 4.1.6); undefined if the token has none. */
    isEarly(time: unknown, call: Call, claims: JsonObject): boolean;
    /** True if `aud` names this service; `expected` lists its possible names. */
    acceptsAudience(aud: unknown, expected: readonly string[], call: Call, claims: JsonObject): boolean;
    /** True if `iss` is this service's token endpoint. */
    acceptsIssuer(iss: unknown, expected: readonly string[], call: Call, claims: JsonObject): boolean;
    /** The claims that the service uses. */
    claims(claims: JsonObject, call: Call): JsonObject;
  };
  /** Section 5.3: what the scopes permit. */
  readonly scopes: {
    /** The scopes that the operation requires. */
    required(operation: Operation, call: Call): readonly Scope[];
    /** True if the `scopes` claim, of any type, permits this scope. */
    permits(claim: unknown, scope: Scope, claims: JsonObject, call: Call): boolean;
  };
  /** Path, query and header parameters. */
  readonly parameters: {
    /** The decoded text of a path parameter; undefined is refused. */
    decodedPath(text: string, parameter: Parameter, call: Call): string | undefined;
    /** The value to use of a repeated parameter; undefined is refused. */
    repeated(values: readonly string[], parameter: Parameter, call: Call): string | undefined;
    /** How an empty query value is read. */
    empty(parameter: Parameter, call: Call): 'refused' | 'absent' | 'text';
    /** Parses a number or integer; undefined is refused. */
    numberOf(text: string, parameter: Parameter, call: Call): number | undefined;
    /** The value to use if the parameter is absent. */
    absent(parameter: Parameter, call: Call): unknown;
    /** The value to validate and use. */
    value(value: unknown, parameter: Parameter, call: Call): unknown;
    /** Which of the violations found count; they include those of the cloud's page size bounds. */
    violations(
      found: readonly SchemaError[],
      value: unknown,
      parameter: Parameter,
      call: Call,
    ): readonly SchemaError[];
    /** Which of the unknown names in the query are refused. */
    refusedNames(names: readonly string[], operation: Operation, call: Call): readonly string[];
  };
  /** The request body of an operation that has one. */
  readonly body: {
    /** The declared media type by which the body is read; undefined refuses the request. */
    mediaType(sent: string | undefined, operation: Operation, call: Call): MediaType | undefined;
    /** Parses the text into the value to validate and use; undefined is refused. */
    parsed(text: string, media: MediaType, call: Call): unknown;
    /** Which of the schema violations found count. */
    violations(found: readonly SchemaError[], value: unknown, call: Call): readonly SchemaError[];
  };
  /** Sections 2.1 and 4.1. */
  readonly templates: {
    /** The fields in the order in which they are checked. */
    checked(fields: readonly string[], call: Call): readonly string[];
    /** What is wrong with a message as a template; undefined for a valid one. */
    problem(field: string, text: string, call: Call): string | undefined;
    message(field: string, details: string, call: Call): string;
    /** The messages that the tenant contains after the update. */
    stored(sent: PhoneTemplates, before: PhoneTemplates, call: Call): PhoneTemplates;
    answered(sent: PhoneTemplates, stored: PhoneTemplates, call: Call): JsonObject;
  };
  /** Section 8: checkpoints. */
  readonly checkpoints: {
    /** True while a checkpoint is valid. `issuedAt` is in milliseconds since the epoch. */
    isValid(issuedAt: number, call: Call, pagination: CheckpointPagination): boolean;
    /** What happens to an expired checkpoint. */
    expired(checkpoint: Checkpoint, call: Call): 'restart' | 'refuse';
    /** What happens to a checkpoint that this service did not issue, or issued before the last seed. */
    invalid(call: Call): 'restart' | 'refuse';
    /** The issue time of a new checkpoint; `from` is the checkpoint of the request. */
    issuedAt(call: Call, from: Checkpoint | undefined): number;
    /** Converts a sealed checkpoint to the text that clients get, and back. */
    shown(sealed: string, call: Call): string;
    read(text: string, call: Call): string;
  };
  /** Section 4.2; the generic listings of other contracts use them too. */
  readonly experiments: {
    /** The items to list, in their total order. */
    listed<T>(listing: Listing<T>, call: Call): Listing<T>;
    /** Which of the requested filters are applied. */
    filters(requested: Filters, call: Call): Filters;
    /** True if a field matches a filter. */
    matches(name: string, wanted: string, found: unknown, item: unknown, call: Call): boolean;
    /** Index among the matches at which the page starts. */
    start(index: number, matches: number, from: Checkpoint | undefined, call: Call): number;
    /** The items of the page. */
    items(items: readonly JsonObject[], page: CheckpointPage, call: Call): readonly JsonObject[];
    /** Position at which the next page starts; undefined if there is none. */
    next(page: CheckpointPage, call: Call): number | undefined;
    /** One item as it appears in the response, at its index on the page. */
    shown(item: JsonObject, index: number, page: CheckpointPage, call: Call): JsonObject;
    /** The whole response body. */
    answered(answer: JsonObject, page: CheckpointPage, call: Call): JsonObject;
  };
  /** Section 8: page sizes, of both kinds. */
  readonly paging: {
    /** The page size to use for a valid or missing `requested` size. */
    size(requested: number | undefined, pagination: Pagination, call: Call): number;
    maximum(pagination: Pagination, call: Call): number;
  };
  /** Section 4.4; the generic listings of other contracts use them too. */
  readonly versions: {
    /** The action to read; undefined results in 404. */
    found(actions: ReadonlyMap<string, ActionEntry>, id: string, call: Call): ActionEntry | undefined;
    /** All versions of the action, in listing order. */
    listed(action: ActionEntry, tenant: Tenant, call: Call): readonly JsonObject[];
    /** The items of the page. */
    items(items: readonly JsonObject[], page: OffsetPage, call: Call): readonly JsonObject[];
    /** One version as it appears in the response; `whole` is the stored version, including undeclared fields. */
    shown(shown: JsonObject, whole: JsonObject, index: number, page: OffsetPage, call: Call): JsonObject;
    /** The whole response body. */
    answered(answer: JsonObject, page: OffsetPage, call: Call): JsonObject;
  };
  /** Section 4.3. */
  readonly policies: {
    found(policies: ReadonlyMap<string, PolicyEntry>, id: string, call: Call): PolicyEntry | undefined;
    /** Removes the policy from the tenant's policies. */
    remove(policies: Map<string, PolicyEntry>, policy: PolicyEntry, call: Call): void;
  };
  /** Section 4.5. */
  readonly customText: {
    found(profiles: ReadonlyMap<string, ProfileEntry>, id: string, call: Call): ProfileEntry | undefined;
    /** The profile's texts for the language and page, as in the response; empty if it has none. */
    shown(texts: CustomText, call: Call): JsonObject;
  };
  /** Section 5, request correlation. */
  readonly correlation: {
    /** The ID as sent; undefined if the request has none. */
    sent(correlation: Correlation, call: Call): string | undefined;
    /** The ID as the logs record it. */
    recorded(id: string, correlation: Correlation, call: Call): string;
    /** True if a response with this status is logged. */
    logs(status: number, call: Call): boolean;
  };
  /** Section 5.4: tokens for client credentials. */
  readonly issue: {
    /** The required fields. */
    required(call: Call): readonly string[];
    /** The client with this id and secret. */
    client(clients: readonly Client[], id: string, secret: string): Client | undefined;
    acceptsGrant(grantType: string): boolean;
    /** `expected` is the contract's audience, relative and absolute. */
    acceptsAudience(audience: string, expected: readonly string[]): boolean;
    /** Seconds. */
    lifetime: number;
    claims(claims: JsonObject, client: Client): JsonObject;
    answered(answer: JsonObject, client: Client): JsonObject;
  };
  /** Form of every response, whatever its content. */
  readonly responses: {
    /** The refusal to send instead of this one. */
    refusal(refusal: Refusal, call: Call): Refusal;
    /** The rules under which a refused request is executed nevertheless; undefined if it is not executed. */
    executedAfterRefusal(refusal: Refusal, call: Call): Rules | undefined;
    /** The body of a refusal. */
    error(refusal: Refusal, call: Call): unknown;
    /** Every response: successes and refusals, including those of the token endpoint. */
    response(response: FakeResponse, call: Call): FakeResponse;
    /** The JSON of a body. */
    serialized(body: unknown, call: Call): string | Uint8Array;
    /** The response as it is sent. */
    wire(answer: WireResponse, call: Call): WireResponse;
  };
  /** The control protocol (docs/implementers.md). */
  readonly control: {
    supports: readonly string[];
    /** The data set that an inspection shows. */
    inspected(data: DataSet): unknown;
    /** The log entries to return to a request for IDs that begin with `prefix`. */
    logged(entries: readonly LogEntry[], prefix: string): readonly unknown[];
  };
}

/** The parts of a token. */
export interface SignedToken {
  readonly text: string;
  readonly header: JsonObject;
  readonly algorithm: string;
}

/** A page of a checkpoint-based listing. */
export interface CheckpointPage {
  /** All items in their total order, as the tenant contains them. */
  readonly all: readonly unknown[];
  readonly filters: Filters;
  readonly take: number;
  /** The checkpoint of the request; undefined on the first page. */
  readonly from: Checkpoint | undefined;
  /** How many items match the filters in all. */
  readonly matches: number;
  /** The positions of the matches in the total order. */
  readonly positions: readonly number[];
  /** Index among the matches of the page's first item. */
  readonly first: number;
  /** Index among the matches at which the next page starts. */
  readonly end: number;
  readonly isLast: boolean;
  /** Position in the total order of the next page's first match; undefined on the last page. */
  readonly nextPosition: number | undefined;
}

/** A page of an offset-based listing. */
export interface OffsetPage {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
}

/** A client of the token endpoint. */
export interface Client {
  readonly client_id: string;
  readonly client_secret: string;
  /** Names of the scopes of its tokens: `read:actions`. */
  readonly scopes: readonly string[];
}

/** A fault, a variant or a user's own change: derives rules from the usual ones. */
export type RulesOverride = (rules: Rules) => Rules;

/** Changes one group of rules: `override(rules, 'paging', { maximum: () => 51 })`. */
export function override<K extends keyof Rules>(
  rules: Rules,
  group: K,
  change: Partial<Rules[K]> | ((usual: Rules[K]) => Partial<Rules[K]>),
): Rules {
  if (!Object.hasOwn(rules, group))
    throw new TypeError(
      `override(): unknown group ${String(group)}; known: ${Object.keys(rules).join(', ')}`,
    );
  const usual = rules[group];
  const changed = typeof change === 'function' ? change(usual) : change;
  const unknown = Object.keys(changed).find((name) => !(name in usual));
  if (unknown !== undefined)
    throw new TypeError(
      `override(): ${String(group)} has no rule ${unknown}; it has ${Object.keys(usual).join(', ')}`,
    );
  return { ...rules, [group]: { ...usual, ...changed } };
}
