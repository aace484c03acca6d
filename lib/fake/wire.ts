import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyKindOf } from '../contract/media-types.ts';
import type { Call, FakeResponse, WireResponse } from './call.ts';
import { drain } from './payload.ts';
import { wait } from './real-time.ts';
import type { Rules } from './rules.ts';

const contentType = ['Content-Type', 'application/json; charset=utf-8'] as const;

/** The response as it is sent, after a delay in milliseconds. */
export function wireResponse(
  { status, headers, body, mediaType }: FakeResponse,
  call: Call,
  { responses: { serialized, wire } }: Rules,
  delay: number,
): WireResponse {
  const isJson = mediaType === undefined || bodyKindOf(mediaType) === 'json';
  // As bytes, because their length is known; a text joined from parts would be copied again.
  const parts = body === undefined ? [] : [Buffer.from(isJson ? serialized(body, call) : String(body))];
  const type = mediaType === undefined ? contentType : (['Content-Type', mediaType] as const);
  const described = body === undefined ? headers : [type, ...headers];
  return wire({ status, headers: described, parts, chunked: false, delay, close: false }, call);
}

/** Writes the response. If the request's body was not read to its end, the connection is closed afterwards. */
export async function writeResponse(
  answer: WireResponse,
  request: IncomingMessage,
  response: ServerResponse,
  call: Call,
  drained: number,
): Promise<void> {
  const { status, parts, delay } = answer;
  if (delay > 0) await wait(delay, response);
  // The client may have disconnected, or the fake may be closed.
  if (response.destroyed) return;
  if (answer.abort) {
    request.socket.destroy();
    return;
  }
  const unread = !request.complete && (call.chunked || (call.contentLength ?? 0) > 0);
  const headers = answer.headers.flat();
  answer.prepare?.(response);
  if (!answer.chunked && status !== 204 && status !== 304) {
    const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    headers.push('Content-Length', String(length));
  }
  if (unread || answer.close) headers.push('Connection', 'close');
  if (answer.reason === undefined) response.writeHead(status, headers);
  else response.writeHead(status, answer.reason, headers);
  for (const part of parts) response.write(part);
  if (unread) {
    response.flushHeaders();
    await drain(request, drained);
  }
  response.end();
}
