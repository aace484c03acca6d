import { type Input, jsonOf, minimalInput } from '../arbitraries/input.ts';
import { encodeBody } from '../client/encode.ts';
import type { Authorization, Body } from '../client/exchange.ts';
import { formType } from '../contract/media-types.ts';
import type { Contract, Operation } from '../contract/model.ts';
import { percentEncode, writeText } from '../contract/styles.ts';
import type { RunContext } from './run-context.ts';

/** What differs from the operation's smallest valid request. */
export interface Call {
  /** The operation, where it is not the requirement's own: its id or itself. */
  readonly operation?: string | Operation;
  /** Path parameters by name; percent-encoded here. */
  readonly path?: Readonly<Record<string, string>> | undefined;
  /** Query parameters by name, percent-encoded here (a blank as %20), or the raw query. */
  readonly query?: Readonly<Record<string, string | number | undefined>> | string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Null sends no Authorization; left out, a valid token that permits the operation. */
  readonly authorization?: Authorization | null;
  /** A value to send as JSON. */
  readonly json?: unknown;
  /** Fields to send as a form (percent-encoded here, a blank as `+`), or the raw form. */
  readonly form?: Readonly<Record<string, string>> | string;
  /** True where a 403 is judged as it is, not taken as a sign that the required scope is not known. */
  readonly mayBeForbidden?: boolean;
  /** A body as it is; null sends none. */
  readonly body?: Body | null;
  /** Distinguishes equivalent requests: each is varied in another way, in what does not change its meaning. */
  readonly variation?: number | undefined;
  /** Requests with the same name here are varied in the same way, whatever else they say. */
  readonly variedAs?: string;
  /** True where other valid query parameters may join it, as they may join a request that is to be refused. */
  readonly anyQuery?: boolean;
}

/**
 * The operation's smallest valid input, which names existing data (`existing`) or generated ids (`generated`). `certain` where
 * nothing of it is in doubt, and `ids` by their kind.
 */
export function smallestInput(
  { run, contract, id: key }: { readonly run: RunContext; readonly contract: Contract; readonly id: string },
  operation: Operation,
  mode: 'existing' | 'generated',
): { input: Input; certain: boolean; ids: [string, string][] } {
  const named = operation.parameters.filter((parameter) => parameter.in === 'path');
  const ids = named.flatMap((parameter): [string, string][] => {
    const kind = parameter.resource;
    const id = kind === undefined || mode === 'generated' ? undefined : run.resources.peek(kind, key);
    return kind === undefined || id === undefined ? [] : [[kind, id]];
  });
  const certain = named.every(
    (parameter) => parameter.schema.enum !== undefined || ids.some(([kind]) => kind === parameter.resource),
  );
  return { input: minimalInput(contract, operation, Object.fromEntries(ids)), certain, ids };
}

/** True where nothing of the request is in doubt, and a success is declared: then it must be served. */
export function isCertain(isInputCertain: boolean, operation: Operation, call: Call): boolean {
  return (isInputCertain || namesAll(operation, call)) && declaresSuccess(operation);
}

/** True where the call itself names every path parameter: then it knows what exists. */
function namesAll(operation: Operation, call: Call): boolean {
  const named = operation.parameters.filter((parameter) => parameter.in === 'path');
  return named.length > 0 && named.every((parameter) => call.path?.[parameter.name] !== undefined);
}

/** True where a success of 2xx is declared: a request of an operation that only redirects proves less. */
function declaresSuccess({ success }: Operation): boolean {
  return success.some(({ status }) => /^2|DEFAULT/.test(status));
}

/** Bytes of a body by which two requests of a requirement count as the same. */
const comparedBytes = 500;

/** What a call says, as a text: equal for calls that say the same. */
export function contentOf(call: Call): string {
  const { path, query, headers, json, form, authorization, body, variation, variedAs } = call;
  if (variedAs !== undefined) return variedAs;
  const bytes = body?.bytes.subarray(0, comparedBytes) ?? [];
  const token = authorization?.claims ?? authorization?.value;
  return JSON.stringify([path, query, headers, json, form, token, String(bytes), variation]);
}

/** What requests have in common that differ only in their values: operation, names of the query parameters, kind of body. */
export function shapeOf({ id }: Operation, { query = {}, form, body }: Call): string {
  const isForm = form !== undefined || body?.mediaType === formType;
  return JSON.stringify([id, typeof query === 'string' ? query : Object.keys(query).toSorted(), isForm]);
}

/** The request target: the path with its parameters, and the query. */
export function targetOf(operation: Operation, input: Input, call: Call): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const text = call.path?.[name];
    const parameter = operation.parameters.find((each) => each.in === 'path' && each.name === name);
    return withoutDots(
      text === undefined || parameter === undefined ? (input.path[name] ?? '') : writeText(parameter, text),
    );
  });
  const raw = typeof call.query === 'string' ? [call.query] : [];
  const own = typeof call.query === 'object' ? pageQuery(operation, call.query) : {};
  const filled = Object.entries(input.query).flatMap(([name, text]) =>
    Object.hasOwn(own, name) ? [] : [text],
  );
  const given = Object.entries(own).flatMap(([name, value]) =>
    value === undefined ? [] : [`${percentEncode(name)}=${percentEncode(String(value))}`],
  );
  const query = [...filled, ...given, ...raw].filter((part) => part !== '');
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** The query by the operation's own names for what section 8 calls `from`, `take`, `page` (from 0) and `per_page`. */
export function pageQuery(
  { pagination }: Operation,
  query: Exclude<Call['query'], string | undefined>,
): typeof query {
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
      // A text, so that what is renamed already stays as it is.
      return [
        pagination.page,
        String(pagination.counts === 'items' ? value * perPage : value + pagination.first),
      ];
    }),
  );
}

/** A segment that is not read as a relative one (RFC 3986, section 5.2.4). */
function withoutDots(segment: string): string {
  return /^\.\.?$/.test(segment) ? segment.replaceAll('.', '%2E') : segment;
}

const encoder = new TextEncoder();

/** The body; undefined where none is sent. */
export function bodyOf(operation: Operation, input: Input, call: Call): Body | undefined {
  if (call.body !== undefined) return call.body ?? undefined;
  if (call.form !== undefined) {
    const form = typeof call.form === 'string' ? call.form : new URLSearchParams(call.form).toString();
    return { mediaType: formType, bytes: encoder.encode(form) };
  }
  const json = jsonOf(operation.body?.content);
  if (call.json !== undefined)
    return json === undefined
      ? { mediaType: 'application/json', bytes: encoder.encode(JSON.stringify(call.json)) }
      : encodeBody(json, call.json);
  return input.media === undefined || input.body === undefined
    ? undefined
    : encodeBody(input.media, input.body);
}
