import { ReceivedResponse } from './received-response.ts';
import type { WireRequest, WireResponse, WireResult } from './wire.ts';

/** A server in this process that handles a request by a function call. */
export interface InProcessServer {
  /** `http://host:port`, the origin of the requests it handles. */
  readonly origin: string;
  /** Undefined when it would have closed the connection. */
  handle(
    request: Pick<WireRequest, 'method' | 'headers' | 'body' | 'chunked'> & { readonly target: string },
  ): Promise<WireResponse | undefined>;
}

/** Calls the server's handler instead of using the network. Never rejects. */
export async function handleInProcess(
  server: InProcessServer,
  { path: target, method, headers, body, chunked }: WireRequest,
): Promise<WireResult> {
  let message = 'the server closed the connection';
  try {
    const response = await server.handle({ method, target, headers, chunked, ...(body && { body }) });
    if (response !== undefined) return { response: new ReceivedResponse(response) };
  } catch (error) {
    message = String(error);
  }
  return { failure: { kind: 'closed', message } };
}
