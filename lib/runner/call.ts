import { type Input, minimalInput } from '../arbitraries/input.ts';
import type { Authorization, Body } from '../client/exchange.ts';
import type { Contract, Operation } from '../contract/model.ts';
import type { RunContext } from './run-context.ts';

/** What differs from the operation's smallest valid request. */
export interface Call {
  /** The operation, where it is not the requirement's own: its id or itself. */
  readonly operation?: string | Operation;
  /** Path parameters by name; percent-encoded here. */
  readonly path?: Readonly<Record<string, string>>;
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
}

/**
 * The operation's smallest valid input, which names data that exists (`borrowed`) or ids that were made up. `certain` where
 * nothing of it is in doubt, and `ids` by their kind.
 */
export function smallestInput(
  { run, contract, id: key }: { readonly run: RunContext; readonly contract: Contract; readonly id: string },
  operation: Operation,
  mode: 'borrowed' | 'made-up',
): { input: Input; certain: boolean; ids: [string, string][] } {
  const named = operation.parameters.filter((parameter) => parameter.in === 'path');
  const ids = named.flatMap((parameter): [string, string][] => {
    const kind = parameter.resource;
    const id = kind === undefined || mode === 'made-up' ? undefined : run.resources.peek(kind, key);
    return kind === undefined || id === undefined ? [] : [[kind, id]];
  });
  const certain = named.every(
    (parameter) => parameter.schema.enum !== undefined || ids.some(([kind]) => kind === parameter.resource),
  );
  return { input: minimalInput(contract, operation, Object.fromEntries(ids)), certain, ids };
}

/** True where the call itself names every path parameter: then it knows what exists. */
export function namesAll(operation: Operation, call: Call): boolean {
  const named = operation.parameters.filter((parameter) => parameter.in === 'path');
  return named.length > 0 && named.every((parameter) => call.path?.[parameter.name] !== undefined);
}

/** The request target: the path with its parameters, and the query. */
export function targetOf(operation: Operation, input: Input, call: Call): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodePathSegment(call.path?.[name] ?? input.path[name] ?? ''),
  );
  if (typeof call.query === 'string') return call.query === '' ? path : `${path}?${call.query}`;
  const query = Object.entries({ ...input.query, ...call.query }).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value).toWellFormed())}`],
  );
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** Percent-encoding of a path segment (RFC 3986, section 3.3); dots too, where the segment would be a relative one. */
function encodePathSegment(segment: string): string {
  const encoded = encodeURIComponent(segment.toWellFormed());
  return /^\.\.?$/.test(encoded) ? encoded.replaceAll('.', '%2E') : encoded;
}

const encoder = new TextEncoder();

/** The body; undefined where none is sent. */
export function bodyOf(operation: Operation, input: Input, call: Call): Body | undefined {
  if (call.body !== undefined) return call.body ?? undefined;
  if (call.form !== undefined) {
    const form = typeof call.form === 'string' ? call.form : new URLSearchParams(call.form).toString();
    return { mediaType: 'application/x-www-form-urlencoded', bytes: encoder.encode(form) };
  }
  if (call.json === undefined && input.body === undefined) return undefined;
  if (
    call.json === undefined &&
    operation.body?.content[0]?.mediaType === 'application/x-www-form-urlencoded'
  ) {
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(Object(input.body))) form.append(name, String(value));
    return { mediaType: 'application/x-www-form-urlencoded', bytes: encoder.encode(form.toString()) };
  }
  const value = call.json === undefined ? input.body : call.json;
  return { mediaType: 'application/json', bytes: encoder.encode(JSON.stringify(value)) };
}
