import { isObject, type JsonObject, parseJson } from '../contract/json.ts';
import { essenceOf, formType } from '../contract/media-types.ts';
import type { Operation, Parameter } from '../contract/model.ts';

/** A request as a server receives it. */
export interface ReceivedRequest {
  readonly operation: Operation;
  /** Path and query, percent-encoded. */
  readonly target: string;
  /** Values by name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
  /** Claims of the bearer token, if they are already known. */
  readonly knownClaims?: JsonObject | undefined;
  /** Seconds by which the server's clock is ahead of the real time. */
  readonly clockOffset: number;
  /** What the server has received since the tenant was seeded. */
  readonly history: { readonly repeated: boolean; readonly updated: boolean; readonly deleted: boolean };
}

/** One property of a request, and the classes into which it divides the requests to an operation. */
export interface Dimension {
  readonly name: string;
  /** Every class that a request to the operation can be in; empty if the dimension does not apply to it. */
  readonly classes: (operation: Operation) => readonly string[];
  /** The classes that the request is in: one, or several if they do not exclude each other. */
  readonly of: (request: ParsedRequest) => readonly string[];
}

/** A request with its parts decoded. */
export interface ParsedRequest extends ReceivedRequest {
  readonly query: URLSearchParams;
  readonly mediaType: string;
  /** Members of the body in the order in which they were sent; empty if it is not an object. */
  readonly members: readonly (readonly [name: string, value: unknown])[];
  /** Claims of the bearer token, which is not verified. */
  readonly claims: JsonObject;
}

const [kilobyte, hour] = [1000, 3600];

/** Lengths above which filters and IDs, and texts of the body, count as long. */
const longFilter = 64;
const longText = 300;

type Conditions<Value> = Readonly<Record<string, (value: Value) => boolean>>;

/** The names of all conditions that the value meets; `plain` if there are none. */
function metBy<Value>(value: Value, plain: string, conditions: Conditions<Value>): readonly string[] {
  const met = Object.entries(conditions).filter(([, isMet]) => isMet(value));
  return met.length === 0 ? [plain] : met.map(([name]) => name);
}

/**
 * A dimension of the operations to which it applies.
 * @param plain the class of requests that are in no other class
 * @param conditions the other classes
 */
function dimension(
  name: string,
  applies: (operation: Operation) => boolean,
  plain: string,
  conditions: Conditions<ParsedRequest>,
): Dimension {
  return {
    name,
    classes: (operation) => (applies(operation) ? [plain, ...Object.keys(conditions)] : []),
    of: (request) => metBy(request, plain, conditions),
  };
}

const always = (): boolean => true;
const hasBody = ({ body }: Operation): boolean => body !== undefined;
const isAuthenticated = ({ authenticated }: Operation): boolean => authenticated;

/** True if the path or the query has a text parameter, which may need percent-encoding. */
export const hasTextInTarget = ({ parameters }: Operation): boolean =>
  parameters.some(({ in: place, schema }) => place !== 'header' && schema.type === 'string');

const headerOf = ({ headers }: ReceivedRequest, name: string): string => headers[name]?.toString() ?? '';

/** Names of members that the operation's body declares, in their order. */
const declared = ({ body }: Operation): readonly string[] =>
  Object.keys(body?.content[0]?.schema.properties ?? {});

/** True if a text in the body matches. */
const someText =
  (pattern: RegExp) =>
  ({ members }: ParsedRequest): boolean =>
    members.some(([, value]) => typeof value === 'string' && pattern.test(value));

const prototypeNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

/** A member that the schema does not declare, with its index among all. */
type ExtraMember = Readonly<{ name: string; value: unknown; index: number }>;

/** True if the body has such a member. */
const someExtra =
  (isSuch: (member: ExtraMember, request: ParsedRequest) => boolean) =>
  (request: ParsedRequest): boolean => {
    const names = declared(request.operation);
    return request.members.some(
      ([name, value], index) => !names.includes(name) && isSuch({ name, value, index }, request),
    );
  };

const usedFilters = ({ operation, query }: ParsedRequest): number =>
  filtersOf(operation).filter(({ name }) => query.has(name)).length;

const pageOf = ({ operation: { pagination }, query }: ParsedRequest): number =>
  pagination?.kind === 'offset' ? Number(query.get(pagination.page) ?? 0) : 0;

const scopeCount = ({ claims: { scopes } }: ParsedRequest): number =>
  isObject(scopes) ? Object.keys(scopes).length : 0;

