import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { errors } from 'undici';
import type { Connection } from './connections.ts';
import type { Failure, Field } from './exchange.ts';
import { toFailure } from './failure.ts';

/** A request as it goes onto the wire. Texts hold one character a byte, so that nothing is encoded again on the way. */
export interface Outgoing {
  readonly method: string;
  /** Scheme and authority: `https://tenant.example`. */
  readonly origin: string;
  /** The request target: path and query. */
  readonly path: string;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  readonly body?: Uint8Array;
  readonly chunked: boolean;
}

/** What one attempt came to. */
export type Outcome =
  | { readonly answer: Answer; readonly failure?: undefined }
  | {
      readonly answer?: undefined;
      readonly failure: Failure;
      /** True where a connection kept alive was closed before it brought a byte of this answer. */
      readonly stale: boolean;
      /** True where the connection can't be used again. */
      readonly stuck: boolean;
    };

export interface Answer {
  readonly status: number;
  readonly headers: readonly Field[];
  readonly body: Buffer;
  /** The body's value, where a server of this process did not write it. */
  readonly json?: unknown;
}

export interface TransmitLimits {
  /** Milliseconds for the whole exchange. */
  readonly timeout: number;
  /** Bytes of the answer's body. */
  readonly maximumBodyBytes: number;
}

/** Bytes of one chunk of a chunked body. */
const chunkBytes = 64 * 1024;

/**
 * Sends the request and reads its answer to the end. Never rejects for what the other side does.
 * @throws TypeError for what HTTP can't carry: a control character in the path or in a header field.
 */
export function transmit(
  connection: Connection,
  outgoing: Outgoing,
  limits: TransmitLimits,
  signal: AbortSignal,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let abort: ((reason: Error) => void) | undefined;
    let settled = false;
    let reused = false;
    let answered = false;
    let status = 0;
    let headers: readonly Field[] = [];
    const chunks: Buffer[] = [];
    let bytes = 0;

    const settle = (outcome: Outcome) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve(outcome);
    };
    const giveUp = (failure: Failure) => {
      settle({ failure, stale: false, stuck: abort === undefined });
      abort?.(new Error(failure.message));
    };
    const stop = () => giveUp({ kind: 'aborted', message: 'the request was aborted' });
    signal.addEventListener('abort', stop);
    const tooLarge: Failure = {
      kind: 'too-large',
      message: `the answer's body exceeds ${limits.maximumBodyBytes} bytes`,
    };
    const timer = setTimeout(() => {
      const stage = abort === undefined ? 'no connection' : answered ? 'the answer did not end' : 'no answer';
      giveUp({ kind: 'timeout', message: `${stage} within ${limits.timeout} ms` });
    }, limits.timeout);

    const body =
      outgoing.body !== undefined && outgoing.chunked ? inChunks(outgoing.body) : (outgoing.body ?? null);
    try {
      connection.client.dispatch(
        {
          method: outgoing.method,
          path: connection.proxyFields === undefined ? outgoing.path : outgoing.origin + outgoing.path,
          headers: [...(connection.proxyFields ?? []), ...outgoing.headers],
          body,
        },
        {
          onRequestStart(controller) {
            abort = (reason) => controller.abort(reason);
            reused = connection.answers > 0;
            // Too late: the time was up while the connection was still being made.
            if (settled) abort(new Error('given up'));
          },
          onResponseStart(controller, code) {
            if (code < 200) return;
            answered = true;
            connection.answers++;
            status = code;
            headers = readFields(controller.rawHeaders);
            const promised = Number(headers.find(([name]) => name === 'content-length')?.[1]);
            if (outgoing.method !== 'HEAD' && promised > limits.maximumBodyBytes) giveUp(tooLarge);
          },
          onResponseData(_controller, chunk) {
            bytes += chunk.length;
            if (bytes <= limits.maximumBodyBytes) chunks.push(chunk);
            else
              giveUp({
                kind: 'too-large',
                message: `the answer's body exceeds ${limits.maximumBodyBytes} bytes`,
              });
          },
          onResponseEnd() {
            settle({ answer: { status, headers, body: Buffer.concat(chunks) } });
          },
          onResponseError(_controller, error) {
            if (error instanceof errors.InvalidArgumentError || error instanceof errors.NotSupportedError) {
              clearTimeout(timer);
              signal.removeEventListener('abort', stop);
              return reject(new TypeError(`HTTP can't carry the request: ${error.message}`));
            }
            const failure = toFailure(error);
            settle({ failure, stale: reused && !answered && failure.kind === 'closed', stuck: false });
          },
        },
      );
    } catch (error) {
      settle({ failure: toFailure(error), stale: false, stuck: true });
    }
  });
}

function inChunks(bytes: Uint8Array): Readable {
  function* pieces() {
    for (let start = 0; start < bytes.length; start += chunkBytes)
      yield bytes.subarray(start, start + chunkBytes);
  }
  return Readable.from(pieces());
}

function readFields(raw: unknown): Field[] {
  if (!Array.isArray(raw)) return [];
  const fields: Field[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    fields.push([text(raw[index]).toLowerCase(), text(raw[index + 1])]);
  }
  return fields;
}

/** Field values are octets (RFC 9110, section 5.5): UTF-8 where they are, ISO 8859-1 otherwise. */
function text(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString(isUtf8(value) ? 'utf8' : 'latin1');
  return String(value);
}
