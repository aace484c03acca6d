import { essenceOf } from '../contract/media-types.ts';
import type { Field } from './exchange.ts';
import { parseBoundedJson } from './json-bounds.ts';
import type { WireResponse } from './wire.ts';

/** Bytes of a body up to which it is kept as evidence: more than any report shows. */
const evidenceBytes = 16 * 1024;

/** A response as it was received. What is shown of it may contain secrets until the report is scrubbed. */
export class ReceivedResponse {
  readonly status: number;
  readonly headers: readonly Field[];
  /** Bytes of the body as it was received. */
  readonly bodyBytes: number;
  readonly #body: Buffer;
  #json: WeakRef<object> | undefined;

  constructor({ status, headers, body }: WireResponse, bodyBytes: number = body.length) {
    this.status = status;
    this.headers = headers;
    this.bodyBytes = bodyBytes;
    this.#body = body;
  }

  /** The first value of this field, or undefined. */
  header(name: string): string | undefined {
    const wanted = name.toLowerCase();
    return this.headers.find(([each]) => each === wanted)?.[1];
  }

  /** Lower case, without parameters: `application/json`; undefined if none is declared. */
  get mediaType(): string | undefined {
    return essenceOf(this.header('content-type') ?? '') || undefined;
  }

  /** The body as text (invalid UTF-8 shows as U+FFFD). Made on demand, so that a large body is not kept twice. */
  get text(): string {
    return this.#body.toString('utf8');
  }

  /**
   * The body as JSON; undefined if it is not JSON. A getter of the class, so that no serializer writes it: it may contain a token
   * that the response issues. Parsed again once the value was garbage-collected: it takes up to thirty times the memory of its text.
   */
  get json(): unknown {
    const kept = this.#json?.deref();
    if (kept !== undefined) return kept;
    const value = parseBoundedJson(this.#body);
    if (typeof value === 'object' && value !== null) this.#json = new WeakRef(value);
    return value;
  }

  /** The response to keep in the report: only the beginning of a large body, to limit memory. */
  truncated(): ReceivedResponse {
    if (this.#body.length <= evidenceBytes) return this;
    // A copy: a part would keep all of the body alive.
    const body = Buffer.from(this.#body.subarray(0, evidenceBytes));
    return new ReceivedResponse({ status: this.status, headers: this.headers, body }, this.bodyBytes);
  }
}
