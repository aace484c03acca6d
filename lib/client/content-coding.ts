import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Failure } from './exchange.ts';

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
 */
export function decodeContent(
  body: Buffer,
  codings: string | undefined,
  maximumBytes: number,
): Buffer | Failure {
  let decoded = body;
  for (const coding of (codings ?? '').toLowerCase().split(',').slice(0, 3).reverse()) {
    const decode = decoders.get(coding.trim());
    if (decode === undefined || decoded.length === 0) return decoded;
    try {
      decoded = decode(decoded, { maxOutputLength: maximumBytes });
    } catch (error) {
      const isTooLarge = error instanceof RangeError;
      return {
        kind: isTooLarge ? 'too-large' : 'malformed',
        message: isTooLarge
          ? `the response has more than ${maximumBytes} bytes when decoded`
          : `the response's body is not valid ${coding.trim()}`,
      };
    }
  }
  return decoded;
}
