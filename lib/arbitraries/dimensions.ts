import { isObject, type JsonObject, parseJson } from '../contract/json.ts';
import { formType } from '../contract/media-types.ts';
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

const bodyOnly =
  (...classes: readonly string[]) =>
  ({ body }: Operation): readonly string[] =>
    body === undefined ? [] : classes;

const authenticatedOnly =
  (...classes: readonly string[]) =>
  ({ authenticated }: Operation): readonly string[] =>
    authenticated ? classes : [];

/** True if the path or the query has a text parameter, which may need percent-encoding. */
export const hasTextInTarget = ({ parameters }: Operation): boolean =>
  parameters.some(({ in: place, schema }) => place !== 'header' && schema.type === 'string');

/** The names of all classes whose condition is met; `otherwise` if there are none. */
const every = (otherwise: string, ...classes: readonly (readonly [string, boolean])[]): readonly string[] => {
  const found = classes.filter(([, isMet]) => isMet).map(([name]) => name);
  return found.length === 0 ? [otherwise] : found;
};

const headerOf = ({ headers }: ReceivedRequest, name: string): string => headers[name]?.toString() ?? '';

/** Names of members that the operation's body declares, in their order. */
const declared = ({ body }: Operation): readonly string[] =>
  Object.keys(body?.content[0]?.schema.properties ?? {});

