import type { JsonObject } from '../contract/json.ts';
import type { Operation } from '../contract/model.ts';
import type { ReceivedResponse } from './received-response.ts';

/** A request as a requirement specifies it. It is sent exactly like this, with only the additions that HTTP requires. */
export interface Request {
  readonly operation: Operation | undefined;
  readonly method: string;
  /** Path and query of the request target, already percent-encoded, relative to the base address: `/a?b=c`. */
  readonly target: string;
  /** Full URL instead of base address and target, for endpoints elsewhere (the token endpoint). */
  readonly url?: string;
  /** Header fields in order; names may repeat. Without Authorization, Content-Type and Content-Length. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly authorization?: Authorization;
  readonly body?: Body;
}

/** What is known about a token and recorded instead of it. */
export interface TokenParts {
  readonly header?: JsonObject;
  readonly claims?: JsonObject;
  /** How the suite signed an invalid token, or what it changed in a valid one: `untrusted-key`. */
  readonly signature?: string;
}

/** The value of the Authorization field. */
export interface Authorization extends TokenParts {
  /** The whole field value: `Bearer eyJ…`. */
  readonly value: string;
  /** The name of the field. Default: `authorization`. */
  readonly field?: string;
  /** False for values that are not secrets (`Bearer garbage`), which are recorded as they are. Default true. */
  readonly secret?: boolean;
}

export interface Body {
  /** Value of Content-Type; undefined sends none. */
  readonly mediaType?: string;
  readonly bytes: Uint8Array;
  /** True sends `Transfer-Encoding: chunked` and no Content-Length. */
  readonly chunked?: boolean;
  /** Milliseconds to wait after each piece of a large body, so that the server receives several requests at the same time. Default: 0. */
  readonly pauseMs?: number;
  /** For a body that contains a secret, the text that is recorded: with a placeholder such as `$CLIENT_SECRET` in its place. */
  readonly recorded?: string;
}

/** A header field as received or sent; names in lower case. */
export type Field = readonly [name: string, value: string];

/** One request with its response, as recorded: without secrets, bodies truncated to `recordedBodyBytes`. */
export interface Exchange {
  /** Counts up over the run, from 1. */
  readonly number: number;
  readonly operation: string | undefined;
  readonly request: {
    readonly method: string;
    readonly url: string;
    /** Secrets replaced: `authorization: Bearer $TOKEN`. */
    readonly headers: readonly Field[];
    readonly token?: TokenParts;
    /** Text of the body's beginning. */
    readonly body?: string;
    /** The body in parts, if `body` does not contain every byte of it and it is not a secret. */
    readonly bodyParts?: readonly BodyPart[];
    readonly bodyBytes: number;
    /** True if placeholders replace secrets in `body`. */
    readonly secretBody?: boolean;
    readonly chunked: boolean;
  };
  /** Undefined if no complete response arrived; then `failure` says why. */
  readonly response: ReceivedResponse | undefined;
  readonly failure: Failure | undefined;
  /** True if the request was sent again because the connection was closed: the server may have carried it out before. */
  readonly resent?: boolean;
  /** Milliseconds from the run's start to the request's. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Characters and bytes of a request: its URL, header fields and body. */
export const requestLength = ({ request: { url, headers, bodyBytes } }: Exchange): number =>
  url.length + headers.flat().join('').length + bodyBytes;

/** A part of a body: the bytes, repeated `count` times. */
export interface BodyPart {
  readonly bytes: Buffer;
  readonly count: number;
}

/** Why no complete response arrived. */
export interface Failure {
  readonly kind: 'timeout' | 'refused' | 'closed' | 'too-large' | 'malformed' | 'tls' | 'aborted' | 'unknown';
  /** One line, without secrets. */
  readonly message: string;
}

/** True for a status of success: 2xx (RFC 9110, section 15.3). */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;
