import type { WireRequest, WireResponse, WireResult } from './wire.ts';

/** Sends a request to a server in this process; undefined for a request to another origin. Never rejects. */
export type InProcessTransport = (request: WireRequest) => Promise<WireResult> | undefined;

/** A server in this process that handles a request by a function call. */
export interface InProcessServer {
  /** `http://host:port`, the origin of the requests it handles. */
  readonly origin: string;
  /** Undefined when it would have closed the connection. */
  handle(
    request: Pick<WireRequest, 'method' | 'headers' | 'body' | 'chunked'> & { readonly target: string },
  ): Promise<WireResponse | undefined>;
}

/** Calls the server's handler instead of using the network. */
export function inProcessTransport(server: InProcessServer): InProcessTransport {
  return ({ origin, path: target, method, headers, body, chunked }) =>
    origin !== server.origin
      ? undefined
      : server.handle({ method, target, headers, chunked, ...(body && { body }) }).then(
          (response) => (response === undefined ? closed('the server closed the connection') : { response }),
          (error: unknown) => closed(String(error)),
        );
}

function closed(message: string): WireResult {
  return { failure: { kind: 'closed', message } };
}
