import { isObject, type JsonObject, parseJson } from '../contract/json.ts';
import { essenceOf, formType } from '../contract/media-types.ts';
import type { Operation } from '../contract/model.ts';

/** A request as a server receives it. */
export interface ReceivedRequest {
  readonly operation: Operation;
  /** Path and query, percent-encoded. */
  readonly target: string;
  /** Values by name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
  /** Claims of the bearer token, if they are already known. */
  readonly knownClaims?: JsonObject | undefined;
  /** Seconds by which the server's clock is ahead of the real time. */
  readonly clockOffset: number;
}

/** A request with its parts decoded. */
export interface ParsedRequest extends ReceivedRequest {
  readonly query: URLSearchParams;
  readonly mediaType: string;
  /** Members of the body in the order in which they were sent; empty if it is not an object. */
  readonly members: readonly (readonly [name: string, value: unknown])[];
  /** Claims of the bearer token, which is not verified. */
  readonly claims: JsonObject;
}

/** Maximum bytes of a body that is parsed: the padding of larger ones has no members. */
const longestBody = 64_000;

export function parseRequest(received: ReceivedRequest): ParsedRequest {
  const { headers, target, body } = received;
  const queryAt = target.indexOf('?');
  const mediaType = essenceOf(headers['content-type']?.toString() ?? '');
  const text = body.length > longestBody ? '' : new TextDecoder().decode(body);
  const value = mediaType === formType ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text);
  return {
    ...received,
    query: new URLSearchParams(queryAt < 0 ? '' : target.slice(queryAt)),
    mediaType,
    members: isObject(value) ? Object.entries(value) : [],
    claims: received.knownClaims ?? claimsOf(headers.authorization?.toString() ?? ''),
  };
}

function claimsOf(authorization: string): JsonObject {
  const payload = /^bearer +[^.]*\.([^.]*)/i.exec(authorization)?.[1] ?? '';
  const claims = parseJson(Buffer.from(payload, 'base64url').toString());
  return isObject(claims) ? claims : {};
}
