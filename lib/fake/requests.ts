import { decodeJwt } from 'jose';
import type { Body, Call } from './call.ts';
import type { JsonObject } from './json.ts';

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

/** A request log of its own. What is costly to work out is left until somebody looks. */
export function createRequestLog(): RequestLog {
  const recent: { call: Call; body: Uint8Array; status: number }[] = [];
  let next = 0;
  return {
    add(call, { bytes }, status) {
      // A copy, so that a large body is not kept for the sake of its beginning; a Buffer's own slice() would be a view.
      const body = bytes.length === 0 ? bytes : new Uint8Array(bytes.subarray(0, recordedBodyBytes));
      recent[next % recordedRequests] = { call, body, status };
      next += 1;
    },
    list() {
      const from = next > recordedRequests ? next % recordedRequests : 0;
      return [...recent.slice(from), ...recent.slice(0, from)].map(({ call, body, status }) => ({
        operation: call.operation?.id,
        method: call.method,
        target: call.target,
        headers: headersOf(call),
        claims: claimsOf(call),
        body: new TextDecoder().decode(body),
        status,
      }));
    },
  };
}

function headersOf({ headers }: Call): Record<string, string> {
  const shown = Object.entries(headers).filter(([name]) => name !== 'authorization');
  return Object.fromEntries(shown.map(([name, value]) => [name, String(value)]));
}

function claimsOf({ headers }: Call): JsonObject | undefined {
  try {
    return decodeJwt((headers.authorization ?? '').replace(/^bearer +/i, ''));
  } catch {
    return undefined;
  }
}
