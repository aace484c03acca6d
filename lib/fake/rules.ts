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

/** The checks that a request goes through; all of them apply in any order. */
export type Check = 'payload' | 'rate' | 'token' | 'scopes' | 'parameters' | 'exists' | 'mediaType' | 'body';

/**
 * Every decision of the fake. A fault or a variant is an override of some of them; each gets enough context to go wrong
 * subtly: only for one operation, on one page, for one field, after a move of the clock.
 */
export interface Rules {
  /** In this order: the first refusal is the answer. */
  readonly checks: readonly Check[];
  readonly routing: {
    /** The request target that is routed in place of the one received. */
    target(target: string): string;
  };
  /** Sections 1 and 8: the payload limit. */
  readonly payload: {
    /** The most bytes that a body may have. Asked before the body is read. */
    limit(call: Call): number;
    /** How much of a refused body is still read, in bytes, so that the client gets to read the answer. */
    drained(call: Call): number;
    /** True where a declared length alone is enough to refuse. */
    trustsDeclared(call: Call): boolean;
    /** The bytes that the service uses. */
    received(body: Body, call: Call): Body;
  };
  readonly rate: {
    /** Seconds to wait where the request is over the rate; undefined lets it pass. */
    retryAfter(call: Call): number | undefined;
  };
  /** Section 5.1 and 5.2: the bearer token. */
  readonly token: {
    /** The token as it was sent; undefined where the request carries none. */
    sent(call: Call): string | undefined;
    /** The claims of a request without a token; undefined is refused. */
    anonymous(call: Call): JsonObject | undefined;
    /** True where a token that was verified before need not be verified again. */
    remembers(token: string, call: Call): boolean;
    /** The name under which a verified token is remembered. */
    rememberedAs(token: string, call: Call): string;
    /** True for an algorithm of the JOSE header that the service lets sign. */
    accepts(algorithm: string, header: JsonObject, call: Call): boolean;
    /** The keys among the trusted ones that may have signed; undefined where none is needed (`alg: none`). */
    candidates(
      header: JsonObject,
      keys: readonly TrustedKey[],
      call: Call,
    ): readonly (TrustedKey | undefined)[];
    /** True where this key signed the token. */
    verifiesSignature(token: SignedToken, key: TrustedKey | undefined, call: Call): Promise<boolean>;
    /** `exp` in seconds (RFC 7519, section 4.1.4), as it stands in the token. */
    isExpired(exp: unknown, call: Call, claims: JsonObject): boolean;
    /** `nbf` or `iat` in seconds (RFC 7519, sections 4.1.5 and 4.1.6); undefined where the token has none. */
    isEarly(time: unknown, call: Call, claims: JsonObject): boolean;
    /** True where `aud` names this service; `expected` are the names by which the client may know it. */
    acceptsAudience(aud: unknown, expected: readonly string[], call: Call, claims: JsonObject): boolean;
    /** True where `iss` is this service's token endpoint. */
    acceptsIssuer(iss: unknown, expected: readonly string[], call: Call, claims: JsonObject): boolean;
    /** The claims that the service uses. */
    claims(claims: JsonObject, call: Call): JsonObject;
  };
  /** Section 5.3: what the scopes permit. */
  readonly scopes: {
    /** The scopes that the operation asks for. */
    required(operation: Operation, call: Call): readonly Scope[];
    /** True where the `scopes` claim, whatever it is, permits this scope. */
    permits(claim: unknown, scope: Scope, claims: JsonObject, call: Call): boolean;
  };
  /** Path, query and header parameters. */
  readonly parameters: {
    /** A path parameter's text decoded; undefined is refused. */
    decodedPath(text: string, parameter: Parameter, call: Call): string | undefined;
    /** The one of several values that counts; undefined is refused. */
    repeated(values: readonly string[], parameter: Parameter, call: Call): string | undefined;
    /** How an empty query value is read. */
    empty(parameter: Parameter, call: Call): 'refused' | 'absent' | 'text';
    /** A number or integer out of its text; undefined is refused. */
    numberOf(text: string, parameter: Parameter, call: Call): number | undefined;
    /** The value that is taken where the parameter is absent. */
    absent(parameter: Parameter, call: Call): unknown;
    /** The value that is judged and used. */
    value(value: unknown, parameter: Parameter, call: Call): unknown;
    /** The violations that count among those found; page sizes come with the cloud's bounds. */
    violations(
      found: readonly SchemaError[],
      value: unknown,
      parameter: Parameter,
      call: Call,
    ): readonly SchemaError[];
    /** Names in the query that no parameter has and that are refused. */
    refusedNames(names: readonly string[], operation: Operation, call: Call): readonly string[];
  };
  /** The request body of an operation that has one. */
  readonly body: {
    /** The declared media type as which the request's body is read; undefined refuses it. */
    mediaType(sent: string | undefined, operation: Operation, call: Call): MediaType | undefined;
    /** The value out of the text, which is judged and used; undefined is refused. */
    parsed(text: string, media: MediaType, call: Call): unknown;
    /** The violations of the schema that count among those found. */
    violations(found: readonly SchemaError[], value: unknown, call: Call): readonly SchemaError[];
  };
  /** Sections 2.1 and 4.1. */
  readonly templates: {
    /** The fields in the order in which they are checked. */
    checked(fields: readonly string[], call: Call): readonly string[];
    /** What is wrong with a message as a template; undefined for a valid one. */
    problem(field: string, text: string, call: Call): string | undefined;
    message(field: string, details: string, call: Call): string;
    /** What the tenant contains after the update. */
    stored(sent: PhoneTemplates, before: PhoneTemplates, call: Call): PhoneTemplates;
    answered(sent: PhoneTemplates, stored: PhoneTemplates, call: Call): JsonObject;
  };
  /** Section 8: checkpoints. */
  readonly checkpoints: {
    /** True while a checkpoint of this age is good. Milliseconds since the epoch. */
    isValid(issuedAt: number, call: Call, pagination: CheckpointPagination): boolean;
    /** What happens to an expired checkpoint. */
    expired(checkpoint: Checkpoint, call: Call): 'restart' | 'refuse';
    /** What happens to one that was not made here, or that another seed made void. */
    invalid(call: Call): 'restart' | 'refuse';
    /** The issue time written into a new checkpoint; `from` is the one that led here. */
    issuedAt(call: Call, from: Checkpoint | undefined): number;
    /** The text handed out for a sealed checkpoint, and the sealed one out of a text handed in. */
    shown(sealed: string, call: Call): string;
    read(text: string, call: Call): string;
  };
  /** Section 4.2; the generic listings of other contracts use them too. */
  readonly experiments: {
    /** What there is to list, in its total order. */
    listed<T>(listing: Listing<T>, call: Call): Listing<T>;
    /** The filters that are applied of the requested ones. */
    filters(requested: Filters, call: Call): Filters;
    /** True where a field matches a filter. */
    matches(name: string, wanted: string, found: unknown, item: unknown, call: Call): boolean;
    /** Index among the matches at which the page starts. */
    start(index: number, matches: number, from: Checkpoint | undefined, call: Call): number;
    /** The items of the page. */
    items(items: readonly JsonObject[], page: CheckpointPage, call: Call): readonly JsonObject[];
    /** Position at which the next page starts; undefined where there is none. */
    next(page: CheckpointPage, call: Call): number | undefined;
    /** One item as it is answered, at its index on the page. */
    shown(item: JsonObject, index: number, page: CheckpointPage, call: Call): JsonObject;
    /** The whole answer. */
    answered(answer: JsonObject, page: CheckpointPage, call: Call): JsonObject;
  };
  /** Section 8: page sizes, of both kinds. */
  readonly paging: {
    /** The size that is used where `asked` is undefined or good. */
    size(requested: number | undefined, pagination: Pagination, call: Call): number;
    maximum(pagination: Pagination, call: Call): number;
  };
  /** Section 4.4; the generic listings of other contracts use them too. */
  readonly versions: {
    /** The action that is read; undefined is answered 404. */
    found(actions: ReadonlyMap<string, ActionEntry>, id: string, call: Call): ActionEntry | undefined;
    /** All of its versions, in the order in which they are listed. */
    listed(action: ActionEntry, tenant: Tenant, call: Call): readonly JsonObject[];
    /** The items of the page. */
    items(items: readonly JsonObject[], page: OffsetPage, call: Call): readonly JsonObject[];
    /** One version as it is answered; `whole` is what the tenant contains, undeclared fields and all. */
    shown(shown: JsonObject, whole: JsonObject, index: number, page: OffsetPage, call: Call): JsonObject;
    /** The whole answer. */
    answered(answer: JsonObject, page: OffsetPage, call: Call): JsonObject;
  };
  /** Section 4.3. */
  readonly policies: {
    found(policies: ReadonlyMap<string, PolicyEntry>, id: string, call: Call): PolicyEntry | undefined;
    /** Takes the policy out of the tenant's. */
    remove(policies: Map<string, PolicyEntry>, policy: PolicyEntry, call: Call): void;
  };
  /** Section 4.5. */
  readonly customText: {
    found(profiles: ReadonlyMap<string, ProfileEntry>, id: string, call: Call): ProfileEntry | undefined;
    /** The profile's texts for the language and page, as they are answered; empty where it has none. */
    shown(texts: CustomText, call: Call): JsonObject;
  };
  /** Section 5, request correlation. */
  readonly correlation: {
    /** The ID as sent; undefined where the request carries none. */
    sent(correlation: Correlation, call: Call): string | undefined;
    /** What of it the logs keep. */
    recorded(id: string, correlation: Correlation, call: Call): string;
    /** True where an answer of this status leaves an entry. */
    logs(status: number, call: Call): boolean;
  };
  /** Section 5.4: tokens for client credentials. */
  readonly issue: {
    /** The fields that must be there. */
    required: readonly string[];
    /** The client of this id and secret. */
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
    /** The refusal that is sent in place of this one. */
    refusal(refusal: Refusal, call: Call): Refusal;
    /** The rules under which a refused request is executed all the same; undefined where it has no effect. */
    executedAfterRefusal(refusal: Refusal, call: Call): Rules | undefined;
    /** The body of a refusal. */
    error(refusal: Refusal, call: Call): unknown;
    /** Any response: successes and refusals, those of the token endpoint too. */
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
    /** The entries of the answer to a request for those whose ID begins with `prefix`. */
    logged(entries: readonly LogEntry[], prefix: string): readonly unknown[];
  };
}

/** A token in its parts. */
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
  /** The checkpoint that led here; undefined on a first page. */
  readonly from: Checkpoint | undefined;
  /** How many items match in all, and the index among them of the page's first. */
  readonly matches: number;
  /** Their positions in the total order. */
  readonly positions: readonly number[];
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
  /** Names of the scopes that its tokens carry: `read:actions`. */
  readonly scopes: readonly string[];
}

/** A fault, a variant or a user's own change: rules made of rules. */
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
