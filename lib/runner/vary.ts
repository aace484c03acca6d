import type { Change } from '../arbitraries/changes.ts';
import { freeMembers } from '../arbitraries/dimensions.ts';
import type { Input } from '../arbitraries/input.ts';
import { replaceableTexts } from '../arbitraries/text.ts';
import { encodeBody } from '../client/encode.ts';
import type { Authorization, Field, Request } from '../client/exchange.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import type { Contract, Operation, Scope } from '../contract/model.ts';
import { bodyOf, type Call, pageQuery, requestTarget } from './call.ts';

/**
 * Characters of the Authorization field above which a request gets no additional correlation ID, and no long one: some servers limit
 * the size of all header fields together.
 */
export const largeAuthorization = 6_000;

/** How a request is varied without changing its meaning. */
export interface Variation {
  readonly changes: readonly Change[];
  /** Makes texts unique; the same for equal content. */
  readonly key: string;
  /** Makes texts unique for every request. */
  readonly requestKey: string;
}

/** The request as it is. */
export const plain: Variation = { changes: [], key: '0', requestKey: '0' };

/** A request to be varied. */
interface PlainRequest {
  readonly operation: Operation;
  readonly input: Input;
  readonly call: Call;
  readonly authorization: Authorization | undefined;
  /** True if valid query parameters may be added, and texts of the body replaced. */
  readonly mayAddContent?: boolean | undefined;
}

/** The usual claims with the variation's changes. */
export function variedClaims(usual: JsonObject, { changes, key }: Variation): JsonObject {
  const varied = Object.assign({}, ...changes.map(({ claims }) => claims?.(usual, key)));
  // The first spread only sets the order: servers may not expect further claims before the usual ones.
  return { ...varied, ...usual, ...varied };
}

/** The needed scopes, or more of the catalogue. */
export function variedScopes(
  { scopes: catalogue }: Contract,
  needed: readonly Scope[],
  { changes }: Variation,
): readonly Scope[] {
  const change = changes.find(({ scopes }) => scopes !== undefined);
  return change?.scopes?.(needed, catalogue) ?? needed;
}

/** The request, varied without changing its meaning. */
export function variedRequest(request: PlainRequest, variation: Variation): Request {
  const { operation, input, call, authorization } = request;
  const { changes, requestKey } = variation;
  const varied: Call = { ...call, ...variedBody(request, variation), query: variedQuery(request, variation) };
  const target = requestTarget(operation, input, varied);
  const isLower = changes.some(({ lowerCase }) => lowerCase);
  const isRaw = call.body !== undefined;
  let body = bodyOf(operation, input, varied);
  for (const change of changes) body = body && (change.body?.(body, isRaw) ?? body);
  return {
    operation,
    method: operation.method,
    target: isLower ? target.replace(/%([A-F].|\d[A-F])/, (octet) => octet.toLowerCase()) : target,
    headers: [
      ...Object.entries(input.headers),
      ...(call.headers ?? []),
      ...changes.flatMap(({ headers }) => headers?.(operation, requestKey) ?? []),
      ...correlationId(request, variation),
    ],
    ...(authorization && { authorization }),
    ...(body && { body }),
  };
}

/** The query with valid parameters added, in another order. */
function variedQuery(
  { operation, call, mayAddContent }: PlainRequest,
  variation: Variation,
): Required<Call>['query'] {
  const { query = {} } = call;
  if (typeof query === 'string') return query;
  const { changes, key } = variation;
  // A checkpoint belongs to the filters and the page size of its walk.
  const added = mayAddContent && query.from === undefined ? changes : [];
  const further = added.flatMap(({ query: each }) => (each ? [[each.name, each.value(key)]] : []));
  return ordered({ ...Object.fromEntries(further), ...pageQuery(operation, query) }, variation);
}

/** The field with a correlation ID that is unique (section 5), if the call sets none. */
function correlationId(request: PlainRequest, { changes, requestKey }: Variation): readonly Field[] {
  const { operation, call, authorization } = request;
  const field = operation.correlation?.header.toLowerCase();
  const change = changes.find((each) => each.correlationId !== undefined);
  const isLarge = (authorization?.value.length ?? 0) > largeAuthorization;
  const isSet = call.headers?.some(([name]) => name.toLowerCase() === field);
  if (field === undefined || change?.correlationId === undefined || isLarge || isSet) return [];
  return [[field, change.correlationId(requestKey)]];
}

/** The body with its members in another order, free texts replaced, and as a form. Only members of an object are varied. */
function variedBody(request: PlainRequest, variation: Variation): Pick<Call, 'json' | 'form' | 'body'> {
  const { input, mayAddContent } = request;
  const { json, form, body } = request.call;
  const isGiven = body !== undefined || json !== undefined || form !== undefined;
  const isJson = input.media?.mediaType === 'application/json';
  const content: unknown = isGiven ? (json ?? form) : isJson && input.body;
  if (!isObject(content)) return {};
  const media = isGiven ? undefined : variation.changes.find((each) => each.media)?.media;
  const replaced = withText(request, content, variation);
  // Another contract may not allow a text of this length.
  const isAllowed = (media ?? input.media)?.validate(replaced).length === 0;
  const members = ordered((!isGiven || mayAddContent) && isAllowed ? replaced : content, variation);
  if (media !== undefined) return { body: encodeBody(media, members) };
  if (json !== undefined || form === undefined) return { json: members };
  return { form: Object.fromEntries(Object.entries(members).map(([name, text]) => [name, String(text)])) };
}

/** The members with the variation's texts in place of those that no requirement has chosen. */
function withText(
  { operation, input }: PlainRequest,
  members: JsonObject,
  { changes }: Variation,
): JsonObject {
  const text = changes.flatMap((each) => each.text ?? []).join(' ');
  if (text === '') return members;
  const free = freeMembers(operation);
  const isFree = (name: string, value: unknown) =>
    free.has(name) &&
    typeof value === 'string' &&
    (value === Object(input.body)[name] || replaceableTexts.has(value));
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, isFree(name, value) ? text : value]),
  );
}

function ordered<T>(
  members: Readonly<Record<string, T>>,
  { changes }: Variation,
): Readonly<Record<string, T>> {
  const isReversed = changes.some(({ reversed }) => reversed);
  return isReversed ? Object.fromEntries(Object.entries(members).toReversed()) : members;
}
