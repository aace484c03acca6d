import { decodeJwt } from 'jose/jwt/decode';
import type { JsonObject } from '../contract/json.ts';
import type { Body, Call } from './call.ts';

/** A request that the fake has answered. */
export interface RecordedRequest {
  readonly operation: string | undefined;
  readonly method: string;
  /** The request target as received. */
  readonly target: string;
  /** Without Authorization. */
  readonly headers: Readonly<Record<string, string>>;
  /** Claims of the bearer token, whether or not it was good; undefined where it was none. */
  readonly claims: JsonObject | undefined;
  /** Text of the body's beginning. */
  readonly body: string;
  readonly status: number;
}

/** The most recent requests of one fake. */
export interface RequestLog {
  add(call: Call, body: Body, status: number): void;
  /** Oldest first. */
  list(): RecordedRequest[];
}

const recordedRequests = 1000;
const recordedBodyBytes = 16 * 1024;

/** One request as it is kept. Besides the text of its token it holds none of the request's own objects: a thousand that are kept alive cost more than the answers. */
interface Kept {
  operation: string | undefined;
  method: string;
  status: number;
  body: Uint8Array;
  /** One text for all requests in a row that send the same: a token has kilobytes. */
  authorization: string;
  /** Target, names and values of the other header fields, a line each, in UTF-8; what lies beyond its length is left from others. */
  head: Buffer;
  headBytes: number;
}

/** A request log of its own. What is costly to work out is left until somebody looks. */
export function createRequestLog(): RequestLog {
  const recent: Kept[] = [];
  let next = 0;
  let lastAuthorization = '';
  return {
    add(call, { bytes }, status) {
      const at = next % recordedRequests;
      const kept = recent[at] ?? { ...nothing };
      recent[at] = kept;
      next += 1;
      kept.operation = call.operation?.id;
      kept.method = call.method;
      kept.status = status;
      // A copy, so that a large body is not kept for the sake of its beginning; a Buffer's own slice() would be a view.
      kept.body = bytes.length === 0 ? nothing.body : new Uint8Array(bytes.subarray(0, recordedBodyBytes));
      const { authorization = '' } = call.headers;
      if (authorization !== lastAuthorization) lastAuthorization = authorization;
      kept.authorization = lastAuthorization;
      keepHead(kept, call);
    },
    list() {
      const from = next > recordedRequests ? next % recordedRequests : 0;
      return [...recent.slice(from), ...recent.slice(0, from)].map(recorded);
    },
  };
}

const nothing: Kept = {
  operation: undefined,
  method: '',
  status: 0,
  body: new Uint8Array(0),
  authorization: '',
  head: Buffer.alloc(0),
  headBytes: 0,
};

function keepHead(kept: Kept, { target, headers }: Call): void {
  let head = target;
  // Neither a target nor a field of HTTP holds a line break.
  for (const name in headers) if (name !== 'authorization') head += `\n${name}\n${headers[name]}`;
  kept.headBytes = Buffer.byteLength(head);
  if (kept.headBytes > kept.head.length) kept.head = Buffer.allocUnsafeSlow(kept.headBytes);
  kept.head.write(head);
}

function recorded({
  operation,
  method,
  status,
  body,
  authorization,
  head,
  headBytes,
}: Kept): RecordedRequest {
  const [target = '', ...lines] = head.toString('utf8', 0, headBytes).split('\n');
  const fields = Array.from({ length: lines.length / 2 }, (_, index) =>
    lines.slice(2 * index, 2 * index + 2),
  );
  return {
    operation,
    method,
    target,
    headers: Object.fromEntries(fields),
    claims: claimsOf(authorization),
    body: new TextDecoder().decode(body),
    status,
  };
}

function claimsOf(authorization: string): JsonObject | undefined {
  try {
    return decodeJwt(authorization.replace(/^bearer +/i, ''));
  } catch {
    return undefined;
  }
}
