import { type Input, jsonOf, minimalInput } from '../arbitraries/input.ts';
import { encodeBody } from '../client/encode.ts';
import type { Authorization, Body, Exchange } from '../client/exchange.ts';
import { formType } from '../contract/media-types.ts';
import type { Contract, Operation } from '../contract/model.ts';
import { percentEncode, writeText } from '../contract/styles.ts';
import type { NamedId } from './resource-pool.ts';
import type { RunContext } from './run-context.ts';

/** Query parameters by name. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** Changes to the operation's smallest valid request. */
export interface Call {
  /** An operation or its id. Default: the requirement's own operation. */
  readonly operation?: string | Operation;
  /** Path parameters by name, not yet percent-encoded. */
  readonly path?: Readonly<Record<string, string>> | undefined;
  /** Query parameters by name, not yet percent-encoded (a blank is sent as %20), or the raw query. */
  readonly query?: Query | string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Null sends no Authorization. Default: a valid token that permits the operation. */
  readonly authorization?: Authorization | null;
  /** A value to send as JSON. */
  readonly json?: unknown;
  /** Fields to send as a form, not yet percent-encoded (a blank is sent as `+`), or the raw form. */
  readonly form?: Readonly<Record<string, string>> | string;
  /** True if a 403 is judged as it is. By default it may mean that the required scope is not known. */
  readonly mayBeForbidden?: boolean;
  /** The raw body; null sends none. */
  readonly body?: Body | null;
  /** Distinguishes equivalent requests: each number varies the request differently, without changing its meaning. */
  readonly variation?: number | undefined;
  /** True if it is varied in the same way as the requirement's other requests with this variation, even if they differ. */
  readonly sameVariation?: boolean;
  /** True if variations may add other valid query parameters, as they do to requests that must be refused. */
  readonly mayAddQuery?: boolean;
}

/**
 * The operation's smallest valid input, with ids of existing data (`existing`) or generated ids (`generated`). `certain` is true
 * if everything that the path names is known to exist; `ids` contains the ids with their kinds.
 */
export function smallestInput(
  { run, contract, id: key }: { readonly run: RunContext; readonly contract: Contract; readonly id: string },
  operation: Operation,
  mode: 'existing' | 'generated',
): { input: Input; certain: boolean; ids: NamedId[] } {
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const ids = inPath.flatMap((parameter): NamedId[] => {
    const kind = parameter.resource;
    const id = kind === undefined || mode === 'generated' ? undefined : run.resources.peek(kind, key);
    return kind === undefined || id === undefined ? [] : [[kind, id]];
  });
  const certain = inPath.every(
    (parameter) => parameter.schema.enum !== undefined || ids.some(([kind]) => kind === parameter.resource),
  );
  return { input: minimalInput(contract, operation, Object.fromEntries(ids)), certain, ids };
}

/** True if the request only names data that exists and the operation declares a success: then it must be served. */
export function isCertain(
  isInputCertain: boolean,
  operation: Operation,
  call: Call,
  { resent = false }: Exchange,
): boolean {
  // The first of two deletions may have been carried out.
  if (resent && operation.method === 'DELETE') return false;
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  // A call that sets every path parameter itself knows what exists.
  const setsPath = inPath.length > 0 && inPath.every(({ name }) => call.path?.[name] !== undefined);
  // An operation that only redirects proves less.
  const declaresSuccess = operation.success.some(({ status }) => /^2|DEFAULT/.test(status));
  return (isInputCertain || setsPath) && declaresSuccess;
}

/** Bytes of a body that are compared to find equal requests. */
const comparedBytes = 500;

/** A text that is equal for calls with the same content. */
export function contentKey(call: Call): string {
  const { path, query, headers, json, form, authorization, body, variation, sameVariation } = call;
  if (sameVariation) return '';
  const bytes = body?.bytes.subarray(0, comparedBytes) ?? [];
  const token = authorization?.claims ?? authorization?.value;
  return JSON.stringify([path, query, headers, json, form, token, String(bytes), variation]);
}

/** A text that is equal for requests with the same operation, names of query parameters and kind of body. */
export function shapeKey({ id }: Operation, { query = {}, form, body }: Call): string {
  const isForm = form !== undefined || body?.mediaType === formType;
  return JSON.stringify([id, typeof query === 'string' ? query : Object.keys(query).toSorted(), isForm]);
}

/** The request target: the path with its parameters, and the query. */
export function requestTarget(
  operation: Operation,
  input: Input,
  call: Pick<Call, 'path' | 'query'> = {},
): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const text = call.path?.[name];
    const parameter = operation.parameters.find((each) => each.in === 'path' && each.name === name);
    const isGiven = text !== undefined && parameter !== undefined;
    const segment = isGiven ? writeText(parameter, text) : (input.path[name] ?? '');
    // A segment of dots would be a relative one (RFC 3986, section 5.2.4).
    return /^\.\.?$/.test(segment) ? segment.replaceAll('.', '%2E') : segment;
  });
  const raw = typeof call.query === 'string' ? [call.query] : [];
  const own = typeof call.query === 'object' ? call.query : {};
  const filled = Object.entries(input.query).flatMap(([name, text]) =>
    Object.hasOwn(own, name) ? [] : [text],
  );
  const given = Object.entries(own).flatMap(([name, value]) =>
    value === undefined ? [] : [`${percentEncode(name)}=${percentEncode(String(value))}`],
  );
  const query = [...filled, ...given, ...raw].filter((part) => part !== '');
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** The query with the operation's own names for section 8's `from`, `take`, `page` (from 0) and `per_page`. */
export function pageQuery({ pagination }: Operation, query: Query): Query {
  if (pagination === undefined) return query;
  const size = pagination.size.parameter.name;
  const names: Readonly<Record<string, string>> =
    pagination.kind === 'checkpoint'
      ? { from: pagination.from, take: size }
      : { page: pagination.page, per_page: size };
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      if (pagination.kind === 'checkpoint' || name !== 'page' || typeof value !== 'number')
        return [Object.hasOwn(names, name) ? (names[name] ?? name) : name, value];
      const perPage = Number(query.per_page ?? pagination.size.default);
      return [pagination.page, pagination.counts === 'items' ? value * perPage : value + pagination.first];
    }),
  );
}

/** The body; undefined if none is sent. */
export function bodyOf(operation: Operation, input: Input, call: Call): Body | undefined {
  if (call.body !== undefined) return call.body ?? undefined;
  if (call.form !== undefined) {
    const form = typeof call.form === 'string' ? call.form : new URLSearchParams(call.form).toString();
    return { mediaType: formType, bytes: Buffer.from(form) };
  }
  const json = jsonOf(operation.body?.content);
  if (call.json !== undefined)
    return json === undefined
      ? { mediaType: 'application/json', bytes: Buffer.from(JSON.stringify(call.json)) }
      : encodeBody(json, call.json);
  return input.media === undefined || input.body === undefined
    ? undefined
    : encodeBody(input.media, input.body);
}
