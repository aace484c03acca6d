import { STATUS_CODES } from 'node:http';
import { JOSEError } from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import type { ActionEntry, CustomText, DataSet, PolicyEntry, ProfileEntry } from '../contract/data-set.ts';
import { isObject, type JsonObject, parseJson } from '../contract/json.ts';
import { covers } from '../contract/media-types.ts';
import type {
  CheckpointPagination,
  Contract,
  Correlation,
  MediaType,
  Operation,
  Pagination,
  Parameter,
  Scope,
} from '../contract/model.ts';
import type { SchemaError } from '../contract/schema.ts';
import { percentDecode } from '../contract/styles.ts';
import { parseForm } from './bodies.ts';
import type { Body, Call, FakeResponse, Refusal, WireResponse } from './call.ts';
import type { Checkpoint } from './checkpoint.ts';
import { jsonOf } from './json.ts';
import type { TrustedKey } from './keys.ts';
import type { CheckpointPage, OffsetPage } from './pages.ts';
import { templateProblem } from './templates.ts';
import type { Filters, Listing, LogEntry, PhoneTemplates, Tenant } from './tenant.ts';

/** The checks that a request must pass. They work in any order. */
export type Check = 'payload' | 'rate' | 'token' | 'scopes' | 'parameters' | 'exists' | 'mediaType' | 'body';

/** The checks in order: the first refusal is the response. */
const checks: readonly Check[] = ['rate', 'payload', 'token', 'scopes', 'parameters', 'mediaType', 'body'];

/** Bytes of a refused body that are still read, so that a client that is still sending can read the response. */
const drainedBytes = 64 * 1024 * 1024;

const algorithms = new Set(['EdDSA', 'Ed25519', 'ES256', 'RS256', 'PS256']);

/** Every decision of the fake. */
export interface Rules extends ReturnType<typeof conformingRules> {}

/**
 * The rules of a service that conforms to the specification and, where that is silent, behaves as services of this kind
 * usually do. A fault or a variant overrides some of them. Each rule gets enough context for subtle faults: for only one
 * operation, on one page, for one field, or after the clock was moved.
 */
