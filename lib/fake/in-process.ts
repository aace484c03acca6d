import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import type { WireResponse } from './call.ts';

/** A request passed without HTTP. Texts have one character per byte, as Node reads them. */
export interface InProcessRequest {
  readonly method: string;
  /** Path and query: `/api/v2/actions/actions/a/versions?page=0`. */
  readonly target: string;
  /** The Host field. Default: the fake's own. */
  readonly host?: string;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body?: Uint8Array;
  /** True for a body that comes without Content-Length. */
  readonly chunked: boolean;
}

/** The response to an in-process request. */
export interface InProcessResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Fields of which only the first occurrence counts, as in `node:http`. */
const single = new Set(['authorization', 'content-length', 'content-type', 'from', 'host', 'user-agent']);

/** Methods that send no Content-Length if there is no body. */
const bodiless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** The head as `node:http` would give it to a server. */
export function receivedHead(
  { method, target, host, headers, body, chunked }: InProcessRequest,
  ownHost: string,
): { method: string; url: string; headers: IncomingHttpHeaders } {
  const framing: string[] = [];
  if (chunked && body !== undefined) framing.push('transfer-encoding', 'chunked');
  else if (body !== undefined || !bodiless.has(method))
    framing.push('content-length', String(body?.length ?? 0));
  const named = ['host', host ?? ownHost, 'connection', 'keep-alive', ...headers, ...framing];
  const received: Record<string, string> = {};
  for (let index = 0; index + 1 < named.length; index += 2) {
    const name = (named[index] ?? '').toLowerCase();
    const value = (named[index + 1] ?? '').trim();
    const before = received[name];
    if (before === undefined) received[name] = value;
    else if (!single.has(name)) received[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return { method, url: target, headers: received };
}

/** The response as a client would have read it. */
export function readResponse(
  { status, headers, parts, chunked }: WireResponse,
  method: string,
): InProcessResponse {
  const whole = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const isEmpty = method === 'HEAD' || status === 204 || status === 304;
  const named = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  if (isEmpty) return { status, headers: named, body: Buffer.alloc(0) };
  const framing: [string, string] = chunked
    ? ['transfer-encoding', 'chunked']
    : ['content-length', String(whole.length)];
  return { status, headers: [...named, framing], body: whole };
}

/** Statuses whose responses have no body (Fetch Standard, "null body status"). */
const nullBodyStatuses = [101, 103, 204, 205, 304];

/**
 * Creates a `fetch` for a handler that responds in process, without sockets or global state. It uses the URL's path and
 * query, and sends its host in the Host field.
 * @param base the URL that relative URLs are resolved against
 */
export function fetchFrom(
  handle: (request: InProcessRequest) => Promise<InProcessResponse | undefined>,
  base: string,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const request = new Request(typeof input === 'string' ? new URL(input, base) : input, init);
    const { method, signal } = request;
    signal.throwIfAborted();
    const { host, pathname, search } = new URL(request.url);
    const body = request.body === null ? {} : { body: new Uint8Array(await request.arrayBuffer()) };
    const headers = [...request.headers].flat();
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const answered = handle({ method, target: pathname + search, host, headers, chunked: false, ...body });
    const response = await Promise.race([answered, aborted]);
    if (response === undefined)
      throw new TypeError('fetch failed', { cause: new Error('the fake closed the connection') });
    const { status } = response;
    return new Response(nullBodyStatuses.includes(status) ? null : new Uint8Array(response.body), {
      status,
      statusText: STATUS_CODES[status] ?? '',
      headers: response.headers.map(([name, value]): [string, string] => [name, value]),
    });
  };
}
