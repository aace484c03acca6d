import { isUtf8 } from 'node:buffer';
import type { Body, BodyPart, Exchange, Field, Request } from './exchange.ts';

/** Bytes of a request's body that a record keeps. */
const recordedBodyBytes = 16 * 1024;

/** A run of one byte at least this long is recorded as its count. */
const shortestRun = 256;

/** The request as it is recorded: its credentials replaced by placeholders, the body truncated. */
export function recordRequest(request: Request, url: string, headers: readonly Field[]): Exchange['request'] {
  const { authorization, body } = request;
  const record = {
    method: request.method,
    url,
    headers: headers.map(([name, value]): Field => [name.toLowerCase(), value]),
    ...(authorization?.claims === undefined ? {} : { claims: authorization.claims }),
    ...(authorization?.header === undefined ? {} : { tokenHeader: authorization.header }),
    ...(authorization?.signature === undefined ? {} : { signature: authorization.signature }),
    ...(body === undefined ? {} : body.secret ? recordedOnly(body) : recordBody(body)),
    bodyBytes: body?.bytes.length ?? 0,
    chunked: body?.chunked ?? false,
  };
  const bytes = body?.bytes ?? new Uint8Array(0);
  if (body?.secret || isShort(bytes)) return record;
  // Split for those few that are shown: to look through megabytes takes longer than to send them.
  let parts: readonly BodyPart[] | undefined;
  return Object.defineProperty(record, 'bodyParts', {
    enumerable: true,
    get: () => (parts ??= splitBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))),
  });
}

/** True for a body that is recorded as one text. */
function isShort(bytes: Uint8Array): boolean {
  return bytes.length <= recordedBodyBytes && isUtf8(bytes);
}

function recordedOnly({ recorded }: Body): { body?: string; secretBody?: boolean } {
  return recorded === undefined ? {} : { body: recorded, secretBody: true };
}

function recordBody(body: Body): { body: string } {
  const bytes = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.length);
  return { body: bytes.toString('utf8', 0, endOfCharacter(bytes, recordedBodyBytes)) };
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
  for (let from = 0, end = 0; from < bytes.length; from = end) {
    const byte = bytes[from] ?? 0;
    end = bytes[from + shortestRun - 1] === byte ? endOfRun(bytes, from) : from + 1;
    if (end - from < shortestRun) continue;
    keep(start, from);
    parts.push({ byte, count: end - from });
    start = end;
  }
  keep(start, bytes.length);
  return parts;
}

/** Where the run of one byte that begins here ends. Compares ever longer pieces: a body may be padded with a megabyte. */
function endOfRun(bytes: Buffer, from: number): number {
  let end = from + 1;
  for (let size = 1; ; ) {
    const isRun =
      end + size <= bytes.length && bytes.compare(bytes, from, from + size, end, end + size) === 0;
    if (isRun) end += size;
    else if (size === 1) return end;
    size = isRun ? Math.min(2 * size, end - from) : size >> 1;
  }
}

/** The end of the bytes or, if that comes first, the last place up to `limit` where no UTF-8 sequence is cut. */
function endOfCharacter(bytes: Buffer, limit: number): number {
  if (bytes.length <= limit) return bytes.length;
  for (let end = limit; end > limit - 4 && end > 0; end--) {
    if (((bytes[end] ?? 0) & 0xc0) !== 0x80) return end;
  }
  return limit;
}
