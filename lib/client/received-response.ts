import { isUtf8 } from 'node:buffer';
import type { Field, Response } from './exchange.ts';
import { parseJson } from './json-bounds.ts';
import type { Secrets } from './secrets.ts';
import type { WireResponse } from './wire.ts';

/** A response as the suite sees it. `headers` and `text` are free of secrets; `json` is what was really sent. */
export class ReceivedResponse implements Response {
  readonly status: number;
  readonly mediaType: string | undefined;
  readonly bodyBytes: number;
  readonly utf8: boolean;
  readonly #headers: readonly Field[];
  readonly #body: Buffer;
  readonly #secrets: Secrets;
  #json: { readonly value: unknown } | undefined;

  constructor({ status, headers, body }: WireResponse, secrets: Secrets) {
    this.status = status;
    this.#headers = headers;
    this.mediaType = this.#raw('content-type')?.split(';')[0]?.trim().toLowerCase() || undefined;
    this.bodyBytes = body.length;
    this.utf8 = isUtf8(body);
    this.#body = body;
    this.#secrets = secrets;
  }

  get headers(): readonly Field[] {
    return this.#headers.map(([name, value]) => [this.#secrets.scrub(name), this.#secrets.scrub(value)]);
  }

  header(name: string): string | undefined {
    const value = this.#raw(name.toLowerCase());
    return value === undefined ? undefined : this.#secrets.scrub(value);
  }

  #raw(wanted: string): string | undefined {
    return this.#headers.find(([name]) => name === wanted)?.[1];
  }

  /** Made on demand, so that a large body is not kept twice. */
  get text(): string {
    return this.#secrets.scrub(this.#body.toString('utf8'));
  }

  /** The beginning of the text, of at most so many characters. */
  excerpt(characters: number): string {
    // A secret that is cut off at the end is still found by its first characters.
    const beginning = this.#body.toString('utf8', 0, 4 * characters).slice(0, characters + 100);
    return this.#secrets.scrub(beginning).slice(0, characters);
  }

  /** A getter of the class, so that no serializer writes it: it may contain a token that the response issues. */
  get json(): unknown {
    this.#json ??= { value: parseJson(this.#body) };
    return this.#json.value;
  }
}
