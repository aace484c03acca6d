import type { IncomingHttpHeaders } from 'node:http';
import type { WireResponse } from './call.ts';

/** A request that is handed over without HTTP in between. Texts hold one character a byte, as Node reads them. */
export interface InProcessRequest {
  readonly method: string;
  /** Path and query: `/api/v2/actions/actions/a/versions?page=0`. */
  readonly target: string;
  /** The Host field. Default: the fake's own. */
  readonly host?: string;
  /** Names and values by turns. */
  readonly headers: readonly string[];
  readonly body?: Uint8Array;
  /** True for a body that comes without Content-Length. */
  readonly chunked: boolean;
}

/** What comes back: the answer, or nothing where the connection would have been closed. */
export interface InProcessResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Fields of which the first one counts where they stand twice, as `node:http` has it. */
const single = new Set(['authorization', 'content-length', 'content-type', 'from', 'host', 'user-agent']);

/** The head as `node:http` would give it to a server. */
export function receivedHead(
  { method, target, host, headers, body, chunked }: InProcessRequest,
  ownHost: string,
): { method: string; url: string; headers: IncomingHttpHeaders; rawHeaders: string[] } {
  const framing: string[] = [];
  if (chunked && body !== undefined) framing.push('transfer-encoding', 'chunked');
  else if (body !== undefined || !bodiless.has(method))
    framing.push('content-length', String(body?.length ?? 0));
  const rawHeaders = ['host', host ?? ownHost, 'connection', 'keep-alive', ...headers, ...framing];
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

/** The answer as a client would have read it. */
export function readResponse(
  { status, headers, parts, chunked }: WireResponse,
  method: string,
): InProcessResponse {
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
