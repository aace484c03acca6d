import { parseJson } from '../contract/json.ts';

/** Deeper JSON is not parsed: code that walks it recursively would run out of stack. */
const maximumDepth = 100;

/** True if JSON of these bytes would have more than `maximum` values. Only the bytes are read; strings are skipped. */
export function exceedsValues(bytes: Uint8Array, maximum: number): boolean {
  // Each value takes two bytes with its comma.
  return bytes.length > 2 * maximum && measure(bytes).values > maximum;
}

/** The bytes as JSON (RFC 8259; a byte order mark is ignored, as section 8.1 permits); undefined if invalid or nested too deeply. */
export function parseBoundedJson(bytes: Uint8Array): unknown {
  if (bytes.length > maximumDepth && measure(bytes).depth > maximumDepth) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  return parseJson(text.startsWith('\uFEFF') ? text.slice(1) : text);
}

/** How deep JSON is nested, and how many values it has, give or take the empty arrays and objects. */
function measure(bytes: Uint8Array): { depth: number; values: number } {
  let level = 0;
  let depth = 0;
  let values = 0;
  let isString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (isString) {
      if (byte === 0x5c) index++;
      else if (byte === 0x22) isString = false;
    } else if (byte === 0x22) isString = true;
    else if (byte === 0x2c) values++;
    else if (byte === 0x5b || byte === 0x7b) {
      values++;
      depth = Math.max(depth, ++level);
    } else if (byte === 0x5d || byte === 0x7d) level--;
  }
  return { depth, values };
}
