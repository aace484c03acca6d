import { decodeJwt } from 'jose/jwt/decode';
import { attempt, type JsonObject } from '../contract/json.ts';
import type { Body, Call, WireResponse } from './call.ts';
import { realNow, startTimer, stopTimer } from './real-time.ts';

/** A request that the fake has answered, with its response. Secrets are replaced by `[redacted]`. */
export interface RecordedRequest {
  /** The time of the response by the fake's clock (RFC 3339). */
  readonly time: string;
  /** The time of the response by the real clock (RFC 3339). */
  readonly realTime: string;
  /** Operation id; `token` for the token endpoint; undefined if no operation matches. */
  readonly operation: string | undefined;
  readonly method: string;
  /** The request target as received. */
  readonly target: string;
  /** A bearer token is shown by its claims: `Bearer {"iss":…}`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Claims of the bearer token, valid or not; undefined without a JWT. */
  readonly claims: JsonObject | undefined;
  readonly body: string;
  /** True if `body` is only the first 64 KiB. */
  readonly bodyTruncated: boolean;
  readonly status: number;
  readonly response: RecordedResponse;
}

/** The response to a recorded request. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bodyTruncated: boolean;
}

const recordedRequests = 1000;
const recordedBytes = 64 * 1024;

/** The most recent requests of one fake. Each is decoded and redacted lazily; most are never read. */
export class RequestLog {
  #readers: (() => RecordedRequest)[] = [];
  readonly #waiting = new Set<() => void>();

  /** `json` is the value of the response's body: it takes less memory than the text. */
  add(
    { endpoint, method, target, headers, now }: Call,
    { bytes }: Body,
    { status, headers: sent }: WireResponse,
    json: unknown,
  ): void {
    // A copy: a slice would keep the whole body in memory.
    const kept = new Uint8Array(bytes.subarray(0, recordedBytes));
    const bodyTruncated = bytes.length > recordedBytes;
    const realTime = realNow();
    this.#readers.push(() => {
      const token = headers.authorization?.replace(/^bearer +/i, '') ?? '';
      const claims = attempt(() => decodeJwt(token));
      const shown = (text: string): string => (endpoint === 'token' ? redact(text) : text);
      const text = json === undefined ? '' : JSON.stringify(json);
      return {
        time: new Date(now).toISOString(),
        realTime: new Date(realTime).toISOString(),
        operation: endpoint,
        method,
        target: redact(target),
        headers: shownHeaders(headers, claims),
        claims,
        body: shown(Buffer.from(kept).toString()),
        bodyTruncated,
        status,
        response: {
          status,
          headers: Object.fromEntries(sent.map(([name, value]) => [name.toLowerCase(), value])),
          body: shown(text).slice(0, recordedBytes),
          bodyTruncated: text.length > recordedBytes,
        },
      };
    });
    if (this.#readers.length > recordedRequests) this.#readers.shift();
    for (const settle of this.#waiting) settle();
  }

  /** Oldest first. */
  list(): RecordedRequest[] {
    return this.#readers.map((read) => read());
  }

  clear(): void {
    this.#readers = [];
  }

  /** The first request, recorded or still to come, for which the predicate is true. Rejects after `timeout` milliseconds. */
  find(predicate: (request: RecordedRequest) => boolean, timeout: number): Promise<RecordedRequest> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        stopTimer(timer);
        this.#waiting.delete(settle);
      };
      const settle = (readers = this.#readers.slice(-1)): void => {
        try {
          const found = readers.map((read) => read()).find(predicate);
          if (found === undefined) return;
          resolve(found);
        } catch (error) {
          reject(error);
        }
        end();
      };
      const timer = startTimer(() => {
        end();
        reject(new Error(`waitForRequest(): no such request within ${timeout} ms`));
      }, timeout);
      this.#waiting.add(settle);
      settle(this.#readers);
    });
  }
}

const redacted = '[redacted]';

function shownHeaders(headers: Call['headers'], claims: JsonObject | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]): [string, string][] => {
      if (value === undefined) return [];
      if (name === 'cookie') return [[name, redacted]];
      if (name !== 'authorization') return [[name, value.toString()]];
      const [scheme] = value.toString().split(' ');
      return [[name, `${scheme} ${claims === undefined ? redacted : JSON.stringify(claims)}`]];
    }),
  );
}

/** Replaces the values of secrets in a form, a query or JSON. */
function redact(text: string): string {
  return text
    .replace(/((?:^|[&?])(?:client_secret|client_assertion|access_token)=)[^&]*/g, `$1${redacted}`)
    .replace(
      /("(?:client_secret|client_assertion|access_token)"\s*:\s*)"(?:[^"\\]|\\.)*"?/g,
      `$1"${redacted}"`,
    );
}
