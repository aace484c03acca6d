import { isUtf8 } from 'node:buffer';
import { isObject } from '../contract/json.ts';
import type { Field, Response } from './exchange.ts';
import type { Secrets } from './secrets.ts';
import type { Answer } from './transmit.ts';

/** Bytes of a body from which on an answer is large: more than any that a requirement wants. */
export const largeAnswerBytes = 1024 * 1024;

/** Deeper JSON is taken for none: whoever walks it recursively would run out of stack. */
const maximumJsonDepth = 256;

/** An answer as the suite sees it. `headers` and `text` are free of secrets; `json` is what was really sent. */
export class ReceivedResponse implements Response {
  readonly status: number;
  readonly headers: readonly Field[];
  readonly mediaType: string | undefined;
  readonly bodyBytes: number;
  readonly utf8: boolean;
  readonly #body: Buffer;
  readonly #secrets: Secrets;
  #json: { readonly value: unknown } | undefined;

  constructor(answer: Answer, secrets: Secrets) {
    this.status = answer.status;
    this.headers = answer.headers.map(([name, value]): Field => [name, secrets.scrub(value)]);
    this.mediaType = mediaTypeOf(answer.headers);
    this.bodyBytes = answer.body.length;
    this.utf8 = isUtf8(answer.body);
    this.#body = answer.body;
    this.#secrets = secrets;
    if (answer.json !== undefined) this.#json = { value: answer.json };
  }

  header(name: string): string | undefined {
    const wanted = name.toLowerCase();
    return this.headers.find(([candidate]) => candidate === wanted)?.[1];
  }

  /** Made when it is asked for: a large answer is not to be held twice. */
  get text(): string {
    return this.#secrets.scrub(this.#body.toString('utf8'));
  }

  /** A getter of the class, so that no serializer writes it out: it may hold a token that the answer issues. */
  get json(): unknown {
    this.#json ??= { value: parseJson(this.#body.toString('utf8')) };
    return this.#json.value;
  }
}

function mediaTypeOf(headers: readonly Field[]): string | undefined {
  const value = headers
    .find(([name]) => name === 'content-type')?.[1]
    .split(';')[0]
    ?.trim()
    .toLowerCase();
  return value === '' ? undefined : value;
}

/** The text as JSON (RFC 8259; a byte order mark is ignored, as section 8.1 permits), or undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    return isDeeper(value, maximumJsonDepth) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** True where values are nested more than so many times. It goes no deeper itself, so that no value makes it run out of stack. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((inner) => isDeeper(inner, levels - 1));
  if (isObject(value)) for (const name in value) if (isDeeper(value[name], levels - 1)) return true;
  return false;
}
