import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../contract/json.ts';
import { merged, typeOf } from '../contract/merge.ts';
import type { Contract, Operation, Parameter, Scope } from '../contract/model.ts';
import type { SchemaError } from '../contract/schema.ts';
import { namesOf, percentDecode } from '../contract/styles.ts';
import { coerced, isParsed } from './bodies.ts';
import { type Body, type Call, refuse } from './call.ts';
import type { Rules } from './rules.ts';
import type { State } from './state.ts';
import type { Pairs } from './urlencoded.ts';
import { claimsOf } from './verify.ts';

/** The parsed inputs of a request. */
export interface Inputs {
  readonly path: JsonObject;
  readonly query: JsonObject;
  readonly body: unknown;
}

/**
 * Runs all checks on a request, in the order that the rules give.
 * @throws RefusedError by the first check that fails
 */
export async function check(operation: Operation, call: Call, body: Body, state: State): Promise<Inputs> {
  const { rules } = state;
  let inputs: Inputs = { path: {}, query: {}, body: undefined };
  let claims: JsonObject | undefined;
  for (const name of rules.checks) {
    switch (name) {
      case 'rate':
        checkRate(call, rules);
        break;
      case 'payload':
        checkPayload(body);
        break;
      case 'token':
      case 'scopes':
        if (!operation.authenticated) break;
        claims ??= await claimsOf(call, state);
        if (name === 'scopes') checkScopes(operation, claims, call, rules);
        break;
      case 'parameters':
        inputs = { ...inputs, ...checkParameters(operation, call, state) };
        break;
      case 'exists':
        checkExistence(operation, inputs.path, call, state);
        break;
      case 'mediaType':
        if (operation.body && body.bytes.length > 0) mediaTypeOf(operation, call, rules);
        break;
      case 'body':
        inputs = { ...inputs, body: checkBody(operation, call, body, state) };
    }
  }
  return inputs;
}

/** @throws RefusedError 429 */
export function checkRate(call: Call, rules: Rules): void {
  const seconds = rules.rate.retryAfter(call);
  if (seconds === undefined) return;
  refuse(429, 'too_many_requests', 'Global limit has been reached', [['Retry-After', String(seconds)]]);
}

/** @throws RefusedError 413 */
export function checkPayload(body: Body): void {
  if (body.tooLarge) refuse(413, 'payload_too_large', 'Payload too large');
}

function checkScopes(operation: Operation, claims: JsonObject, call: Call, rules: Rules): void {
  const required = rules.scopes.required(operation, call);
  const isMissing = (scope: Scope) => !rules.scopes.permits(claims.scopes, scope, claims, call);
  const missing = required.find(isMissing);
  if (missing === undefined || operation.alternatives.slice(1).some((all) => !all.some(isMissing))) return;
  refuse(403, 'insufficient_scope', `Insufficient scope, expected any of: ${missing.name}`, [
    ['WWW-Authenticate', `Bearer error="insufficient_scope", scope="${missing.name}"`],
  ]);
}

function checkParameters(operation: Operation, call: Call, { rules, contract }: State): Omit<Inputs, 'body'> {
  const { parameters: decide } = rules;
  const { query: pairs } = call;
  if (pairs === undefined) return invalid('query', 'its percent-encoding is broken');
  const cookies = cookiesOf(call);

  /** The text of a parameter; undefined if it is absent. */
  const textOf = (parameter: Parameter): string | undefined => {
    const { name, in: place } = parameter;
    if (place === 'header') return call.headers[name.toLowerCase()]?.toString();
    if (place === 'path') {
      const text = decide.decodedPath(call.pathTexts[name] ?? '', parameter, call);
      return text ?? invalid('path', 'its percent-encoding is broken');
    }
    const values = (place === 'query' ? pairs : cookies)
      .filter(([sent]) => sent === name)
      .map(([, value]) => value);
    if (values.length === 0) return undefined;
    const text = values.length === 1 ? values[0] : decide.repeated(values, parameter, call);
    if (text === undefined) return invalid(place, `${name} is repeated`);
    const decision = text === '' ? decide.empty(parameter, call) : 'text';
    if (decision === 'refused') return invalid(place, `${name} is empty`);
    return decision === 'absent' ? undefined : text;
  };
  const read = (parameter: Parameter, text: string): unknown => {
    const { type } = parameter.schema;
    if (type === 'string') return text;
    if (type !== 'integer' && type !== 'number') return coerced(contract, parameter.schema, text);
    const number = decide.numberOf(text, parameter, call);
    return number ?? invalid(parameter.in, `${parameter.name} must be ${type}`);
  };
  /** The value to use. Refuses the request if it is invalid. */
  const inputOf = (parameter: Parameter): unknown => {
    const text = textOf(parameter);
    if (text === undefined) return parameter.required ? missing(parameter) : decide.absent(parameter, call);
    const value = decide.value(read(parameter, text), parameter, call);
    const found = [...parameter.validate(value), ...pageErrors(parameter, value, operation, call, rules)];
    const [first] = decide.violations(found, value, parameter, call);
    return first ? invalid(parameter.in, `${parameter.name} ${first.message}`) : value;
  };

  const path: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  for (const parameter of operation.parameters) {
    const { name, in: place } = parameter;
    if (!isScalar(parameter, contract)) {
      const sent = place === 'header' ? Object.entries(call.headers) : place === 'cookie' ? cookies : pairs;
      const isSent = place === 'path' || sent.some(([each]) => namesOf(parameter)(each));
      if (parameter.required && !isSent) missing(parameter);
      continue;
    }
    const value = inputOf(parameter);
    if (place === 'path') path[name] = value;
    if (place === 'query' && value !== undefined) query[name] = value;
  }
  const declared = operation.parameters.filter((each) => each.in === 'query').map(namesOf);
  const unknown = pairs.map(([name]) => name).filter((name) => !declared.some((isOwn) => isOwn(name)));
  const [refused] = decide.refusedNames(unknown, operation, call);
  if (refused !== undefined) invalid('query', `${refused} is not allowed`);
  return { path, query };
}

