import type { JsonObject } from '../contract/json.ts';
import { bodyKindOf, formType } from '../contract/media-types.ts';
import type { MediaType, Operation, Scope } from '../contract/model.ts';
import { hash } from './hash.ts';

/** A body that is ready to be sent. */
interface EncodedBody {
  readonly mediaType?: string;
  readonly bytes: Uint8Array;
  readonly chunked?: boolean;
}

/** A change to a request that keeps its meaning. Keys make texts unique. */
export interface Change {
  /**
   * Whether variations use the change. `unless-refused`: unless the target refuses a plain request with it; `if-accepted`: only if
   * the target accepts one, because no sentence of the specification says that it does. Default: always.
   */
  readonly use?: 'unless-refused' | 'if-accepted';
  /** True if it makes the header fields long: whether the target accepts it depends on the others. */
  readonly isLong?: true;
  /** Further claims, or other values of the usual ones. */
  readonly claims?: (usual: JsonObject, key: string) => JsonObject;
  /** The scopes of the token in place of the needed ones. */
  readonly scopes?: (needed: readonly Scope[], catalogue: readonly Scope[]) => readonly Scope[];
  readonly correlationId?: (key: string) => string;
  readonly headers?: (operation: Operation, key: string) => readonly (readonly [string, string])[];
  /** A valid value of an optional query parameter. */
  readonly query?: { readonly name: string; readonly value: (key: string) => string };
  /** True for the first percent-encoded octet in lower case: it is equivalent to upper case (RFC 3986, section 2.1). */
  readonly lowerCase?: true;
  /** True for query parameters and members of the body in another order. */
  readonly reversed?: true;
  /** A text for free members of the body. */
  readonly text?: string;
  /** The media type of a body that no requirement has chosen. */
  readonly media?: MediaType;
  /** @param isRaw true if a requirement has chosen the bytes: then their notation stays */
  readonly body?: <Sent extends EncodedBody>(body: Sent, isRaw: boolean) => Sent;
}

/** With the further scopes below, an Authorization value stays under 4,096 bytes, the limit of one value in Cowboy. */
const noteCharacters = 1_100;

/** Claims that do not change what a token permits (RFC 7519, section 4), made from the usual ones. */
export const claimChanges = {
  nbf: { use: 'if-accepted', claims: ({ iat }) => ({ nbf: Number(iat) - 3600 }) },
  'audience list': { use: 'if-accepted', claims: ({ aud }) => ({ aud: [aud].flat() }) },
  'far expiry': { use: 'if-accepted', claims: ({ iat }) => ({ exp: Number(iat) + 7 * 24 * 3600 }) },
  // Does not change claims that identify the caller: a target may bind checkpoints to them.
  further: {
    use: 'if-accepted',
    claims: (usual, key) => ({
      // Tokens with other claims have another ID (RFC 7519, section 4.1.7).
      jti: `t-${hash(`${key} ${JSON.stringify(usual)}`)}`,
      name: 'Zoë 😀',
      roles: ['admin'],
      gty: 'client-credentials',
    }),
  },
  'over 1.5 kB': { use: 'if-accepted', isLong: true, claims: () => ({ note: 'n'.repeat(noteCharacters) }) },
} satisfies Record<string, Change>;

/** Further scopes of a token with many. Its header field stays under the limits of common servers and proxies (8 KB). */
const furtherScopes = 30;

/** The needed scopes and others, spread over the whole catalogue so that they name many resources. No scopes stay none. */
export const manyScopes: Change = {
  use: 'if-accepted',
  isLong: true,
  scopes: (needed, catalogue) => {
    if (needed.length === 0) return needed;
    const names = new Set(needed.map(({ name }) => name));
    const others = catalogue.filter(({ name }) => !names.has(name));
    const step = Math.max(1, Math.floor(others.length / furtherScopes));
    return [...others.filter((_, index) => index % step === 0).slice(0, furtherScopes), ...needed];
  },
};

