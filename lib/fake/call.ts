import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Cloud, Operation } from '../contract/model.ts';
import type { Pairs } from './urlencoded.ts';

/** A request as the rules see it: everything that a decision may depend on. */
export interface Call {
  /** Counts the fake's requests, from 1. */
  readonly number: number;
  /** Undefined for the token endpoint and for paths that no operation has. */
  readonly operation: Operation | undefined;
  /** Operation id; `token` for the token endpoint; undefined for what no operation serves. */
  readonly endpoint: string | undefined;
  readonly method: string;
  /** The request target as received: `/api/v2/actions/actions/a%2Fb/versions?page=0`. */
  readonly target: string;
  /** `http://host:port`, over TLS `https://host:port`. */
  readonly origin: string;
  /** The path parameters as received, still percent-encoded. */
  readonly pathTexts: Readonly<Record<string, string>>;
  /** Undefined where the query's percent-encoding is broken. */
  readonly query: Pairs | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Lower case, without parameters; undefined without Content-Type. */
  readonly mediaType: string | undefined;
  /** True where the body comes without Content-Length. */
  readonly chunked: boolean;
  /** Content-Length in bytes. */
  readonly contentLength: number | undefined;
  readonly cloud: Cloud;
  /** The fake's now, in milliseconds since the epoch. */
  readonly now: number;
  /** Seconds between the real now and the fake's. */
  readonly clockOffset: number;
  /** How often the tenant was seeded, from 1. */
  readonly seeds: number;
}

/** A body as far as it was read: nothing of one that is over the limit. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly tooLarge: boolean;
}

/** An answer before it is written out. */
export interface FakeResponse {
  readonly status: number;
  /** Name and value; without those that say how the body is framed. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A value of JSON, or the text of another media type; undefined for an answer without a body. */
  readonly body: unknown;
  /** Default: `application/json`. */
  readonly mediaType?: string;
}

/** An answer as it goes over the wire. */
export interface WireResponse {
  readonly status: number;
  readonly reason?: string;
  /** Names in the case in which they are sent, with Content-Type; Content-Length is added unless `chunked`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The parts are written one after another. */
  readonly parts: readonly (string | Uint8Array)[];
  readonly chunked: boolean;
  /** Gets Node's response before the head is written. */
  readonly prepare?: (response: ServerResponse) => void;
  /** Milliseconds to wait before the answer. */
  readonly delay: number;
  /** True ends the connection after the answer. */
  readonly close: boolean;
  /** True ends the connection without any answer. */
  readonly abort?: boolean;
}

/** Why a request is refused; the fake's error bodies are made of it. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** Machine-readable kind of the refusal: `invalid_query_string`. */
  readonly code: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/** Thrown where a request is refused; the only error that becomes an answer other than 500. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Refuses the request. */
export function refuse(status: number, code: string, message: string, headers?: Refusal['headers']): never {
  throw new RefusedError({ status, code, message, ...(headers && { headers }) });
}
