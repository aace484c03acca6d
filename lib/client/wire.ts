import type { Exchange, Field } from './exchange.ts';

/** A request as it is written to the connection. Texts have one character per byte, so that nothing is encoded again. */
export interface WireRequest {
  readonly method: string;
  /** Scheme and authority: `https://tenant.example`. */
  readonly origin: string;
  /** The request target: path and query. */
  readonly path: string;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  readonly body?: Uint8Array;
  readonly chunked: boolean;
  /** Milliseconds to wait after each piece of the body. Default: 0. */
  readonly pauseMs?: number;
}

/** A complete response. */
export interface WireResponse {
  readonly status: number;
  readonly headers: readonly Field[];
  /** Without its content coding. */
  readonly body: Buffer;
}

/** The result of sending a request once. */
export interface WireResult extends Partial<Pick<Exchange, 'response' | 'failure'>> {
  /** True when a kept-alive connection may have been closed before the server read the request. */
  readonly stale?: boolean;
  /** True if the request was sent again: the server may have carried it out before. */
  readonly resent?: boolean;
}

/** The bounds of one exchange. */
export interface WireLimits {
  /** Milliseconds for the whole exchange. */
  readonly timeout: number;
  /** Bytes of the response's body, before and after its content coding is removed. */
  readonly maximumBodyBytes: number;
  /** Ends the exchange when it is aborted. */
  readonly signal: AbortSignal;
}
