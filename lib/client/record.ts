import { isUtf8 } from 'node:buffer';
import type { Body, BodyPart, Exchange, Field, Request } from './exchange.ts';

/** Bytes of a request's body that a record keeps. */
const recordedBodyBytes = 16 * 1024;

/** A run of one byte at least this long is recorded as its count. */
const shortestRun = 256;

/** The request as it is recorded: its credentials replaced by placeholders, the body truncated. */
export function recordRequest(request: Request, url: string, headers: readonly Field[]): Exchange['request'] {
  const { authorization, body } = request;
  const { value: _, secret: __, field: ___, ...token } = { value: '', ...authorization };
  return {
    method: request.method,
    url,
    headers: headers.map(([name, value]): Field => [name.toLowerCase(), value]),
    ...(Object.keys(token).length > 0 && { token }),
    ...(body && recordBody(body)),
    bodyBytes: body?.bytes.length ?? 0,
    chunked: body?.chunked ?? false,
  };
}

function recordBody(body: Body): Pick<Exchange['request'], 'body' | 'bodyParts' | 'secretBody'> {
  if (body.recorded !== undefined) return { body: body.recorded, secretBody: true };
  const bytes = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.length);
  const text = bytes.toString('utf8', 0, recordedBodyBytes);
  if (bytes.length <= recordedBodyBytes && isUtf8(bytes)) return { body: text };
  return { body: text, bodyParts: splitBody(bytes) };
}

/** The bytes as runs of one byte and the pieces between them; of these, `recordedBodyBytes` are kept, the rest becomes zeros. */
function splitBody(bytes: Buffer): BodyPart[] {
  const parts: BodyPart[] = [];
  let left = recordedBodyBytes;
  /** Copies, because a part would keep all of the body alive. */
  const add = (part: Buffer, count = 1) => parts.push({ bytes: Buffer.from(part), count });
  const addPiece = (piece: Buffer) => {
    const end = Math.min(left, piece.length);
    if (end > 0) add(piece.subarray(0, end));
    if (end < piece.length) add(Buffer.alloc(1), piece.length - end);
    left -= end;
  };
  let pieceStart = 0;
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    const byte = bytes[start];
    while (bytes[end] === byte) end++;
    if (end - start < shortestRun) continue;
    addPiece(bytes.subarray(pieceStart, start));
    add(bytes.subarray(start, start + 1), end - start);
    pieceStart = end;
  }
  addPiece(bytes.subarray(pieceStart));
  return parts;
}
