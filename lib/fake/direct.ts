import type { IncomingHttpHeaders } from 'node:http';
import type { FakeResponse, WireResponse } from './call.ts';
import { contentType } from './wire.ts';

/** A request that is handed over without HTTP in between. Texts hold one character a byte, as Node reads them. */
export interface DirectRequest {
  readonly method: string;
  /** Path and query: `/api/v2/actions/actions/a/versions?page=0`. */
  readonly target: string;
  /** Names and values by turns. */
  readonly headers: readonly string[];
  readonly body?: Uint8Array;
  /** True for a body that comes without Content-Length. */
  readonly chunked: boolean;
  /** True where the answer's JSON is wanted as a value: then it is not written, and no rule sees what would have been. */
  readonly unwritten?: boolean;
}

/** What comes back: the answer, or nothing where the connection would have been closed. */
export interface DirectAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** What was not written into the body; it may be the tenant's own data, so nobody changes it. */
  readonly json?: unknown;
}

/** Fields of which the first one counts where they stand twice, as `node:http` has it. */
const single = new Set(['authorization', 'content-length', 'content-type', 'from', 'host', 'user-agent']);

/** The head as `node:http` would give it to a server. */
export function receivedHead(
  { method, target, headers, body, chunked }: DirectRequest,
  host: string,
): { method: string; url: string; headers: IncomingHttpHeaders; rawHeaders: string[] } {
  const framing: string[] = [];
  if (chunked && body !== undefined) framing.push('transfer-encoding', 'chunked');
  else if (body !== undefined || !bodiless.has(method))
    framing.push('content-length', String(body?.length ?? 0));
  const rawHeaders = ['host', host, 'connection', 'keep-alive', ...headers, ...framing];
  const received: Record<string, string> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = (rawHeaders[index + 1] ?? '').trim();
    const before = received[name];
    if (before === undefined) received[name] = value;
    else if (!single.has(name)) received[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return { method, url: target, headers: received, rawHeaders };
}

/** Methods that send no Content-Length without a body. */
const bodiless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** The answer with its JSON as a value. */
export function unwrittenAnswer({ status, headers, body }: FakeResponse): DirectAnswer {
  const fields = body === undefined ? headers : [contentType, ...headers];
  return {
    status,
    headers: fields.map(([name, value]) => [name.toLowerCase(), value]),
    body: Buffer.alloc(0),
    ...(body !== undefined && { json: body }),
  };
}

/** The answer as a client would have read it. */
export function readAnswer({ status, headers, parts, chunked }: WireResponse, method: string): DirectAnswer {
  const whole = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const isEmpty = method === 'HEAD' || status === 204 || status === 304;
  const framing: [string, string][] = chunked
    ? [['transfer-encoding', 'chunked']]
    : [['content-length', String(whole.length)]];
  return {
    status,
    headers: [
      ...headers.map(([name, value]): [string, string] => [name.toLowerCase(), value]),
      ...(isEmpty ? [] : framing),
    ],
    body: isEmpty ? Buffer.alloc(0) : whole,
  };
}