export function conformingRules(contract: Contract) {
  return {
    checks,
    routing: {
      /** The request target to route instead of the received one. */
      target: (target: string): string => target,
    },
    /** Sections 1 and 8: the payload limit. */
    payload: {
      /** The maximum bytes of a body. Called before the body is read. */
      limit: (_call: Call): number => contract.payload.refuses - 1,
      /** How many bytes of a refused body are still read, so that the client can read the response. */
      drained: (_call: Call): number => drainedBytes,
      /** True if a declared length alone is enough to refuse. */
      trustsDeclared: (_call: Call): boolean => true,
      /** The bytes that the service uses. */
      received: (body: Body, _call: Call): Body => body,
    },
    rate: {
      /** Seconds to wait if the request exceeds the rate; undefined lets it pass. */
      retryAfter: (_call: Call): number | undefined => undefined,
    },
    /** Section 5.1 and 5.2: the bearer token. */
    token: {
      /** The token as it was sent (RFC 6750, section 2.1; the scheme is case-insensitive); undefined if the request has none. */
      sent: (call: Call): string | undefined =>
        /^bearer +(\S+) *$/i.exec(call.headers.authorization ?? '')?.[1],
      /** The claims of a request without a token; undefined is refused. */
      anonymous: (_call: Call): JsonObject | undefined => undefined,
      /** True if a token that was verified before need not be verified again. */
      remembers: (_token: string, _call: Call): boolean => true,
      /** The name under which a verified token is remembered. */
      rememberedAs: (token: string, _call: Call): string => token,
      /** True if the service accepts this algorithm. Extensions of JWS are not supported (RFC 7515, section 4.1.11; RFC 7797). */
      accepts: (algorithm: string, header: JsonObject, _call: Call): boolean =>
        algorithms.has(algorithm) && header.crit === undefined && header.b64 === undefined,
      /** The keys among the trusted ones that may have signed; undefined if none is needed (`alg: none`). */
      candidates: (
        header: JsonObject,
        keys: readonly TrustedKey[],
        _call: Call,
      ): readonly (TrustedKey | undefined)[] =>
        header.kid === undefined ? keys : keys.filter((key) => key.kid === header.kid),
      /** True if this key signed the token. */
      async verifiesSignature(
        token: SignedToken,
        key: TrustedKey | undefined,
        _call: Call,
      ): Promise<boolean> {
        if (key === undefined || !isCanonical(token.text)) return false;
        try {
          await compactVerify(token.text, key.jwk, { algorithms: [token.algorithm] });
          return true;
        } catch (error) {
          if (error instanceof JOSEError || error instanceof TypeError) return false;
          throw error;
        }
      },
      /** `exp` in seconds (RFC 7519, section 4.1.4), as in the token. */
      isExpired: (exp: unknown, call: Call, _claims: JsonObject): boolean =>
        typeof exp !== 'number' || !(call.now < exp * 1000),
      /** `nbf` or `iat` in seconds (RFC 7519, sections 4.1.5 and 4.1.6); undefined if the token has none. */
      isEarly: (time: unknown, call: Call, _claims: JsonObject): boolean =>
        time !== undefined && !(typeof time === 'number' && (time - clockSkew) * 1000 <= call.now),
      /** True if `aud` names this service; `expected` lists its possible names. */
      acceptsAudience: (
        aud: unknown,
        expected: readonly string[],
        _call: Call,
        _claims: JsonObject,
      ): boolean => [aud].flat().some((each) => typeof each === 'string' && expected.includes(each)),
      /** True if `iss` is this service's token endpoint. */
      acceptsIssuer: (iss: unknown, expected: readonly string[], _call: Call, _claims: JsonObject): boolean =>
        typeof iss === 'string' && expected.includes(iss),
      /** The claims that the service uses. */
      claims: (claims: JsonObject, _call: Call): JsonObject => claims,
    },
    /** Section 5.3: what the scopes permit. */
    scopes: {
      /** The scopes that the operation requires. */
      required: (operation: Operation, _call: Call): readonly Scope[] => operation.scopes,
      /** True if the `scopes` claim, of any type, permits this scope. */
      permits(claim: unknown, scope: Scope, _claims: JsonObject, _call: Call): boolean {
        if (!isObject(claim) || !Object.hasOwn(claim, scope.resource)) return false;
        const granted = claim[scope.resource];
        return isObject(granted) && Array.isArray(granted.actions) && granted.actions.includes(scope.verb);
      },
    },
    /** Path, query and header parameters. */
    parameters: {
      /** The decoded text of a path parameter; undefined is refused. */
      decodedPath: (text: string, _parameter: Parameter, _call: Call): string | undefined =>
        percentDecode(text),
      /** The value to use of a repeated parameter; undefined is refused. */
      repeated: (_values: readonly string[], _parameter: Parameter, _call: Call): string | undefined =>
        undefined,
      /** How an empty query value is read. */
      empty: (_parameter: Parameter, _call: Call): 'refused' | 'absent' | 'text' => 'refused',
      /** Parses a number or integer; undefined is refused. */
      numberOf: (text: string, parameter: Parameter, _call: Call): number | undefined =>
        strictNumber(text, parameter),
      /** The value to use if the parameter is absent. */
      absent: (parameter: Parameter, _call: Call): unknown => parameter.schema.default,
      /** The value to validate and use. */
      value: (value: unknown, _parameter: Parameter, _call: Call): unknown => value,
      /** Which of the violations found count; they include those of the cloud's page size bounds. */
      violations: (
        found: readonly SchemaError[],
        _value: unknown,
        _parameter: Parameter,
        _call: Call,
      ): readonly SchemaError[] => found,
      /** Which of the unknown names in the query are refused. */
      refusedNames: (_names: readonly string[], _operation: Operation, _call: Call): readonly string[] => [],
    },
    /** The request body of an operation that has one. */
    body: {
      /** The declared media type by which the body is read; undefined refuses the request. */
      mediaType: (sent: string | undefined, operation: Operation, _call: Call): MediaType | undefined =>
        operation.body?.content.find(({ mediaType }) => covers(mediaType, sent ?? '')),
      /** Parses the text into the value to validate and use; undefined is refused. */
      parsed: (text: string, media: MediaType, _call: Call): unknown =>
        media.kind === 'form' ? parseForm(contract, media, text) : parseJson(text),
      /** Which of the schema violations found count. */
      violations: (found: readonly SchemaError[], _value: unknown, _call: Call): readonly SchemaError[] =>
        found,
    },
    /** Sections 2.1 and 4.1. */
    templates: {
      /** The fields in the order in which they are checked. */
      checked: (fields: readonly string[], _call: Call): readonly string[] => fields,
      /** What is wrong with a message as a template; undefined for a valid one. */
      problem: (_field: string, text: string, _call: Call): string | undefined => templateProblem(text),
      message: (field: string, details: string, _call: Call): string =>
        `Invalid ${field} template: ${details}.`,
      /** The messages that the tenant contains after the update. */
      stored: (sent: PhoneTemplates, _before: PhoneTemplates, _call: Call): PhoneTemplates => sent,
      responseBody: (sent: PhoneTemplates, _stored: PhoneTemplates, _call: Call): JsonObject => sent,
    },
    /** Section 8: checkpoints. */
    checkpoints: {
      /** True while a checkpoint is valid. `issuedAt` is in milliseconds since the epoch. */
      isValid: (issuedAt: number, call: Call, pagination: CheckpointPagination): boolean =>
        call.now - issuedAt < pagination.lifetime * 1000,
      /** What happens to an expired checkpoint. */
      expired: (_checkpoint: Checkpoint, _call: Call): 'restart' | 'refuse' => 'restart',
      /** What happens to a checkpoint that this service did not issue, or issued before the last seed. */
      invalid: (_call: Call): 'restart' | 'refuse' => 'refuse',
      /** The issue time of a new checkpoint; `from` is the checkpoint of the request. */
      issuedAt: (call: Call, _from: Checkpoint | undefined): number => call.now,
      /** Converts an encoded checkpoint to the text that clients get, and back. */
      shown: (encoded: string, _call: Call): string => encoded,
      read: (text: string, _call: Call): string => text,
    },
    /** Section 4.2; the generic listings of other contracts use them too. */
    experiments: {
      /** The items to list, in their total order. */
      listed: <T>(listing: Listing<T>, _call: Call): Listing<T> => listing,
      /** Which of the requested filters are applied. */
      filters: (requested: Filters, _call: Call): Filters => requested,
      /** True if a field matches a filter. */
      matches: (_name: string, wanted: string, found: unknown, _item: unknown, _call: Call): boolean =>
        wanted === found,
      /** Index among the matches at which the page starts. */
      start: (index: number, _matches: number, _from: Checkpoint | undefined, _call: Call): number => index,
      /** The items of the page. */
      items: (items: readonly JsonObject[], _page: CheckpointPage, _call: Call): readonly JsonObject[] =>
        items,
      /** Position at which the next page starts; undefined if there is none. */
      next: (page: CheckpointPage, _call: Call): number | undefined => page.nextPosition,
      /** One item as it appears in the response, at its index on the page. */
      shown: (item: JsonObject, _index: number, _page: CheckpointPage, _call: Call): JsonObject => item,
      /** The whole response body. */
      responseBody: (answer: JsonObject, _page: CheckpointPage, _call: Call): JsonObject => answer,
    },
    /** Section 8: page sizes, of both kinds. */
    paging: {
      /** The page size to use for a valid or missing `requested` size. */
      size: (requested: number | undefined, pagination: Pagination, _call: Call): number =>
        requested ?? pagination.size.default,
      maximum: (pagination: Pagination, call: Call): number => pagination.size.maximum[call.cloud],
    },
    /** Section 4.4; the generic listings of other contracts use them too. */
    versions: {
      /** The action to read; undefined results in 404. */
      found: (actions: ReadonlyMap<string, ActionEntry>, id: string, _call: Call): ActionEntry | undefined =>
        actions.get(id),
      /** All versions of the action, in listing order. */
      listed: (action: ActionEntry, _tenant: Tenant, _call: Call): readonly JsonObject[] => action.versions,
      /** The items of the page. */
      items: (items: readonly JsonObject[], page: OffsetPage, _call: Call): readonly JsonObject[] =>
        items.slice(page.page * page.perPage, (page.page + 1) * page.perPage),
      /** One version as it appears in the response; `whole` is the stored version, including undeclared fields. */
      shown: (
        shown: JsonObject,
        _whole: JsonObject,
        _index: number,
        _page: OffsetPage,
        _call: Call,
      ): JsonObject => shown,
      /** The whole response body. */
      responseBody: (answer: JsonObject, _page: OffsetPage, _call: Call): JsonObject => answer,
    },
    /** Section 4.3. */
    policies: {
      found: (policies: ReadonlyMap<string, PolicyEntry>, id: string, _call: Call): PolicyEntry | undefined =>
        policies.get(id),
      /** Removes the policy from the tenant's policies. */
      remove(policies: Map<string, PolicyEntry>, policy: PolicyEntry, _call: Call): void {
        policies.delete(policy.id);
      },
    },
    /** Section 4.5. */
    customText: {
      found: (
        profiles: ReadonlyMap<string, ProfileEntry>,
        id: string,
        _call: Call,
      ): ProfileEntry | undefined => profiles.get(id),
      /** The profile's texts for the language and page, as in the response; empty if it has none. */
      shown: (texts: CustomText, _call: Call): JsonObject => texts,
    },
    /** Section 5, request correlation. */
    correlation: {
      /** The ID as sent; undefined if the request has none. */
      sent: (correlation: Correlation, call: Call): string | undefined =>
        call.headers[correlation.header.toLowerCase()]?.toString() || undefined,
      /** The ID as the logs record it. */
      recorded: (id: string, correlation: Correlation, _call: Call): string =>
        id.slice(0, correlation.recordedLength),
      /** True if a response with this status is logged. */
      logs: (status: number, _call: Call): boolean => status < 400,
    },
    /** Section 5.4: tokens for client credentials. */
    issue: {
      /** The required fields. */
      required: (_call: Call): readonly string[] => ['grant_type', 'client_id', 'client_secret', 'audience'],
      /** The client with this id and secret. */
      client: (clients: readonly Client[], id: string, secret: string): Client | undefined =>
        clients.find((each) => each.client_id === id && each.client_secret === secret),
      acceptsGrant: (grantType: string): boolean => grantType === 'client_credentials',
      /** `expected` is the contract's audience, relative and absolute. */
      acceptsAudience: (audience: string, expected: readonly string[]): boolean =>
        expected.includes(audience),
      /** Seconds. */
      lifetime: 86_400,
      claims: (claims: JsonObject, _client: Client): JsonObject => claims,
      responseBody: (answer: JsonObject, _client: Client): JsonObject => answer,
    },
    /** Form of every response, whatever its content. */
    responses: {
      /** The refusal to send instead of this one. */
      refusal: (refusal: Refusal, _call: Call): Refusal => refusal,
      /** The rules under which a refused request is executed nevertheless; undefined if it is not executed. */
      executedAfterRefusal: (_refusal: Refusal, _call: Call): Rules | undefined => undefined,
      /** The body of a refusal. */
      error: (refusal: Refusal, _call: Call): unknown => ({
        statusCode: refusal.status,
        error: STATUS_CODES[refusal.status] ?? 'Error',
        message: refusal.message,
        errorCode: refusal.code,
      }),
      /** Every response: successes and refusals, including those of the token endpoint. */
      response: (response: FakeResponse, _call: Call): FakeResponse => response,
      /** The JSON of a body. */
      serialized: (body: unknown, _call: Call): string | Uint8Array => jsonOf(body),
      /** The response as it is sent. */
      wire: (response: WireResponse, _call: Call): WireResponse => response,
    },
    /** The control protocol (docs/implementers.md). */
    control: {
      supports: controlFeatures,
      /** The data set that an inspection shows. */
      inspected: (data: DataSet): unknown => data,
      /** The log entries to return to a request for IDs that begin with `prefix`. */
      logged: (entries: readonly LogEntry[], prefix: string): readonly unknown[] =>
        entries
          .filter(({ references }) => references.correlation_id.startsWith(prefix))
          .map(({ at: _at, ...entry }) => entry),
    },
  };
}

const controlFeatures: readonly string[] = ['seed', 'inspect', 'clock', 'logs'];

/** Seconds by which the issuer's clock may be ahead. */
const clockSkew = 60;

/** Several base64url texts decode to the same bytes; RFC 4648, section 3.5, lets decoders refuse all but one. */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

/** Parses a number in JSON's syntax, and an integer only without a fraction or exponent. Huge ones stay finite. */
function strictNumber(text: string, { schema }: Parameter): number | undefined {
  const shape = schema.type === 'integer' ? /^(0|-?[1-9]\d*)$/ : /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
  if (!shape.test(text)) return undefined;
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(text)));
}

/** The parts of a token. */
export interface SignedToken {
  readonly text: string;
  readonly header: JsonObject;
  readonly algorithm: string;
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
