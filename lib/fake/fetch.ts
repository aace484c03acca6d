import { STATUS_CODES } from 'node:http';
import type { InProcessRequest, InProcessResponse } from './in-process.ts';

/** Statuses whose responses have no body (Fetch Standard, "null body status"). */
const nullBodyStatuses = [101, 103, 204, 205, 304];

/**
 * `fetch` in front of a handler that answers in process: no sockets, no global state. The URL's path and query count,
 * and its host goes into the Host field.
 * @param base what a relative URL is resolved against
 */
export function fetchFrom(
  handle: (request: InProcessRequest) => Promise<InProcessResponse | undefined>,
  base: string,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const request = new Request(typeof input === 'string' ? new URL(input, base) : input, init);
    const { signal } = request;
    signal.throwIfAborted();
    const { host, pathname, search } = new URL(request.url);
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const answered = handle({
      method: request.method,
      target: `${pathname}${search}`,
      host,
      headers: [...request.headers].flat(),
      chunked: false,
      ...(body && { body }),
    });
    const response = await Promise.race([answered, aborted(signal)]);
    if (response === undefined) {
      throw new TypeError('fetch failed', { cause: new Error('the fake closed the connection') });
    }
    const { status } = response;
    return new Response(nullBodyStatuses.includes(status) ? null : new Uint8Array(response.body), {
      status,
      statusText: STATUS_CODES[status] ?? '',
      headers: response.headers.map(([name, value]): [string, string] => [name, value]),
    });
  };
}

/** Rejects when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
