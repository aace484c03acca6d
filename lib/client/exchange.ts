import type { Operation } from '../contract/model.ts';
import type { ReceivedResponse } from './received-response.ts';

/** A request as a requirement states it: sent exactly so, nothing mended, nothing added but what HTTP itself needs. */
export interface Request {
  readonly operation: Operation | undefined;
  readonly method: string;
  /** Path and query as they stand in the request target, already percent-encoded, relative to the base address: `/a?b=c`. */
  readonly target: string;
  /** Full URL in place of base address and target, for endpoints that stand elsewhere (the token endpoint). */
  readonly url?: string;
  /** Header fields in order; a name may stand twice. Without Authorization, Content-Type and Content-Length. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly authorization?: Authorization;
  readonly body?: Body;
}

/** What is known of a token, and recorded in its place. */
export interface TokenParts {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** How a minted token was signed, where it is not by the signing key: `untrusted-key`. */
  readonly signature?: string;
}

/** What goes into the Authorization field. */
export interface Authorization extends TokenParts {
  /** The whole field value: `Bearer eyJ…`. */
  readonly value: string;
  /** False for values that are not secrets (`Bearer garbage`), which are recorded as they are. Default true. */
  readonly secret?: boolean;
}

export interface Body {
  /** Value of Content-Type; undefined sends none. */
  readonly mediaType?: string;
  readonly bytes: Uint8Array;
  /** True sends `Transfer-Encoding: chunked` and no Content-Length. */
  readonly chunked?: boolean;
  /** True for bodies that contain a secret (a client's credentials): recorded as their length, and `recorded`. */
  readonly secret?: boolean;
  /** The text of such a body with placeholders such as `$CLIENT_SECRET` in place of the secrets. */
  readonly recorded?: string;
}

/** A header field as received or sent; names in lower case. */
export type Field = readonly [name: string, value: string];

/** One request with its answer, as recorded: no secrets, bodies cut at `recordedBodyBytes`. */
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
    /** The body in parts, where `body` is not the whole of it, byte for byte, and the body is not a secret. */
    readonly bodyParts?: readonly BodyPart[];
    readonly bodyBytes: number;
    /** True where `body` is not what was sent: placeholders stand for secrets. */
    readonly secretBody?: boolean;
    readonly chunked: boolean;
  };
  /** Undefined where no complete answer came; then `failure` says why. */
  readonly response: ReceivedResponse | undefined;
  readonly failure: Failure | undefined;
  /** Milliseconds from the run's start to the request's. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** A stretch of a body: a text, other bytes in hexadecimal, one byte (0 to 255) many times over, or what was left out. */
export type BodyPart =
  | { readonly text: string }
  | { readonly hex: string }
  | { readonly byte: number; readonly count: number }
  | { readonly omittedBytes: number };

/** Why no complete answer came. */
export interface Failure {
  readonly kind: 'timeout' | 'refused' | 'closed' | 'too-large' | 'malformed' | 'tls' | 'aborted' | 'unknown';
  /** One line, without secrets. */
  readonly message: string;
}