const correlationIdOf = (request: ParsedRequest): string =>
  headerOf(request, request.operation.correlation?.header.toLowerCase() ?? '');

/** The classes of texts in a query; all others are short. */
const queryTexts: Conditions<string> = {
  'over 64 characters': (text) => text.length > longFilter,
  wildcard: (text) => /[%_*.?]/.test(text),
  'reserved character': (text) => /[&=+#/;:]/.test(text),
  'beyond ASCII': (text) => /[^\0-\x7f]/.test(text),
};

/** The dimension of one query parameter. */
function queryDimension(parameter: Parameter): Dimension {
  const { name, schema } = parameter;
  const { minimum = 0, maximum } = schema;
  const isInteger = schema.type === 'integer';
  const numbers = ['minimum', ...(maximum === undefined ? [] : ['maximum']), 'in between', 'other'];
  const texts = ['short', ...Object.keys(queryTexts)];
  return {
    name: `query ${name}`,
    classes: () => ['absent', ...(isInteger ? numbers : schema.enum === undefined ? texts : ['present'])],
    of: ({ query }) => {
      const text = query.get(name);
      if (text === null) return ['absent'];
      if (schema.enum !== undefined) return ['present'];
      if (!isInteger) return metBy(text, 'short', queryTexts);
      const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      if (number === minimum) return ['minimum'];
      if (number === maximum) return ['maximum'];
      const isInside = number > minimum && number < (maximum ?? Number.POSITIVE_INFINITY);
      return [isInside ? 'in between' : 'other'];
    },
  };
}

/** The dimensions of every request. */
const general: readonly Dimension[] = [
  {
    name: 'media type',
    classes: ({ body }) => body?.content.map(({ mediaType }) => mediaType) ?? [],
    of: ({ mediaType }) => [mediaType],
  },
  dimension('framing', hasBody, 'Content-Length', {
    chunked: (request) => headerOf(request, 'transfer-encoding') !== '',
  }),
  dimension('charset', hasBody, 'none', {
    charset: (request) => /;\s*charset=/i.test(headerOf(request, 'content-type')),
  }),
  dimension(
    'JSON notation',
    ({ body }) => body?.content.some(({ kind }) => kind === 'json') === true,
    'compact',
    // The suite sends white space before JSON with escapes (RFC 8259, sections 2 and 7).
    { escaped: ({ body: [start = 0] }) => start > 0 && start <= 0x20 },
  ),
  dimension('body size', hasBody, 'at most 2 kB', {
    'over 2 kB': ({ body }) => body.length > 2 * kilobyte,
    'over 16 kB': ({ body }) => body.length > 16 * kilobyte,
    'over 512 kB': ({ body }) => body.length > 512 * kilobyte,
  }),
  dimension('text', hasBody, 'plain', {
    empty: someText(/^$/),
    'beyond ASCII': someText(/[^\0-\x7f]/),
    'beyond the BMP': someText(/[\u{10000}-\u{10ffff}]/u),
    'line feed': someText(/\n/),
    'blank at an end': someText(/^\s|\s$/),
    'quote or backslash': someText(/["'\\]/),
    'three variables': someText(/\{\{.*\{\{.*\{\{/s),
    'over 300 characters': someText(new RegExp(`^[^]{${longText + 1},}$`)),
  }),
  dimension('order of members', hasBody, 'as declared', {
    other: ({ members, operation }) => {
      const names = members.map(([name]) => name);
      const known = declared(operation).filter((name) => names.includes(name));
      const sent = names.filter((name) => known.includes(name));
      return sent.some((name, index) => name !== known[index]);
    },
  }),
  dimension('extra member', hasBody, 'none', {
    first: someExtra(({ index }) => index === 0),
    last: someExtra(({ index }, { members }) => index === members.length - 1),
    text: someExtra(({ value }) => typeof value === 'string'),
    'object or array': someExtra(({ value }) => typeof value === 'object' && value !== null),
    null: someExtra(({ value }) => value === null),
    'prototype name': someExtra(({ name }) => prototypeNames.includes(name)),
    prefix: someExtra(({ name }, { operation }) =>
      declared(operation).some((each) => each.startsWith(name) || name.startsWith(each)),
    ),
  }),
  dimension('percent-encoding', hasTextInTarget, 'none', {
    'upper case': ({ target }) => /%([A-F]|\d[A-F])/.test(target),
    'lower case': ({ target }) => /%([a-f]|\d[a-f])/.test(target),
  }),
  dimension('filters', (operation) => filtersOf(operation).length > 1, 'none', {
    one: (request) => usedFilters(request) === 1,
    several: (request) => usedFilters(request) > 1,
  }),
  dimension('page', ({ pagination }) => pagination?.kind === 'checkpoint', 'first', {
    later: ({ operation, query }) => query.has(startOf(operation) ?? ''),
  }),
  dimension('page', ({ pagination }) => pagination?.kind === 'offset', 'first', {
    later: (request) => pageOf(request) > 0,
    second: (request) => pageOf(request) === 1,
  }),
  dimension('scopes', isAuthenticated, 'none', {
    one: (request) => scopeCount(request) === 1,
    several: (request) => scopeCount(request) > 1,
    many: (request) => scopeCount(request) >= 10,
  }),
  dimension('claims', isAuthenticated, 'usual', {
    nbf: ({ claims }) => claims.nbf !== undefined,
    'audience list': ({ claims }) => Array.isArray(claims.aud),
    'far expiry': ({ claims: { exp, iat } }) => Number(exp) - Number(iat) > 24 * hour,
    further: ({ claims }) => claims.jti !== undefined,
    'over 1.5 kB': (request) => headerOf(request, 'authorization').length > 1.5 * kilobyte,
  }),
  dimension('correlation ID', ({ correlation }) => correlation !== undefined, 'absent', {
    present: (request) => correlationIdOf(request) !== '',
    'over 64': (request) => correlationIdOf(request).length > longFilter,
    'over 500': (request) => correlationIdOf(request).length > 500,
    'UUID in upper case': (request) =>
      /^[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}$/.test(correlationIdOf(request)),
  }),
  dimension('headers', always, 'usual', {
    further: (request) => headerOf(request, 'x-request-id') !== '',
  }),
  dimension('clock', always, 'real time', {
    minutes: ({ clockOffset }) => clockOffset > 0,
    hours: ({ clockOffset }) => clockOffset >= hour,
    days: ({ clockOffset }) => clockOffset >= 24 * hour,
  }),
  {
    name: 'history',
    // Seeding writes too, so no request comes before the first update.
    classes: () => ['new', 'repeated', 'after an update', 'after a deletion'],
    of: ({ history: { repeated, updated, deleted } }) => [
      repeated ? 'repeated' : 'new',
      ...(updated ? ['after an update'] : []),
      ...(deleted ? ['after a deletion'] : []),
    ],
  },
];

/** The query parameter for the start of a page. */
function startOf({ pagination }: Operation): string | undefined {
  return pagination?.kind === 'checkpoint' ? pagination.from : pagination?.page;
}

/** Query parameters that select neither a page nor its size. */
export function filtersOf(operation: Operation): readonly Parameter[] {
  const paging = [startOf(operation), operation.pagination?.size.parameter.name];
  return operation.parameters.filter((each) => each.in === 'query' && !paging.includes(each.name));
}

/** The dimensions of requests to the operation. */
export function dimensionsOf(operation: Operation): readonly Dimension[] {
  const start = operation.pagination?.kind === 'checkpoint' ? startOf(operation) : undefined;
  const queries = operation.parameters.filter((each) => each.in === 'query' && each.name !== start);
  return [...general.filter((each) => each.classes(operation).length > 0), ...queries.map(queryDimension)];
}

/** Maximum size of a body that is parsed: the padding of larger ones has no members. */
const longestBody = 64 * kilobyte;

/** The classes that a request is in, each as `dimension: class`. */
export function classesOf(
  received: ReceivedRequest,
  dimensions = dimensionsOf(received.operation),
): readonly string[] {
  const request = parseRequest(received);
  return dimensions.flatMap(({ name, of }) => of(request).map((each) => `${name}: ${each}`));
}

function parseRequest(received: ReceivedRequest): ParsedRequest {
  const { headers, target, body } = received;
  const queryAt = target.indexOf('?');
  const mediaType = essenceOf(headers['content-type']?.toString() ?? '');
  const text = body.length > longestBody ? '' : new TextDecoder().decode(body);
  const value = mediaType === formType ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text);
  return {
    ...received,
    query: new URLSearchParams(queryAt < 0 ? '' : target.slice(queryAt)),
    mediaType,
    members: isObject(value) ? Object.entries(value) : [],
    claims: received.knownClaims ?? claimsOf(headers.authorization?.toString() ?? ''),
  };
}

function claimsOf(authorization: string): JsonObject {
  const payload = /^bearer +[^.]*\.([^.]*)/i.exec(authorization)?.[1] ?? '';
  const claims = parseJson(Buffer.from(payload, 'base64url').toString());
  return isObject(claims) ? claims : {};
}
