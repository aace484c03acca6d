import { isUtf8 } from 'node:buffer';
import type { Field, Response } from './exchange.ts';
import { parseJson } from './json-bounds.ts';
import type { WireResponse } from './wire.ts';

/** A response as it was received. What is shown of it may contain secrets until the report is scrubbed. */
export class ReceivedResponse implements Response {
  readonly status: number;
  readonly mediaType: string | undefined;
  readonly bodyBytes: number;
  readonly utf8: boolean;
  readonly headers: readonly Field[];
  readonly #body: Buffer;
  #json: WeakRef<object> | undefined;

  constructor({ status, headers, body }: WireResponse) {
    this.status = status;
    this.headers = headers;
    this.mediaType = this.header('content-type')?.split(';')[0]?.trim().toLowerCase() || undefined;
    this.bodyBytes = body.length;
    this.utf8 = isUtf8(body);
    this.#body = body;
  }

  header(name: string): string | undefined {
    const wanted = name.toLowerCase();
    return this.headers.find(([each]) => each === wanted)?.[1];
  }

  /** Made on demand, so that a large body is not kept twice. */
  get text(): string {
    return this.#body.toString('utf8');
  }

  /** The beginning of the text, of at most so many characters. */
  excerpt(characters: number): string {
    return this.#body.toString('utf8', 0, 4 * characters).slice(0, characters);
  }

  /**
   * A getter of the class, so that no serializer writes it: it may contain a token that the response issues. Parsed again once
   * the value was garbage-collected: it takes up to thirty times the memory of its text.
   */
  get json(): unknown {
    const kept = this.#json?.deref();
    if (kept !== undefined) return kept;
    const value = parseJson(this.#body);
    if (typeof value === 'object' && value !== null) this.#json = new WeakRef(value);
    return value;
  }
}
