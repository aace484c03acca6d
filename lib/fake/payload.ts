import type { IncomingMessage } from 'node:http';
import type { Body } from './call.ts';
import { wait } from './real-time.ts';

const nothing = new Uint8Array(0);

/** Longest time for which a refused body is still read, in milliseconds. */
const drainTime = 10_000;

/**
 * Reads the body up to the limit, in bytes. Returns as soon as the body exceeds it, with the rest unread.
 * Undefined if the client disconnects.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  trustsDeclared: boolean,
): Promise<Body | undefined> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared === 0 && request.headers['transfer-encoding'] === undefined)
    return { bytes: nothing, tooLarge: false };
  if (trustsDeclared && declared > limit) return { bytes: nothing, tooLarge: true };
  const chunks: Uint8Array[] = [];
  const end = await readChunks(request, limit, (chunk) => chunks.push(chunk));
  if (end === 'aborted') return undefined;
  return end === 'whole'
    ? { bytes: Buffer.concat(chunks), tooLarge: false }
    : { bytes: nothing, tooLarge: true };
}

/**
 * Reads and discards the rest, so that a client that is still sending is not reset before it has read the response. Ends
 * with the body, after `most` bytes, after `drainTime`, or when the connection closes.
 */
export async function drain(request: IncomingMessage, most: number): Promise<void> {
  await Promise.race([readChunks(request, most, () => {}), wait(drainTime, request)]);
}

/** Reads until more than `most` bytes have arrived; the rest stays unread. */
async function readChunks(
  request: IncomingMessage,
  most: number,
  take: (chunk: Uint8Array) => void,
): Promise<'whole' | 'too-large' | 'aborted'> {
  let length = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length;
      if (length > most) return 'too-large';
      take(chunk);
    }
    return 'whole';
  } catch {
    return 'aborted';
  }
}