const textClasses = {
  'beyond ASCII': /[^\0-\x7f]/,
  'beyond the BMP': /[\u{10000}-\u{10ffff}]/u,
  'line feed': /\n/,
  'blank at an end': /^\s|\s$/,
  'quote or backslash': /["'\\]/,
  'three variables': /\{\{.*\{\{.*\{\{/s,
  'over 300 characters': new RegExp(`^[^]{${longText + 1},}$`),
} as const;

const prototypeNames: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
];

/** Members that the schema does not declare, with their index among all. */
const extraMembers = ({ members, operation }: ParsedRequest) =>
  members
    .map(([name, value], index) => ({ name, value, index }))
    .filter(({ name }) => !declared(operation).includes(name));

/** The dimension of one query parameter. */
function queryDimension(parameter: Parameter): Dimension {
  const { name, schema } = parameter;
  const { minimum = 0, maximum } = schema;
  const isInteger = schema.type === 'integer';
  const numbers = ['minimum', ...(maximum === undefined ? [] : ['maximum']), 'in between', 'other'];
  const texts = ['short', 'over 64 characters', 'wildcard', 'reserved character', 'beyond ASCII'];
  return {
    name: `query ${name}`,
    classes: () => ['absent', ...(isInteger ? numbers : schema.enum === undefined ? texts : ['present'])],
    of: ({ query }) => {
      const text = query.get(name);
      if (text === null) return ['absent'];
      if (schema.enum !== undefined) return ['present'];
      if (isInteger) {
        const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
        if (number === minimum) return ['minimum'];
        if (number === maximum) return ['maximum'];
        const isInside = number > minimum && number < (maximum ?? Number.POSITIVE_INFINITY);
        return [isInside ? 'in between' : 'other'];
      }
      return every(
        'short',
        ['over 64 characters', text.length > longFilter],
        ['wildcard', /[%_*.?]/.test(text)],
        ['reserved character', /[&=+#/;:]/.test(text)],
        ['beyond ASCII', /[^\0-\x7f]/.test(text)],
      );
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
  {
    name: 'framing',
    classes: bodyOnly('Content-Length', 'chunked'),
    of: (request) => [headerOf(request, 'transfer-encoding') === '' ? 'Content-Length' : 'chunked'],
  },
  {
    name: 'charset',
    classes: bodyOnly('none', 'charset'),
    of: (request) => [/;\s*charset=/i.test(headerOf(request, 'content-type')) ? 'charset' : 'none'],
  },
  {
    name: 'JSON notation',
    classes: ({ body }) => (body?.content.some(({ kind }) => kind === 'json') ? ['compact', 'escaped'] : []),
    // The suite sends white space before JSON with escapes (RFC 8259, sections 2 and 7).
    of: ({ body: [start = 0] }) => [start > 0 && start <= 0x20 ? 'escaped' : 'compact'],
  },
  {
    name: 'body size',
    classes: bodyOnly('at most 2 kB', 'over 2 kB', 'over 16 kB', 'over 512 kB'),
    of: ({ body: { length } }) =>
      every(
        'at most 2 kB',
        ['over 2 kB', length > 2 * kilobyte],
        ['over 16 kB', length > 16 * kilobyte],
        ['over 512 kB', length > 512 * kilobyte],
      ),
  },
  {
    name: 'text',
    classes: bodyOnly('plain', 'empty', ...Object.keys(textClasses)),
    of: ({ members }) => {
      const texts = members.map(([, value]) => value).filter((value) => typeof value === 'string');
      const patterns = Object.entries(textClasses);
      return every(
        'plain',
        ['empty', texts.includes('')],
        ...patterns.map(([name, pattern]) => [name, texts.some((each) => pattern.test(each))] as const),
      );
    },
  },
  {
    name: 'order of members',
    classes: bodyOnly('as declared', 'other'),
    of: ({ members, operation }) => {
      const names = members.map(([name]) => name);
      const known = declared(operation).filter((name) => names.includes(name));
      const sent = names.filter((name) => known.includes(name));
      return [sent.every((name, index) => name === known[index]) ? 'as declared' : 'other'];
    },
  },
  {
    name: 'extra member',
    classes: bodyOnly('none', 'first', 'last', 'text', 'object or array', 'null', 'prototype name', 'prefix'),
    of: (request) => {
      const extra = extraMembers(request);
      const some = (isMet: (each: (typeof extra)[number]) => boolean) => extra.some(isMet);
      const names = declared(request.operation);
      return every(
        'none',
        ['first', some(({ index }) => index === 0)],
        ['last', some(({ index }) => index === request.members.length - 1)],
        ['text', some(({ value }) => typeof value === 'string')],
        ['object or array', some(({ value }) => typeof value === 'object' && value !== null)],
        ['null', some(({ value }) => value === null)],
        ['prototype name', some(({ name }) => prototypeNames.includes(name))],
        ['prefix', some(({ name }) => names.some((each) => each.startsWith(name) || name.startsWith(each)))],
      );
    },
  },
  {
    name: 'percent-encoding',
    classes: (operation) => (hasTextInTarget(operation) ? ['none', 'upper case', 'lower case'] : []),
    of: ({ target }) =>
      every(
        'none',
        ['upper case', /%([A-F]|\d[A-F])/.test(target)],
        ['lower case', /%([a-f]|\d[a-f])/.test(target)],
      ),
  },
  {
    name: 'filters',
    classes: (operation) => (filtersOf(operation).length > 1 ? ['none', 'one', 'several'] : []),
    of: ({ operation, query }) => {
      const count = filtersOf(operation).filter(({ name }) => query.has(name)).length;
      return [count === 0 ? 'none' : count === 1 ? 'one' : 'several'];
    },
  },
  {
    name: 'page',
    classes: ({ pagination }) =>
      pagination === undefined
        ? []
        : pagination.kind === 'offset'
          ? ['first', 'later', 'second']
          : ['first', 'later'],
    of: ({ operation: { pagination }, query }) => {
      if (pagination?.kind === 'checkpoint') return [query.has(pagination.from) ? 'later' : 'first'];
      const page = Number(query.get(pagination?.page ?? '') ?? 0);
      return every('first', ['later', page > 0], ['second', page === 1]);
    },
  },
  {
    name: 'scopes',
    classes: authenticatedOnly('none', 'one', 'several', 'many'),
    of: ({ claims: { scopes } }) => {
      const count = isObject(scopes) ? Object.keys(scopes).length : 0;
      if (count < 2) return [count === 0 ? 'none' : 'one'];
      return count < 10 ? ['several'] : ['several', 'many'];
    },
  },
  {
    name: 'claims',
    classes: authenticatedOnly('usual', 'nbf', 'audience list', 'far expiry', 'further', 'over 1.5 kB'),
    of: (request) => {
      const { nbf, aud, exp, iat, jti } = request.claims;
      return every(
        'usual',
        ['nbf', nbf !== undefined],
        ['audience list', Array.isArray(aud)],
        ['far expiry', Number(exp) - Number(iat) > 24 * hour],
        ['further', jti !== undefined],
        ['over 1.5 kB', headerOf(request, 'authorization').length > 1.5 * kilobyte],
      );
    },
  },
  {
    name: 'correlation ID',
    classes: ({ correlation }) =>
      correlation === undefined ? [] : ['absent', 'present', 'over 64', 'over 500', 'UUID in upper case'],
    of: (request) => {
      const id = headerOf(request, request.operation.correlation?.header.toLowerCase() ?? '');
      return every(
        'absent',
        ['present', id !== ''],
        ['over 64', id.length > longFilter],
        ['over 500', id.length > 500],
        ['UUID in upper case', /^[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}$/.test(id)],
      );
    },
  },
  {
    name: 'headers',
    classes: () => ['usual', 'further'],
    of: (request) => [headerOf(request, 'x-request-id') === '' ? 'usual' : 'further'],
  },
  {
    name: 'clock',
    classes: () => ['real time', 'minutes', 'hours', 'days'],
    of: ({ clockOffset }) =>
      every(
        'real time',
        ['minutes', clockOffset > 0],
        ['hours', clockOffset >= hour],
        ['days', clockOffset >= 24 * hour],
      ),
  },
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
  const mediaType = (headers['content-type']?.toString() ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
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
