import type { Input } from '../arbitraries/input.ts';
import type { Row } from '../arbitraries/pairwise.ts';
import { neutralTexts } from '../arbitraries/text.ts';
import { encodeBody } from '../client/encode.ts';
import type { Authorization, Body, Field, Request } from '../client/exchange.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import { bodyKindOf, formType } from '../contract/media-types.ts';
import type { Operation } from '../contract/model.ts';
import { bodyOf, type Call, pageQuery, requestTarget } from './call.ts';
import { correlationIds, freeMembers, joint, unusualValues } from './neutral-classes.ts';

/**
 * Characters of the Authorization field above which a request gets no additional correlation ID, and no long one: some servers limit
 * the size of all header fields together.
 */
export const largeAuthorization = 6_000;

const furtherHeaders = ({ method, correlation }: Operation, row: Row): readonly Field[] => [
  // Clients send an ID with every request. It is unique: a target may refuse one that it knows.
  ...(method === 'GET' && correlation === undefined
    ? ([['x-correlation-id', `read-${row['request key'] ?? '0'}`]] as const)
    : []),
  ['x-request-id', 'conformance'],
  ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
  // As curl and as axios send it.
  ['accept', method === 'GET' ? '*/*' : 'application/json, text/plain, */*'],
  // Turkish has a decimal comma and a dotless ı, and the data set has custom text in it. The service may have messages in the other
  // languages.
  ['accept-language', method === 'GET' ? 'tr-TR, tr;q=0.9, en;q=0.5' : 'de-DE, fr;q=0.9, es;q=0.8, ja;q=0.7'],
  ['cache-control', 'no-cache'],
  ...(method === 'GET' ? ([['if-none-match', '"conformance"']] as const) : []),
  ['cookie', 'theme=dark'],
  ['x-forwarded-for', '127.0.0.1'],
];

/** Bytes to which a JSON object is padded with white space (RFC 8259, section 2). */
const paddedBytes = 17_000;

/** Texts of free members by the name of their class. */
const texts: Readonly<Record<string, string>> = { ...neutralTexts.accepted, ...neutralTexts.doubtful };

/** A request to be varied. */
interface PlainRequest {
  readonly operation: Operation;
  readonly input: Input;
  readonly call: Call;
  readonly authorization: Authorization | undefined;
  /** True if valid query parameters may be added, and texts of the body replaced. */
  readonly mayAddContent?: boolean | undefined;
}

/** The request, varied by a row without changing its meaning. */
export function variedRequest(plain: PlainRequest, row: Row): Request {
  const { operation, input, call, authorization, mayAddContent } = plain;
  const { query = {} } = call;
  // A checkpoint belongs to the filters and the page size of its walk.
  const further = mayAddContent && typeof query !== 'string' && query.from === undefined ? queryOf(row) : {};
  const varied: Call = {
    ...call,
    ...variedBody(plain, row),
    query: typeof query === 'string' ? query : ordered({ ...further, ...pageQuery(operation, query) }, row),
  };
  const body = frame(bodyOf(operation, input, varied), row, call.body !== undefined);
  const target = requestTarget(operation, input, varied);
  const has = (name: keyof typeof unusualValues) => Object.values(row).includes(unusualValues[name]);
  // If the row has an unusual value of one case only, the target has that case.
  const isLower =
    has('upper case') === has('lower case') ? row['percent-encoding'] === 'lower case' : has('lower case');
  return {
    operation,
    method: operation.method,
    // Upper and lower case are equivalent (RFC 3986, section 2.1).
    target: isLower ? target.replace(/%[\dA-F]{2}/g, (octet) => octet.toLowerCase()) : target,
    headers: [
      ...Object.entries(input.headers),
      ...(call.headers ?? []),
      ...(row.headers === 'further' ? furtherHeaders(operation, row) : []),
      ...correlationId(plain, row),
    ],
    ...(authorization && { authorization }),
    ...(body && { body }),
  };
}

/** The field with a correlation ID that is unique (section 5), if the call sets none. */
function correlationId({ operation, call, authorization }: PlainRequest, row: Row): readonly Field[] {
  const { headers = [] } = call;
  const field = operation.correlation?.header.toLowerCase();
  const id = correlationIds[row['correlation ID'] ?? '']?.(row['request key'] ?? '0');
  if (field === undefined || id === undefined) return [];
  const isLarge = (authorization?.value.length ?? 0) > largeAuthorization;
  return isLarge || headers.some(([name]) => name.toLowerCase() === field) ? [] : [[field, id]];
}