/** Header fields that clients and proxies add. */
export const furtherHeaders: Change = {
  use: 'if-accepted',
  headers: ({ method, correlation }, key) => [
    // Clients send an ID with every request. It is unique: a target may refuse one that it knows.
    ...(method === 'GET' && correlation === undefined
      ? ([['x-correlation-id', `read-${key}`]] as const)
      : []),
    ['x-request-id', 'conformance'],
    ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    // As curl and as axios send it.
    ['accept', method === 'GET' ? '*/*' : 'application/json, text/plain, */*'],
    // Turkish has a decimal comma and a dotless ı, and the data set has custom text in it. The service may have messages in the other
    // languages.
    [
      'accept-language',
      method === 'GET' ? 'tr-TR, tr;q=0.9, en;q=0.5' : 'de-DE, fr;q=0.9, es;q=0.8, ja;q=0.7',
    ],
    ['cache-control', 'no-cache'],
    ['cookie', 'theme=dark'],
    ['x-forwarded-for', '127.0.0.1'],
  ],
};

export const inChunks: Change = {
  use: 'if-accepted',
  // undici sends an empty body with Content-Length.
  body: (body) => (body.bytes.length > 0 ? { ...body, chunked: body.chunked ?? true } : body),
};

export const withCharset: Change = {
  use: 'if-accepted',
  body: (body) =>
    body.mediaType !== undefined && ['application/json', formType].includes(body.mediaType)
      ? { ...body, mediaType: `${body.mediaType}; charset=utf-8` }
      : body,
};

type ChangeBody = Required<Change>['body'];

/** Bytes to which a JSON object is padded with white space (RFC 8259, section 2). */
const paddedBytes = 17_000;

export const padded: ChangeBody = (body) => {
  const { bytes } = body;
  const [opening] = /^\s*\{/.exec(Buffer.from(bytes.subarray(0, 8)).toString()) ?? [];
  if (!isJson(body) || opening === undefined || bytes.length >= paddedBytes) return body;
  const padding = Buffer.alloc(paddedBytes - bytes.length, ' ');
  const parts = [bytes.subarray(0, opening.length), padding, bytes.subarray(opening.length)];
  return { ...body, bytes: Buffer.concat(parts) };
};

/**
 * The same JSON text with white space around its tokens and escaped characters in its strings: a first letter, slashes,
 * braces and everything beyond ASCII (RFC 8259, sections 2 and 7).
 */
export const escapedJson: ChangeBody = (body, isRaw) => {
  if (isRaw || !isJson(body)) return body;
  const escaped = (character: string) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    // Serializers write hexadecimal digits in either case.
    return character === '/' ? '\\/' : `\\u${code.startsWith('00') ? code : code.toUpperCase()}`;
  };
  const written = textOf(body).replace(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) =>
    token.startsWith('"') ? token.replace(/(?<=^")[A-Za-z]|[/{}\x7f-\uffff]/g, escaped) : `\t${token}\r\n `,
  );
  return { ...body, bytes: Buffer.from(`\r\n\t${written} \n`) };
};

/**
 * The same form with every second blank as %20 in place of `+`, the first one too, and everything but letters and digits
 * percent-encoded in lower case (URL standard, application/x-www-form-urlencoded).
 */
export const percentEncodedForm: ChangeBody = (body, isRaw) => {
  if (isRaw || body.mediaType !== formType) return body;
  const encode = (each: string) =>
    each.startsWith('%') ? each.toLowerCase() : `%${each.charCodeAt(0).toString(16)}`;
  const encoded = textOf(body).replace(/%[\dA-F]{2}|[-_.!~*'()]/g, encode);
  return { ...body, bytes: Buffer.from(encoded.replace(/\+([^+]*\+?)/g, '%20$1')) };
};

const textOf = ({ bytes }: EncodedBody): string => Buffer.from(bytes).toString();

const isJson = ({ mediaType = '' }: EncodedBody): boolean => bodyKindOf(mediaType) === 'json';

/** A text with wildcards, reserved characters and other scripts, longer than many database columns. */
export const unusualQueryText = (key: string): string =>
  `${'%_* .? &=+#/;: it\'s "Grüße" 😀 '.padEnd(80, 'x')}${key}`;
