import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Cloud, Operation } from '../contract/model.ts';
import type { Pairs } from './urlencoded.ts';

/** A request as rules get it: everything that a decision may depend on. */
export interface Call {
  /** Counts the fake's requests, from 1. */
  readonly number: number;
  /** Undefined for the token endpoint and for paths that no operation has. */
  readonly operation: Operation | undefined;
  /** Operation id; `token` for the token endpoint; undefined if no operation matches. */
  readonly endpoint: string | undefined;
  readonly method: string;
  /** The request target as received: `/api/v2/actions/actions/a%2Fb/versions?page=0`. */
  readonly target: string;
  /** `http://host:port`, over TLS `https://host:port`. */
  readonly origin: string;
  /** The path parameters as received, still percent-encoded. */
  readonly pathTexts: Readonly<Record<string, string>>;
  /** Undefined if the query's percent-encoding is broken. */
  readonly query: Pairs | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Lower case, without parameters; undefined without Content-Type. */
  readonly mediaType: string | undefined;
  /** True if the body comes without Content-Length. */
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

/** A request body; empty if it is over the limit. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly tooLarge: boolean;
}

/** A response before it is serialized. */
export interface FakeResponse {
  readonly status: number;
  /** Names and values, without the fields that frame the body. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A JSON value, or text if the media type is another one; undefined for a response without a body. */
  readonly body: unknown;
  /** Default: `application/json`. */
  readonly mediaType?: string;
}

/** A response as it is sent. */
export interface WireResponse {
  readonly status: number;
  readonly reason?: string;
  /** Names keep their case. Includes Content-Type; Content-Length is added unless `chunked`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The parts are written one after another. */
  readonly parts: readonly (string | Uint8Array)[];
  readonly chunked: boolean;
  /** Gets Node's response before the head is written. */
  readonly prepare?: (response: ServerResponse) => void;
  /** Milliseconds to wait before the response. */
  readonly delay: number;
  /** True closes the connection after the response. */
  readonly close: boolean;
  /** True closes the connection without a response. */
  readonly abort?: boolean;
}

/** Why a request is refused. The fake's error bodies are built from it. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** Machine-readable kind of the refusal: `invalid_query_string`. */
  readonly code: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/** Thrown to refuse a request. Every other error results in a 500. */
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