/** True for a parameter whose value is one text. Of arrays, objects and JSON only the presence is checked. */
function isScalar({ style, json, schema }: Parameter, contract: Contract): boolean {
  const type = typeOf(merged(contract, schema));
  return !json && (style === 'form' || style === 'simple') && type !== 'array' && type !== 'object';
}

function cookiesOf({ headers: { cookie = '' } }: Call): Pairs {
  return cookie.split(/; */).map((each): [string, string] => {
    const [name = '', ...rest] = each.split('=');
    return [percentDecode(name) ?? name, percentDecode(rest.join('=')) ?? ''];
  });
}

function missing({ in: place, name }: Parameter): never {
  return invalid(place, `${name} is missing`);
}

/** Violations of this cloud's bounds by a page size or page number. */
function pageErrors(
  parameter: Parameter,
  value: unknown,
  { pagination }: Operation,
  call: Call,
  { paging }: Rules,
): SchemaError[] {
  if (pagination === undefined || typeof value !== 'number' || parameter.in !== 'query') return [];
  const isSize = parameter.name === pagination.size.parameter.name;
  if (!isSize && !(pagination.kind === 'offset' && parameter.name === pagination.page)) return [];
  const minimum = isSize ? pagination.size.minimum : 0;
  const maximum = isSize ? paging.maximum(pagination, call) : Number.POSITIVE_INFINITY;
  const error = { pointer: '', component: undefined, value };
  if (value < minimum) return [{ ...error, keyword: 'minimum', message: `must be at least ${minimum}` }];
  return value > maximum ? [{ ...error, keyword: 'maximum', message: `must be at most ${maximum}` }] : [];
}

/** Checks that the data that the path names exists. @throws RefusedError 404 */
function checkExistence(operation: Operation, path: JsonObject, call: Call, { rules, tenant }: State): void {
  const found: Readonly<Record<string, (id: string) => unknown>> = {
    action: (id) => rules.versions.found(tenant.actions, id, call),
    rate_limit_policy: (id) => rules.policies.found(tenant.policies, id, call),
    self_service_profile: (id) => rules.customText.found(tenant.profiles, id, call),
  };
  for (const { name, resource = '' } of operation.parameters) {
    if (found[resource]?.(String(path[name])) === undefined && resource in found) {
      refuse(404, `inexistent_${resource}`, 'The resource does not exist');
    }
  }
}

function mediaTypeOf(operation: Operation, call: Call, { body: rules }: Rules) {
  const mediaType = rules.mediaType(call.mediaType, operation, call);
  return (
    mediaType ??
    refuse(415, 'unsupported_media_type', `Unsupported media type: ${call.mediaType ?? 'no Content-Type'}`)
  );
}

function checkBody(operation: Operation, call: Call, body: Body, { rules, contract }: State): unknown {
  if (operation.body === undefined) return undefined;
  if (body.bytes.length === 0) return operation.body.required ? invalid('body', 'it is missing') : undefined;
  const media = mediaTypeOf(operation, call, rules);
  if (!isParsed(contract, media)) return undefined;
  const text = decodeUtf8(body.bytes);
  if (text === undefined) return invalid('body', 'it is not UTF-8');
  const value = rules.body.parsed(text, media, call);
  if (value === undefined) return invalid('body', `it is not ${media.mediaType}`);
  const [first] = rules.body.violations(media.validate(value), value, call);
  return first ? invalid('body', `${first.pointer || 'it'} ${first.message}`) : value;
}

/** Removes a byte order mark, like `TextDecoder`, which takes ten times as long for a megabyte. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Refuses with 400 and a code for the invalid part of the request: `invalid_query_string`. */
function invalid(place: Parameter['in'] | 'body', details: string): never {
  const code = place === 'query' ? 'invalid_query_string' : place === 'body' ? 'invalid_body' : 'invalid_uri';
  return refuse(400, code, `Payload validation error: ${place}: ${details}`);
}
