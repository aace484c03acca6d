import { isObject } from '../contract/json.ts';
import { formType } from '../contract/media-types.ts';
import type { MediaType, Operation, Parameter } from '../contract/model.ts';
import type { Schema } from '../contract/schema.ts';
import {
  type Change,
  claimChanges,
  escapedJson,
  furtherHeaders,
  inChunks,
  manyScopes,
  padded,
  percentEncodedForm,
  unusualQueryText,
  withCharset,
} from './changes.ts';
import { type ParsedRequest, parseRequest, type ReceivedRequest } from './received-request.ts';
import { neutralTexts } from './text.ts';

/** One class of a dimension. */
export interface InputClass {
  readonly name: string;
  readonly includes: (request: ParsedRequest) => boolean;
  /** Puts a request in the class without changing its meaning; undefined if variations do not do that. */
  readonly change?: Change | undefined;
}

/** One property of a request, and the classes into which it divides the requests to an operation. */
export interface Dimension {
  readonly name: string;
  /** Every class that a request can be in, the plain one first. A request may be in several. */
  readonly classes: readonly InputClass[];
  /** True if variations make all of its changes in one request; by default, they make one at a time. */
  readonly combined?: boolean;
  /**
   * The dimension on which it depends: its changes have an effect only on requests in that dimension's plain class, so they take
   * turns with the other classes.
   */
  readonly within?: string;
}

type Condition = InputClass['includes'];

/** The condition of each class, and the change for those that variations make. */
type Classes = Readonly<Record<string, Condition | readonly [Condition, Change | undefined]>>;

/** @param plain the class of requests that are in no other class */
function dimension(name: string, plain: string, others: Classes, combined = false): Dimension {
  const classes = Object.entries(others).map(([each, row]): InputClass => {
    const [includes, change] = typeof row === 'function' ? [row] : row;
    return { name: each, includes, change };
  });
  const isPlain: Condition = (request) => !classes.some(({ includes }) => includes(request));
  return { name, classes: [{ name: plain, includes: isPlain }, ...classes], combined };
}

const [kilobyte, hour] = [1000, 3600];

/** Lengths above which filters and IDs, and texts of the body, count as long. */
const longFilter = 64;
const longText = 300;

/** The dimensions of a token and of header fields, which are the same for all operations. */
export const sharedDimensions: readonly Dimension[] = [
  dimension('headers', 'usual', {
    further: [(request) => headerOf(request, 'x-request-id') !== '', furtherHeaders],
  }),
  dimension(
    'claims',
    'usual',
    {
      nbf: [({ claims }) => claims.nbf !== undefined, claimChanges.nbf],
      'audience list': [({ claims }) => Array.isArray(claims.aud), claimChanges['audience list']],
      'far expiry': [
        ({ claims: { exp, iat } }) => Number(exp) - Number(iat) > 24 * hour,
        claimChanges['far expiry'],
      ],
      further: [({ claims }) => claims.jti !== undefined, claimChanges.further],
      'over 1.5 kB': [
        (request) => headerOf(request, 'authorization').length > 1.5 * kilobyte,
        claimChanges['over 1.5 kB'],
      ],
    },
    true,
  ),
  dimension('scopes', 'none', {
    one: (request) => scopeCount(request) === 1,
    several: (request) => scopeCount(request) > 1,
    many: [(request) => scopeCount(request) >= 10, manyScopes],
  }),
];

const clockDimension = dimension('clock', 'real time', {
  minutes: ({ clockOffset }) => clockOffset > 0,
  hours: ({ clockOffset }) => clockOffset >= hour,
  days: ({ clockOffset }) => clockOffset >= 24 * hour,
});

