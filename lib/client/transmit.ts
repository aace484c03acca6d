import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { type Dispatcher, errors } from 'undici';
import type { Failure, Field } from './exchange.ts';
import { toFailure } from './failure.ts';
import { exceedsValues } from './json-bounds.ts';
import { ReceivedResponse } from './received-response.ts';
import type { WireLimits, WireRequest, WireResult } from './wire.ts';

/** Header fields of a response. */
const maximumFields = 200;

/** Bytes of a body for each JSON value that it may have: a parsed value takes a multiple of its text. */
const bytesPerValue = 32;

/** Bytes of a piece of a request's body that is written piece by piece. */
const pieceBytes = 64 * 1024;

/** Pieces of a response's body that are kept before they are joined. */
const maximumChunks = 4096;

/** Ends an exchange with this failure. */
class ExchangeError extends Error {
  readonly failure: Failure;

  constructor(kind: Failure['kind'], message: string) {
    super(message);
    this.failure = { kind, message };
  }
}

const tooLarge = (what: string) => new ExchangeError('too-large', `the response has more than ${what}`);

/**
 * Sends the request and reads its response to the end. Never rejects for what the other side does.
 * @throws TypeError for a request that HTTP can't carry: a control character in the path or in a header field
 */
export async function transmit(
  dispatcher: Dispatcher,
  request: WireRequest,
  { timeout, maximumBodyBytes, signal }: WireLimits,
): Promise<WireResult> {
  const ending = new AbortController();
  let hasStarted = false;
  const stop = () => ending.abort(new ExchangeError('aborted', 'the request was aborted'));
  signal.addEventListener('abort', stop);
  const timer = setTimeout(() => {
    const stage = hasStarted ? 'the response did not end' : 'no response';
    ending.abort(new ExchangeError('timeout', `${stage} within ${timeout} ms`));
  }, timeout);
  const exchange = async () => {
    const { method, origin, path } = request;
    const response = await dispatcher.request({
      method,
      origin,
      path,
      ...headersAndBody(request),
      signal: ending.signal,
      responseHeaders: 'raw',
    });
    hasStarted = true;
    return readResponse(request, response, maximumBodyBytes);
  };
  try {
    // While a connection is being established, undici does not look at the signal.
    const ended = new Promise<never>((_, reject) => {
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason));
    });
    return { response: await Promise.race([exchange(), ended]) };
  } catch (error) {
    if (error instanceof ExchangeError) return { failure: error.failure };
    const failure = toFailure(error);
    const isInvalid =
      error instanceof errors.InvalidArgumentError || error instanceof errors.NotSupportedError;
    if (isInvalid && failure.kind !== 'refused')
      throw new TypeError(`HTTP can't carry the request: ${failure.message}`);
    return { failure, stale: !hasStarted && failure.kind === 'closed' };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Reads the response to the end. Throws ExchangeError for one that exceeds a bound, and errors of the connection. */
async function readResponse(
  { method }: WireRequest,
  { statusCode: status, headers: raw, body: stream }: Dispatcher.ResponseData,
  maximumBytes: number,
): Promise<ReceivedResponse> {
  // It also ends with an error if it is not read.
  stream.on('error', () => {});
  const headers = readFields(raw);
  try {
    if (headers.length > maximumFields) throw tooLarge(`${maximumFields} header fields`);
    const field = (wanted: string) => headers.find(([name]) => name === wanted)?.[1];
    if (method !== 'HEAD' && Number(field('content-length')) > maximumBytes)
      throw tooLarge(`${maximumBytes} bytes`);
    let chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > maximumBytes) throw tooLarge(`${maximumBytes} bytes`);
      chunks.push(chunk);
      // A body in pieces of one byte would take a hundred times its size.
      if (chunks.length === maximumChunks) chunks = [Buffer.concat(chunks)];
    }
    const body = decodeContent(Buffer.concat(chunks), field('content-encoding'), maximumBytes);
    const maximumValues = Math.floor(maximumBytes / bytesPerValue);
    if (exceedsValues(body, maximumValues)) throw tooLarge(`${maximumValues} JSON values`);
    return new ReceivedResponse({ status, headers, body });
  } finally {
    stream.destroy();
  }
}

/** A large body is written piece by piece, so that a connection on which it was refused early is not used again. */
function headersAndBody({
  headers: fields,
  body,
  chunked,
  pauseMs = 0,
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
  return { headers, body: Readable.from(pausing(pieces(body), pauseMs)) };
}

/** The first piece ends within a character of several bytes or a percent-encoded octet: a server must join them before it decodes them. */
function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  const isWithin = (byte: number, index: number) => (byte & 0xc0) === 0x80 || bytes[index - 1] === 0x25;
  const first = Math.max(1, bytes.findIndex(isWithin));
  yield bytes.subarray(0, first);
  for (let start = first; start < bytes.length; start += pieceBytes)
    yield bytes.subarray(start, start + pieceBytes);
}

async function* pausing(parts: Iterable<Uint8Array>, pauseMs: number): AsyncGenerator<Uint8Array> {
  for (const piece of parts) {
    yield piece;
    if (pauseMs > 0) await wait(pauseMs);
  }
}

function readFields(raw: unknown): Field[] {
  if (!Array.isArray(raw)) return [];
  const fields: Field[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2)
    fields.push([String(raw[index]).toLowerCase(), fieldText(String(raw[index + 1]))]);
  return fields;
}

/** Field values are octets (RFC 9110, section 5.5): read as UTF-8 if valid, otherwise as ISO 8859-1. */
function fieldText(octets: string): string {
  const bytes = Buffer.from(octets, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : octets;
}

/** They block, so that one body at a time is decoded: many at once would fill the memory. */
const decoders = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/**
 * Removes the content codings of a body (RFC 9110, section 8.4.1); an unknown coding leaves the body as it is.
 * @param codings the value of Content-Encoding, if any
 * @param maximumBytes bound of the decoded body, so that a small response can't fill the memory
 * @throws ExchangeError for a body that is larger, or not of its coding
 */
function decodeContent(body: Buffer, codings: string | undefined, maximumBytes: number): Buffer {
  let decoded = body;
  for (const coding of (codings ?? '').toLowerCase().split(',').slice(0, 3).reverse()) {
    const decode = decoders.get(coding.trim());
    if (decode === undefined || decoded.length === 0) return decoded;
    try {
      decoded = decode(decoded, { maxOutputLength: maximumBytes });
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(`${maximumBytes} bytes when decoded`);
      throw new ExchangeError('malformed', `the response's body is not valid ${coding.trim()}`);
    }
  }
  return decoded;
}
