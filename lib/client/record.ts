import { isUtf8 } from 'node:buffer';
import type { Body, BodyPart, Exchange, Field, Request } from './exchange.ts';

/** Bytes of a request's body that a record keeps. */
const recordedBodyBytes = 16 * 1024;

/** A run of one byte at least this long is recorded as its count. */
const shortestRun = 256;

/** The request as it is recorded: its credentials replaced by placeholders, the body truncated. */
export function recordRequest(request: Request, url: string, headers: readonly Field[]): Exchange['request'] {
  const { authorization, body } = request;
  const { value: _, secret: __, ...token } = { value: '', ...authorization };
  return {
    method: request.method,
    url,
    headers: headers.map(([name, value]): Field => [name.toLowerCase(), value]),
    ...(Object.keys(token).length > 0 && { token }),
    ...(body === undefined ? {} : body.secret ? recordedOnly(body) : recordBody(body)),
    bodyBytes: body?.bytes.length ?? 0,
    chunked: body?.chunked ?? false,
  };
}

function recordedOnly({ recorded }: Body): { body?: string; secretBody?: boolean } {
  return recorded === undefined ? {} : { body: recorded, secretBody: true };
}

function recordBody(body: Body): { body: string; bodyParts?: readonly BodyPart[] } {
  const bytes = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.length);
  const text = bytes.toString('utf8', 0, endOfCharacter(bytes, recordedBodyBytes));
  if (bytes.length <= recordedBodyBytes && isUtf8(bytes)) return { body: text };
  return { body: text, bodyParts: splitBody(bytes) };
}

/** The bytes as parts; together their texts have at most `recordedBodyBytes`. */
function splitBody(bytes: Buffer): BodyPart[] {
  const parts: BodyPart[] = [];
  let left = recordedBodyBytes;
  const keep = (start: number, end: number) => {
    const cut = endOfCharacter(bytes.subarray(0, end), start + left);
    const piece = bytes.subarray(start, cut);
    if (piece.length > 0)
      parts.push(isUtf8(piece) ? { text: piece.toString('utf8') } : { hex: piece.toString('hex') });
    if (cut < end) parts.push({ omittedBytes: end - cut });
    left -= piece.length;
  };
  let start = 0;
  for (const run of runsOf(bytes)) {
    keep(start, run.start);
    parts.push({ byte: bytes[run.start] ?? 0, count: run.end - run.start });
    start = run.end;
  }
  keep(start, bytes.length);
  return parts;
}

/** The runs of one byte that are at least `shortestRun` long. */
function* runsOf(bytes: Buffer): Generator<{ readonly start: number; readonly end: number }> {
  // Every such run contains two bytes at this distance, so most bytes of other texts are not read.
  const step = shortestRun / 2;
  let last = 0;
  for (let at = step; at < bytes.length; at += step) {
    const byte = bytes[at];
    if (bytes[at - step] !== byte) continue;
    let [start, end] = [at - step, at - step];
    while (start > last && bytes[start - 1] === byte) start--;
    while (end < bytes.length && bytes[end] === byte) end++;
    if (end - start < shortestRun) continue;
    yield { start, end };
    last = at = end;
  }
}

/** The end of the bytes or, if it comes first, the last position up to `limit` that does not split a UTF-8 sequence. */
function endOfCharacter(bytes: Buffer, limit: number): number {
  if (bytes.length <= limit) return bytes.length;
  for (let end = limit; end > limit - 4 && end > 0; end--) {
    if (((bytes[end] ?? 0) & 0xc0) !== 0x80) return end;
  }
  return limit;
}
