import { decodeJwt } from 'jose/jwt/decode';
import type { JsonObject } from '../contract/json.ts';
import type { Body, Call, WireResponse } from './call.ts';
import { realNow, startTimer, stopTimer } from './real-time.ts';

/** A request that the fake has answered, with its response. Secrets are replaced by `[redacted]`. */
export interface RecordedRequest {
  /** When it was answered by the fake's clock, RFC 3339. */
  readonly time: string;
  /** When it was answered by the real clock, RFC 3339. */
  readonly realTime: string;
  /** Operation id; `token` for the token endpoint; undefined for what no operation serves. */
  readonly operation: string | undefined;
  readonly method: string;
  /** The request target as received. */
  readonly target: string;
  /** A bearer token is shown by its claims: `Bearer {"iss":…}`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Claims of the bearer token, valid or not; undefined without a JWT. */
  readonly claims: JsonObject | undefined;
  readonly body: string;
  /** True where `body` holds only the first 64 KiB. */
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

/** The most recent requests of one fake. */
export interface RequestLog {
  /** `written` is what the response's body is written from: it takes less memory than the text. */
  add(call: Call, body: Body, response: WireResponse, written: unknown): void;
  /** Oldest first. */
  list(): RecordedRequest[];
  clear(): void;
  /** The first request, recorded or still to come, for which this is true. Rejects after `timeout` milliseconds. */
  find(predicate: (request: RecordedRequest) => boolean, timeout: number): Promise<RecordedRequest>;
}

const recordedRequests = 1000;
const recordedBytes = 64 * 1024;

/** What is kept of a request; it is decoded and redacted when somebody looks. */
interface Kept {
  readonly call: Pick<Call, 'endpoint' | 'method' | 'target' | 'headers' | 'now'>;
  readonly realTime: number;
  readonly body: Uint8Array;
  readonly bodyTruncated: boolean;
  readonly response: Pick<WireResponse, 'status' | 'headers'>;
  readonly written: unknown;
}

/** A request log of its own. */
export function createRequestLog(): RequestLog {
  let kept: Kept[] = [];
  const waiting = new Set<(request: Kept) => void>();
  const list = () => kept.map(recorded);
  return {
    add({ endpoint, method, target, headers, now }, { bytes }, { status, headers: sent }, written) {
      const request = {
        call: { endpoint, method, target, headers, now },
        realTime: realNow(),
        body: bytes.length > recordedBytes ? bytes.slice(0, recordedBytes) : bytes,
        bodyTruncated: bytes.length > recordedBytes,
        response: { status, headers: sent },
        written,
      };
      kept.push(request);
      if (kept.length > recordedRequests) kept.shift();
      for (const look of waiting) look(request);
    },
    list,
    clear() {
      kept = [];
    },
    async find(predicate, timeout) {
      const known = list().find(predicate);
      if (known) return known;
      return new Promise((resolve, reject) => {
        const look = (request: Kept): void => {
          const shown = recorded(request);
          if (!predicate(shown)) return;
          stopTimer(timer);
          waiting.delete(look);
          resolve(shown);
        };
        const timer = startTimer(() => {
          waiting.delete(look);
          reject(new Error(`waitForRequest(): no such request within ${timeout} ms`));
        }, timeout);
        waiting.add(look);
      });
    },
  };
}

function recorded({ call, realTime, body, bodyTruncated, response, written }: Kept): RecordedRequest {
  const { endpoint, method, headers, now } = call;
  const claims = claimsOf(headers.authorization ?? '');
  const shown = (text: string): string => (endpoint === 'token' ? redact(text) : text);
  const text = written === undefined ? '' : JSON.stringify(written);
  return {
    time: new Date(now).toISOString(),
    realTime: new Date(realTime).toISOString(),
    operation: endpoint,
    method,
    target: redact(call.target),
    headers: shownHeaders(headers, claims),
    claims,
    body: shown(Buffer.from(body).toString()),
    bodyTruncated,
    status: response.status,
    response: {
      status: response.status,
      headers: Object.fromEntries(response.headers.map(([name, value]) => [name.toLowerCase(), value])),
      body: shown(text).slice(0, recordedBytes),
      bodyTruncated: text.length > recordedBytes,
    },
  };
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

/** A form, a query or JSON without the values of its secrets. */
function redact(text: string): string {
  return text
    .replace(/((?:^|[&?])(?:client_secret|client_assertion|access_token)=)[^&]*/g, `$1${redacted}`)
    .replace(
      /("(?:client_secret|client_assertion|access_token)"\s*:\s*)"(?:[^"\\]|\\.)*"?/g,
      `$1"${redacted}"`,
    );
}

function claimsOf(authorization: string): JsonObject | undefined {
  try {
    return decodeJwt(authorization.replace(/^bearer +/i, ''));
  } catch {
    return undefined;
  }
}
