import type { IncomingMessage } from 'node:http';
import type { Body } from './call.ts';
import { startTimer, stopTimer } from './real-time.ts';

const nothing = new Uint8Array(0);

const noBody: Body = { bytes: nothing, tooLarge: false };

/** Longest time for which a refused body is still read, in milliseconds. */
const drainTime = 10_000;

/**
 * Reads the body up to its limit, in bytes. Comes back as soon as the body is known to be over it, with the rest unread.
 * Undefined where the client went away.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  trustsDeclared: boolean,
): Promise<Body | undefined> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared === 0 && request.headers['transfer-encoding'] === undefined) return noBody;
  if (trustsDeclared && declared > limit) return { bytes: nothing, tooLarge: true };
  const chunks: Uint8Array[] = [];
  let length = 0;
  return new Promise((resolve) => {
    const settle = (body: Body | undefined): void => {
      request.off('data', take).off('end', end).off('close', gone);
      resolve(body);
    };
    const take = (chunk: Uint8Array): void => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= limit) return;
      request.pause();
      settle({ bytes: nothing, tooLarge: true });
    };
    const end = (): void => settle({ bytes: Buffer.concat(chunks), tooLarge: false });
    const gone = (): void => settle(undefined);
    request.on('data', take).on('end', end).on('close', gone).on('error', gone);
  });
}

/**
 * Reads on and throws away, so that a client that is still sending is not reset before it has read the answer. Ends with
 * the body, after `most` bytes, after a while, or when the client goes or `closing` aborts.
 */
export function drain(request: IncomingMessage, most: number, closing: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let length = 0;
    const done = (): void => {
      stopTimer(timer);
      closing.removeEventListener('abort', done);
      request.off('data', take).off('end', done).off('close', done);
      resolve();
    };
    const take = (chunk: Uint8Array): void => {
      length += chunk.length;
      if (length > most) done();
    };
    const timer = startTimer(done, drainTime);
    closing.addEventListener('abort', done);
    request.on('data', take).on('end', done).on('close', done).on('error', done);
    request.resume();
  });
}
