import { isUtf8 } from 'node:buffer';
import type { Field, Response } from './exchange.ts';
import { parseJson } from './json-bounds.ts';
import type { Secrets } from './secrets.ts';
import type { WireResponse } from './wire.ts';

/** A response as the suite sees it. `headers` and `text` are free of secrets; `json` is what was really sent. */
export class ReceivedResponse implements Response {
  readonly status: number;
  readonly headers: readonly Field[];
  readonly mediaType: string | undefined;
  readonly bodyBytes: number;
  readonly utf8: boolean;
  readonly #body: Buffer;
  readonly #secrets: Secrets;
  #json: { readonly value: unknown } | undefined;

  constructor(response: WireResponse, secrets: Secrets) {
    this.status = response.status;
    this.headers = response.headers.map(
      ([name, value]): Field => [secrets.scrub(name), secrets.scrub(value)],
    );
    this.mediaType = this.header('content-type')?.split(';')[0]?.trim().toLowerCase() || undefined;
    this.bodyBytes = response.body.length;
    this.utf8 = isUtf8(response.body);
    this.#body = response.body;
    this.#secrets = secrets;
    if (response.json !== undefined) this.#json = { value: response.json };
  }

  header(name: string): string | undefined {
    const wanted = name.toLowerCase();
    return this.headers.find(([candidate]) => candidate === wanted)?.[1];
  }

  /** Made on demand, so that a large body is not kept twice. */
  get text(): string {
    return this.#secrets.scrub(this.#body.toString('utf8'));
  }

  /** A getter of the class, so that no serializer writes it: it may contain a token that the response issues. */
  get json(): unknown {
    this.#json ??= { value: parseJson(this.#body) };
    return this.#json.value;
  }
}