/** The body with its members in another order, free texts replaced, and as a form. Only members of an object are varied. */
function variedBody(plain: PlainRequest, row: Row): Pick<Call, 'json' | 'form' | 'body'> {
  const { operation, input, mayAddContent } = plain;
  const { json, form, body } = plain.call;
  const isGiven = body !== undefined || json !== undefined || form !== undefined;
  const isJson = input.media?.mediaType === 'application/json';
  const content: unknown = isGiven ? (json ?? form) : isJson && input.body;
  if (!isObject(content)) return {};
  const asForm = !isGiven && row['media type'] === 'form';
  const formMedia = asForm ? operation.body?.content.find(({ kind }) => kind === 'form') : undefined;
  const replaced = withText(plain, content, row);
  // Another contract may not allow a text of this length.
  const isAllowed = (formMedia ?? input.media)?.validate(replaced).length === 0;
  const members = ordered((!isGiven || mayAddContent) && isAllowed ? replaced : content, row);
  if (formMedia !== undefined) return { body: encodeBody(formMedia, members) };
  if (json !== undefined || form === undefined) return { json: members };
  return { form: Object.fromEntries(Object.entries(members).map(([name, text]) => [name, String(text)])) };
}

/** The members with the row's text in place of texts that no requirement has chosen. */
function withText({ operation, input }: PlainRequest, members: JsonObject, row: Row): JsonObject {
  const chosen = (row.text ?? '').split(joint).flatMap((name) => texts[name] ?? []);
  if (chosen.length === 0) return members;
  const free = freeMembers(operation);
  const isFree = (name: string, value: unknown) =>
    free.has(name) &&
    typeof value === 'string' &&
    (value === Object(input.body)[name] || neutralTexts.replaceable.has(value));
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, isFree(name, value) ? chosen.join(' ') : value]),
  );
}

/** The body with the row's variations: another notation, white space in a JSON object, chunks, a charset. */
function frame(body: Body | undefined, row: Row, isGiven: boolean): Body | undefined {
  if (body === undefined) return undefined;
  const { mediaType = '' } = body;
  const isJson = bodyKindOf(mediaType) === 'json';
  const isEscaped = !isGiven && row['JSON notation'] === 'escaped' && isJson;
  const isEncoded = !isGiven && row['form encoding'] === 'blank as %20' && mediaType === formType;
  const rewrite = isEscaped ? escapedJson : isEncoded ? percentEncoded : undefined;
  const bytes = rewrite ? Buffer.from(rewrite(Buffer.from(body.bytes).toString())) : body.bytes;
  const missing = row['body size'] === 'over 16 kB' ? paddedBytes - bytes.length : 0;
  const [opening = ''] = /^\s*\{/.exec(Buffer.from(bytes.subarray(0, 8)).toString()) ?? [];
  const isPadded = missing > 0 && isJson && opening !== '';
  const [start, rest] = [bytes.subarray(0, opening.length), bytes.subarray(opening.length)];
  const isBare = ['application/json', formType].includes(mediaType);
  return {
    ...body,
    bytes: isPadded ? Buffer.concat([start, Buffer.alloc(missing, ' '), rest]) : bytes,
    // undici sends an empty body with Content-Length.
    ...(row.framing === 'chunked' && bytes.length > 0 && { chunked: body.chunked ?? true }),
    ...(row.charset === 'charset' && isBare && { mediaType: `${mediaType}; charset=utf-8` }),
  };
}

/**
 * The same JSON text with white space around its tokens and escaped characters in its strings: a first letter, slashes,
 * braces and everything beyond ASCII (RFC 8259, sections 2 and 7).
 */
function escapedJson(json: string): string {
  const escaped = (character: string) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    // Serializers write hexadecimal digits in either case.
    return character === '/' ? '\\/' : `\\u${code.startsWith('00') ? code : code.toUpperCase()}`;
  };
  const written = json.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) =>
    token.startsWith('"') ? token.replace(/(?<=^")[A-Za-z]|[/{}\x7f-\uffff]/g, escaped) : `\t${token}\r\n `,
  );
  return `\r\n\t${written} \n`;
}

/**
 * The same form with a blank as %20 in place of `+`, and everything but letters and digits percent-encoded in lower case (URL
 * standard, application/x-www-form-urlencoded).
 */
function percentEncoded(form: string): string {
  const encode = (each: string) => (each === '+' ? '%20' : `%${each.charCodeAt(0).toString(16)}`);
  return form.replace(/%[\dA-F]{2}|[-+_.!~*'()]/g, (each) =>
    each.startsWith('%') ? each.toLowerCase() : encode(each),
  );
}

function ordered<T>(members: Readonly<Record<string, T>>, { order }: Row): Readonly<Record<string, T>> {
  return order === 'other' ? Object.fromEntries(Object.entries(members).toReversed()) : members;
}

/** The optional query parameters of the row. */
function queryOf(row: Row): Readonly<Record<string, string>> {
  const values = Object.entries(row).filter(
    ([name, value]) => name.startsWith('query ') && value !== 'absent',
  );
  const unusual: readonly string[] = Object.values(unusualValues);
  return Object.fromEntries(
    values.map(([name, value]) => [
      name.slice('query '.length),
      unusual.includes(value) ? `${value}${row.key ?? ''}` : value,
    ]),
  );
}
