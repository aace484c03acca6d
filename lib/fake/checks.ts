import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../contract/json.ts';
import { merged } from '../contract/merge.ts';
import type { Operation, Parameter, Scope } from '../contract/model.ts';
import type { SchemaError } from '../contract/schema.ts';
import { namesOf, type Reading, readPairs, readText } from '../contract/styles.ts';
import { coerced, readingOf } from './bodies.ts';
import { type Body, type Call, refuse } from './call.ts';
import type { Rules } from './rules.ts';
import type { State } from './state.ts';
import { type Pairs, percentDecode } from './urlencoded.ts';

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
  const { rules, verifier } = state;
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
        if (operation.authenticated) claims ??= await verifier.claims(call, state);
        break;
      case 'scopes':
        if (operation.authenticated) claims ??= await verifier.claims(call, state);
        if (claims) checkScopes(operation, claims, call, rules);
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
  const read = (parameter: Parameter, text: string): unknown => {
    const { type } = parameter.schema;
    if (type === 'integer' || type === 'number') {
      const number = decide.numberOf(text, parameter, call);
      return number ?? invalid(parameter.in, `${parameter.name} must be ${type}`);
    }
    return type === 'string' ? text : coerced(contract, parameter.schema, text);
  };
  const readingOfParameter = (parameter: Parameter): Reading => {
    const reading = readingOf(contract, parameter.schema);
    return reading.type === undefined ? { ...reading, scalar: (text) => read(parameter, text) } : reading;
  };
  /** The value to use. Refuses the request if it is invalid. */
  const judged = (parameter: Parameter, raw: unknown): unknown => {
    const value = decide.value(raw, parameter, call);
    const found = [...parameter.validate(value), ...pageErrors(parameter, value, operation, call, rules)];
    const [first] = decide.violations(found, value, parameter, call);
    return first ? invalid(parameter.in, `${parameter.name} ${first.message}`) : value;
  };
  const absent = (parameter: Parameter): unknown => {
    if (parameter.required) return invalid(parameter.in, `${parameter.name} is missing`);
    return decide.absent(parameter, call);
  };
  const pairsValue = (parameter: Parameter, pairs: Pairs): unknown => {
    const reading = readingOfParameter(parameter);
    if (reading.type !== undefined || parameter.json) {
      const fields = Object.keys(merged(contract, parameter.schema).properties ?? {});
      const value = readPairs(parameter, pairs, reading, fields);
      return value === undefined ? absent(parameter) : judged(parameter, value);
    }
    const values = pairs.filter(([sent]) => sent === parameter.name).map(([, value]) => value);
    const [text] = values;
    if (text === undefined) return absent(parameter);
    const one = values.length === 1 ? text : decide.repeated(values, parameter, call);
    if (one === undefined) return invalid(parameter.in, `${parameter.name} is repeated`);
    const decision = one === '' ? decide.empty(parameter, call) : 'text';
    if (decision === 'refused') return invalid(parameter.in, `${parameter.name} is empty`);
    return decision === 'absent' ? absent(parameter) : judged(parameter, read(parameter, one));
  };
  const textValue = (parameter: Parameter, text: string): unknown =>
    judged(parameter, readText(parameter, text, readingOfParameter(parameter)));

  const path: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  const { query: pairs } = call;
  if (pairs === undefined) return invalid('query', 'its percent-encoding is broken');
  const cookies = (call.headers.cookie ?? '').split(/; */).map((each): [string, string] => {
    const [name = '', ...rest] = each.split('=');
    return [percentDecode(name) ?? name, percentDecode(rest.join('=')) ?? ''];
  });
  for (const parameter of operation.parameters) {
    const { name } = parameter;
    if (parameter.in === 'path') {
      const text = decide.decodedPath(call.pathTexts[name] ?? '', parameter, call);
      if (text === undefined) invalid('path', 'its percent-encoding is broken');
      path[name] = textValue(parameter, text);
    } else if (parameter.in === 'query') {
      const value = pairsValue(parameter, pairs);
      if (value !== undefined) query[name] = value;
    } else if (parameter.in === 'cookie') pairsValue(parameter, cookies);
    else {
      const text = call.headers[name.toLowerCase()]?.toString();
      if (text !== undefined) textValue(parameter, text);
      else if (parameter.required) absent(parameter);
    }
  }
  const declared = operation.parameters.filter((each) => each.in === 'query').map(namesOf);
  const unknown = pairs.map(([name]) => name).filter((name) => !declared.some((isOwn) => isOwn(name)));
  const [refused] = decide.refusedNames(unknown, operation, call);
  if (refused !== undefined) invalid('query', `${refused} is not allowed`);
  return { path, query };
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
  if (value < minimum) return [{ ...error, keyword: 'minimum', message: `must be >= ${minimum}` }];
  return value > maximum ? [{ ...error, keyword: 'maximum', message: `must be <= ${maximum}` }] : [];
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
  return mediaType ?? refuse(415, 'unsupported_media_type', `Unsupported media type ${call.mediaType ?? ''}`);
}

function checkBody(operation: Operation, call: Call, body: Body, { rules }: State): unknown {
  if (operation.body === undefined) return undefined;
  if (body.bytes.length === 0) return operation.body.required ? invalid('body', 'it is missing') : undefined;
  const media = mediaTypeOf(operation, call, rules);
  // The content of other media types is not validated.
  if (media.kind === 'xml' || media.kind === 'text' || media.kind === 'binary') return undefined;
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
