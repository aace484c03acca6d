import { isUtf8 } from 'node:buffer';
import type { Body, BodyPart, Exchange, Field, Request } from './exchange.ts';
import type { Secrets } from './secrets.ts';

/** Bytes of a request's body that a record keeps. */
export const recordedBodyBytes = 16 * 1024;

/** A run of one byte at least this long is recorded as its count. */
const shortestRun = 256;

/** Bytes from one look for a run to the next. */
const runStep = shortestRun / 2;

/** Bytes that are compared at a time within a run. */
const blockBytes = 16 * 1024;

/** The request as it may be shown: every secret replaced, the body cut. */
export function recordRequest(
  request: Request,
  sent: { readonly url: string; readonly headers: readonly Field[] },
  secrets: Secrets,
): Exchange['request'] {
  const { authorization, body } = request;
  return {
    method: request.method,
    url: secrets.scrub(sent.url),
    headers: sent.headers.map(([name, value]): Field => [name.toLowerCase(), secrets.scrub(value)]),
    ...(authorization?.claims === undefined ? {} : { claims: authorization.claims }),
    ...(authorization?.header === undefined ? {} : { tokenHeader: authorization.header }),
    ...(body === undefined || body.secret ? {} : recordBody(body, secrets)),
    bodyBytes: body?.bytes.length ?? 0,
    chunked: body?.chunked ?? false,
  };
}

function recordBody(body: Body, secrets: Secrets): { body: string; bodyParts?: readonly BodyPart[] } {
  const bytes = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.length);
  const text = secrets.scrub(bytes.toString('utf8', 0, endOfCharacter(bytes, recordedBodyBytes)));
  if (bytes.length <= recordedBodyBytes && isUtf8(bytes)) return { body: text };
  return { body: text, bodyParts: splitBody(bytes, secrets) };
}

/** The bytes as parts; together their texts hold at most `recordedBodyBytes`. */
function splitBody(bytes: Buffer, secrets: Secrets): BodyPart[] {
  const parts: BodyPart[] = [];
  let left = recordedBodyBytes;
  let start = 0;
  const keep = (end: number) => {
    if (end === start) return;
    const cut = endOfCharacter(bytes.subarray(0, end), start + left);
    const piece = bytes.subarray(start, cut);
    if (piece.length > 0) {
      parts.push(
        isUtf8(piece) ? { text: secrets.scrub(piece.toString('utf8')) } : { hex: piece.toString('hex') },
      );
    }
    if (cut < end) parts.push({ omittedBytes: end - cut });
    left -= piece.length;
  };
  for (let index = 0; index < bytes.length; ) {
    const run = nextRun(bytes, index);
    if (run === undefined) break;
    keep(run.start);
    parts.push({ byte: run.byte, count: run.end - run.start });
    start = run.end;
    index = run.end;
  }
  keep(bytes.length);
  return parts;
}

/**
 * The first run of one byte that begins at `from` or later and is long enough. Only every so many bytes are looked at: a run
 * holds two of those next to each other.
 */
function nextRun(bytes: Buffer, from: number): { byte: number; start: number; end: number } | undefined {
  for (let probe = from; probe + runStep < bytes.length; probe += runStep) {
    const byte = bytes[probe];
    if (byte === undefined || bytes[probe + runStep] !== byte) continue;
    let start = probe;
    while (start > from && bytes[start - 1] === byte) start--;
    const end = endOfRun(bytes, probe, byte);
    if (end - start >= shortestRun) return { byte, start, end };
  }
  return undefined;
}

/** The first index after `start` at which another byte stands; long runs are compared by blocks. */
function endOfRun(bytes: Buffer, start: number, byte: number): number {
  let end = start + 1;
  while (end < bytes.length && end - start < shortestRun && bytes[end] === byte) end++;
  if (end - start < shortestRun) return end;
  const block = Buffer.alloc(blockBytes, byte);
  while (bytes.subarray(end, end + blockBytes).equals(block)) end += blockBytes;
  while (end < bytes.length && bytes[end] === byte) end++;
  return end;
}

/** The end of the bytes or, if that comes first, the last place up to `limit` where no UTF-8 sequence is cut. */
function endOfCharacter(bytes: Buffer, limit: number): number {
  if (bytes.length <= limit) return bytes.length;
  for (let end = limit; end > limit - 4 && end > 0; end--) {
    if (((bytes[end] ?? 0) & 0xc0) !== 0x80) return end;
  }
  return limit;
}