/** The dimensions of a request body. */
function bodyDimensions(operation: Operation): readonly Dimension[] {
  const content = operation.body?.content;
  if (content === undefined) return [];
  const hasJson = content.some(({ kind }) => kind === 'json');
  const hasForm = content.some(({ kind }) => kind === 'form');
  const names = Object.keys(content[0]?.schema.properties ?? {});
  return [
    mediaTypeDimension(content),
    dimension('framing', 'Content-Length', {
      chunked: [(request) => headerOf(request, 'transfer-encoding') !== '', inChunks],
    }),
    ...(hasJson ? [jsonNotation] : []),
    ...(hasForm ? [formEncoding] : []),
    bodySize,
    // After the changes that depend on the media type.
    dimension('charset', 'none', {
      charset: [(request) => /;\s*charset=/i.test(headerOf(request, 'content-type')), withCharset],
    }),
    textDimension(freeMembers(operation).size > 0),
    orderDimension('order of members', names, ({ members }) => members.map(([name]) => name)),
    extraMemberDimension(names),
  ];
}

/** @param sent names in the order in which the request contains them */
function orderDimension(
  name: string,
  declared: readonly string[],
  sent: (request: ParsedRequest) => readonly string[],
): Dimension {
  const isOther: Condition = (request) => {
    const known = sent(request).filter((each) => declared.includes(each));
    const inOrder = declared.filter((each) => known.includes(each));
    return known.some((each, index) => each !== inOrder[index]);
  };
  return dimension(name, 'as declared', { other: [isOther, { reversed: true }] });
}

const mediaTypeName = 'media type';

/** The first media type is the plain one. Variations send a form in its place. */
function mediaTypeDimension(content: readonly MediaType[]): Dimension {
  const classes = content.map(
    (media, index): InputClass => ({
      name: media.mediaType,
      includes: ({ mediaType }) => mediaType === media.mediaType,
      change:
        index > 0 && media.kind === 'form'
          ? { use: 'if-accepted', media, body: percentEncodedForm }
          : undefined,
    }),
  );
  const isOther: Condition = (request) => !classes.some(({ includes }) => includes(request));
  return { name: mediaTypeName, classes: [...classes, { name: 'other', includes: isOther }] };
}

const jsonNotation: Dimension = {
  ...dimension('JSON notation', 'compact', {
    // The suite sends white space before JSON with escapes (RFC 8259, sections 2 and 7).
    escaped: [({ body: [start = 0] }) => start > 0 && start <= 0x20, { body: escapedJson }],
  }),
  within: mediaTypeName,
};

const bodySize: Dimension = {
  ...dimension('body size', 'at most 2 kB', {
    'over 2 kB': ({ body }) => body.length > 2 * kilobyte,
    // A form cannot be padded.
    'over 16 kB': [({ body }) => body.length > 16 * kilobyte, { use: 'unless-refused', body: padded }],
    'over 512 kB': ({ body }) => body.length > 512 * kilobyte,
  }),
  within: mediaTypeName,
};

/** @param blank how the form encodes a blank */
const isFormWith =
  (blank: string): Condition =>
  ({ mediaType, body }) =>
    mediaType === formType && Buffer.from(body).includes(blank);

/** A form that variations send has both. */
const formEncoding = dimension('form encoding', 'none', {
  'blank as +': isFormWith('+'),
  'blank as %20': isFormWith('%20'),
});

/** True if a text in the body matches. */
const someText =
  (pattern: RegExp): Condition =>
  ({ members }) =>
    members.some(([, value]) => typeof value === 'string' && pattern.test(value));

