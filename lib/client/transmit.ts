import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { type Dispatcher, errors } from 'undici';
import { decodeContent } from './content-coding.ts';
import type { Failure, Field } from './exchange.ts';
import { toFailure } from './failure.ts';
import { exceedsValues } from './json-bounds.ts';
import type { WireLimits, WireRequest, WireResult } from './wire.ts';

/** Header fields of a response. */
const maximumFields = 200;

/** Pieces in which a response's body may arrive: each costs far more than its bytes. */
const maximumPieces = 100_000;

/** Bytes of a piece of a request's body that is written piece by piece. */
const pieceBytes = 64 * 1024;

/**
 * Sends the request and reads its response to the end. Never rejects for what the other side does.
 * @throws TypeError for a request that HTTP can't carry: a control character in the path or in a header field
 */
export function transmit(
  dispatcher: Dispatcher,
  request: WireRequest,
  limits: WireLimits,
  signal: AbortSignal,
): Promise<WireResult> {
  return new Promise((resolve, reject) => {
    let abort: ((reason: Error) => void) | undefined;
    let settled = false;
    let stage = 'no connection';
    let status = 0;
    let headers: readonly Field[] = [];
    const body = new GrowingBuffer();
    let pieces = 0;

    const settle = (finish: () => void) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      finish();
    };
    const fail = (kind: Failure['kind'], message: string) => {
      settle(() => resolve({ failure: { kind, message } }));
      abort?.(new Error(message));
    };
    const tooLarge = (what: string) => fail('too-large', `the response has more than ${what}`);
    const stop = () => fail('aborted', 'the request was aborted');
    const timer = setTimeout(() => fail('timeout', `${stage} within ${limits.timeout} ms`), limits.timeout);
    signal.addEventListener('abort', stop);

    const { maximumBodyBytes } = limits;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        abort = (reason) => controller.abort(reason);
        stage = 'no response';
        // The request was given up before the connection was established.
        if (settled) abort(new Error('given up'));
      },
      onResponseStart(controller, code) {
        if (code < 200) return;
        stage = 'the response did not end';
        status = code;
        headers = readFields(controller.rawHeaders);
        if (headers.length > maximumFields) tooLarge(`${maximumFields} header fields`);
        const promised = Number(headers.find(([name]) => name === 'content-length')?.[1]);
        if (request.method !== 'HEAD' && promised > maximumBodyBytes) tooLarge(`${maximumBodyBytes} bytes`);
      },
      onResponseData(_controller, chunk) {
        if (body.length + chunk.length > maximumBodyBytes) return tooLarge(`${maximumBodyBytes} bytes`);
        if (++pieces > maximumPieces) return tooLarge(`${maximumPieces} pieces`);
        body.append(chunk);
      },
      onResponseEnd() {
        settle(() => resolve(complete(status, headers, body.bytes, maximumBodyBytes)));
      },
      onResponseError(_controller, error) {
        const invalid = error instanceof errors.InvalidArgumentError && !error.message.startsWith('Proxy');
        settle(() => {
          if (invalid || error instanceof errors.NotSupportedError)
            return reject(new TypeError(`HTTP can't carry the request: ${error.message}`));
          const failure = toFailure(error);
          resolve({ failure, stale: status === 0 && failure.kind === 'closed' });
        });
      },
    };
    try {
      dispatcher.dispatch(
        {
          method: request.method,
          origin: request.origin,
          path: request.path,
          ...bodyOf(request),
        },
        handler,
      );
    } catch (error) {
      settle(() => resolve({ failure: toFailure(error) }));
    }
  });
}

/** A large body is written piece by piece, so that a connection on which it was refused early is not used again. */
function bodyOf({
  headers: fields,
  body,
  chunked,
}: WireRequest): Pick<Dispatcher.DispatchOptions, 'headers' | 'body'> {
  const headers: Record<string, string | string[]> = {};
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [name = '', value = ''] = fields.slice(index, index + 2);
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  if (body === undefined) return { headers };
  if (body.length <= pieceBytes && !chunked) return { headers, body };
  if (!chunked) headers['content-length'] = String(body.length);
  return { headers, body: Readable.from(pieces(body)) };
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += pieceBytes)
    yield bytes.subarray(start, start + pieceBytes);
}

async function complete(
  status: number,
  headers: readonly Field[],
  coded: Buffer,
  maximumBodyBytes: number,
): Promise<WireResult> {
  const coding = headers.find(([name]) => name === 'content-encoding')?.[1];
  const body = coding === undefined ? coded : await decodeContent(coded, coding, maximumBodyBytes);
  if (!Buffer.isBuffer(body)) return { failure: body };
  // No JSON is worth a hundred times its size in memory.
  const maximumValues = Math.floor(maximumBodyBytes / 32);
  if (exceedsValues(body, maximumValues))
    return {
      failure: { kind: 'too-large', message: `the response's JSON has more than ${maximumValues} values` },
    };
  return { response: { status, headers, body } };
}

/** Bytes that arrive in pieces of any size, kept in one buffer. */
class GrowingBuffer {
  #buffer = Buffer.alloc(0);
  length = 0;

  append(bytes: Uint8Array): void {
    const needed = this.length + bytes.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.length);
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.length);
    this.length = needed;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }
}

function readFields(raw: unknown): Field[] {
  if (!Array.isArray(raw)) return [];
  const fields: Field[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    fields.push([text(raw[index]).toLowerCase(), text(raw[index + 1])]);
  }
  return fields;
}

/** Field values are octets (RFC 9110, section 5.5): read as UTF-8 if valid, otherwise as ISO 8859-1. */
function text(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString(isUtf8(value) ? 'utf8' : 'latin1');
  return String(value);
}