/** @param isFree true if the body has texts that variations may replace */
function textDimension(isFree: boolean): Dimension {
  const conditions = {
    empty: someText(/^$/),
    'beyond ASCII': someText(/[^\0-\x7f]/),
    'beyond the BMP': someText(/[\u{10000}-\u{10ffff}]/u),
    'line feed': someText(/\n/),
    'blank at an end': someText(/^\s|\s$/),
    'quote or backslash': someText(/["'\\]/),
    'three variables': someText(/\{\{.*\{\{.*\{\{/s),
    'over 300 characters': someText(new RegExp(`^[^]{${longText + 1},}$`)),
  };
  const rows = Object.entries(conditions).map(([name, condition]): [string, Classes[string]] => [
    name,
    [condition, isFree ? neutralTexts[name] : undefined],
  ]);
  return dimension('text', 'plain', Object.fromEntries(rows), true);
}

const prototypeNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

/** A member that the schema does not declare, with its index among all. */
type ExtraMember = Readonly<{ name: string; value: unknown; index: number }>;

/** @param declared names of the members that the body declares */
function extraMemberDimension(declared: readonly string[]): Dimension {
  const some =
    (isSuch: (member: ExtraMember, count: number) => boolean): Condition =>
    ({ members }) =>
      members.some(
        ([name, value], index) => !declared.includes(name) && isSuch({ name, value, index }, members.length),
      );
  return dimension('extra member', 'none', {
    first: some(({ index }) => index === 0),
    last: some(({ index }, count) => index === count - 1),
    text: some(({ value }) => typeof value === 'string'),
    'object or array': some(({ value }) => typeof value === 'object' && value !== null),
    null: some(({ value }) => value === null),
    'prototype name': some(({ name }) => prototypeNames.includes(name)),
    prefix: some(({ name }) => declared.some((each) => each.startsWith(name) || name.startsWith(each))),
  });
}

/** Members of the body that accept any text and have a default, which another text may replace. */
export function freeMembers({ body }: Operation): ReadonlySet<string> {
  const members = Object.entries(body?.content[0]?.schema.properties ?? {});
  const isFree = ({ type, enum: values, pattern, format, maxLength, ...schema }: Schema) =>
    type === 'string' && schema.default !== undefined && !values && !pattern && !format && !maxLength;
  return new Set(members.filter(([, schema]) => isFree(schema)).map(([name]) => name));
}

/** The dimensions of the path and of the query as a whole. */
function targetDimensions(operation: Operation): readonly Dimension[] {
  const { parameters, pagination } = operation;
  const queries = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const filters = filtersOf(operation).map(({ name }) => name);
  const used = ({ query }: ParsedRequest): number => filters.filter((name) => query.has(name)).length;
  const hasText = parameters.some(({ in: place, schema }) => place !== 'header' && schema.type === 'string');
  const found = [
    hasText &&
      dimension('percent-encoding', 'none', {
        'upper case': ({ target }) => /%([A-F]|\d[A-F])/.test(target),
        'lower case': [({ target }) => /%([a-f]|\d[a-f])/.test(target), { lowerCase: true }],
      }),
    queries.length > 1 && orderDimension('order of parameters', queries, ({ query }) => [...query.keys()]),
    filters.length > 1 &&
      dimension('filters', 'none', {
        one: (request) => used(request) === 1,
        several: (request) => used(request) > 1,
      }),
    pagination?.kind === 'checkpoint' &&
      dimension('page', 'first', { later: ({ query }) => query.has(pagination.from) }),
    pagination?.kind === 'offset' &&
      dimension('page', 'first', {
        later: ({ query }) => Number(query.get(pagination.page)) > 0,
        second: ({ query }) => Number(query.get(pagination.page)) === 1,
      }),
  ];
  return found.filter((each) => each !== false);
}

/** IDs are unique within the characters that the logs keep. */
function correlationDimension({ correlation }: Operation): readonly Dimension[] {
  if (correlation === undefined) return [];
  const idOf = (request: ParsedRequest) => headerOf(request, correlation.header.toLowerCase());
  const id = (correlationId: (key: string) => string): Change => ({ use: 'unless-refused', correlationId });
  return [
    dimension('correlation ID', 'absent', {
      present: (request) => idOf(request) !== '',
      'over 64': (request) => idOf(request).length > longFilter,
      'over 500': [(request) => idOf(request).length > 500, id((key) => `varied-${key}-`.padEnd(600, 'x'))],
      'UUID in upper case': [
        (request) => /^[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}$/.test(idOf(request)),
        id((key) => `${Number(key).toString(16).padStart(8, '0').toUpperCase()}-0AF3-4C1D-9B2E-C0FFEE5ABCDE`),
      ],
    }),
  ];
}

/** The longest key of a variation. */
const longestKey = '4294967295';

/** The dimension of one query parameter. */
function queryDimension({ pagination }: Operation, parameter: Parameter): Dimension {
  const { name, schema, required, examples, validate } = parameter;
  const text =
    (isSuch: (text: string) => boolean): Condition =>
    ({ query }) => {
      const value = query.get(name);
      return value !== null && isSuch(value);
    };
  /** Adds the value, if it is valid. */
  const adding = (value: unknown): Change | undefined =>
    required || validate(value).length > 0 ? undefined : { query: { name, value: () => String(value) } };
  const classes = (others: Classes) => dimension(`query ${name}`, 'absent', others);
  if (schema.enum !== undefined)
    return classes({ present: [text(() => true), adding(examples[0] ?? schema.enum[0])] });
  if (schema.type === 'integer') {
    // A page size of 0 is not valid, even if the schema allows it.
    const least = name === pagination?.size.parameter.name ? 1 : 0;
    const { minimum = least, maximum } = schema;
    const number = (isSuch: (number: number) => boolean) =>
      text((value) => /^\d+$/.test(value) && isSuch(Number(value)));
    const isInside = number((each) => each >= minimum && each <= (maximum ?? each));
    return classes({
      minimum: [number((each) => each === minimum), adding(minimum)],
      ...(maximum !== undefined && { maximum: [number((each) => each === maximum), adding(maximum)] }),
      'in between': [
        number((each) => each > minimum && each < (maximum ?? Number.POSITIVE_INFINITY)),
        adding(minimum + 1),
      ],
      other: (request) => request.query.has(name) && !isInside(request),
    });
  }
  const isText = schema.type === 'string';
  const isShort = (value: unknown) =>
    typeof value === 'string' && value.length <= longFilter && /^[^%_*.?&=+#/;:\x80-\uffff]*$/.test(value);
  const isAllowed = isText && !required && validate(unusualQueryText(longestKey)).length === 0;
  const unusual: Change | undefined = isAllowed
    ? { use: 'if-accepted', query: { name, value: unusualQueryText } }
    : undefined;
  return classes({
    short: [text(isShort), isText ? adding(examples.find(isShort) ?? 'conformance') : undefined],
    // The value is in all of these classes. It is sent with percent-encoding in either case.
    'over 64 characters': [text((value) => value.length > longFilter), unusual],
    wildcard: text((value) => /[%_*.?]/.test(value)),
    'reserved character': text((value) => /[&=+#/;:]/.test(value)),
    'beyond ASCII': [text((value) => /[^\0-\x7f]/.test(value)), unusual && { ...unusual, lowerCase: true }],
  });
}

/** Query parameters that select neither a page nor its size. */
export function filtersOf({ parameters, pagination }: Operation): readonly Parameter[] {
  const start = pagination?.kind === 'checkpoint' ? pagination.from : pagination?.page;
  const paging = [start, pagination?.size.parameter.name];
  return parameters.filter((each) => each.in === 'query' && !paging.includes(each.name));
}

const dimensions = new WeakMap<Operation, readonly Dimension[]>();

/** The dimensions of requests to the operation, always the same objects. */
export function dimensionsOf(operation: Operation): readonly Dimension[] {
  const known = dimensions.get(operation);
  if (known !== undefined) return known;
  const { parameters, pagination, authenticated } = operation;
  const checkpoint = pagination?.kind === 'checkpoint' ? pagination.from : undefined;
  const queries = parameters.filter((each) => each.in === 'query' && each.name !== checkpoint);
  const made = [
    ...bodyDimensions(operation),
    ...targetDimensions(operation),
    ...sharedDimensions.filter(({ name }) => authenticated || name === 'headers'),
    ...correlationDimension(operation),
    clockDimension,
    ...queries.map((each) => queryDimension(operation, each)),
  ];
  dimensions.set(operation, made);
  return made;
}

/** The classes that a request is in, each as `dimension: class`. */
export function classesOf(received: ReceivedRequest): readonly string[] {
  const request = parseRequest(received);
  return dimensionsOf(received.operation).flatMap(({ name, classes }) =>
    classes.filter(({ includes }) => includes(request)).map((each) => `${name}: ${each.name}`),
  );
}

const headerOf = ({ headers }: ReceivedRequest, name: string): string => headers[name]?.toString() ?? '';

const scopeCount = ({ claims: { scopes } }: ParsedRequest): number =>
  isObject(scopes) ? Object.keys(scopes).length : 0;
