import type { Operation, Pagination, Parameter } from '../contract/model.ts';
import type { SchemaError } from '../contract/schema.ts';
import { type Body, type Call, refuse } from './call.ts';
import type { JsonObject } from './json.ts';
import type { Check, Rules } from './rules.ts';
import type { State } from './state.ts';

/** What the checks have made of a request. */
export interface Inputs {
  readonly path: JsonObject;
  readonly query: JsonObject;
  readonly body: unknown;
}

/**
 * Puts a request through all checks, in the order of the rules.
 * @throws RefusedError by the first check that does not hold
 */
export async function check(operation: Operation, call: Call, body: Body, state: State): Promise<Inputs> {
  const { rules } = state;
  const inputs: { path: JsonObject; query: JsonObject; body: unknown } = {
    path: {},
    query: {},
    body: undefined,
  };
  let claims: JsonObject | undefined;
  const checks: Record<Check, () => unknown> = {
    rate: () => checkRate(call, rules),
    payload: () => checkPayload(call, body),
    async token() {
      if (operation.authenticated) claims ??= await state.verifier.claims(call, rules);
    },
    async scopes() {
      await checks.token();
      if (claims) checkScopes(operation, claims, call, rules);
    },
    parameters: () => Object.assign(inputs, checkParameters(operation, call, rules)),
    exists() {
      checkExistence(operation, inputs.path, call, state);
    },
    mediaType() {
      if (operation.body && body.bytes.length > 0) mediaTypeOf(operation, call, rules);
    },
    body() {
      inputs.body = checkBody(operation, call, body, rules);
    },
  };
  for (const name of rules.checks) await checks[name]();
  return inputs;
}

/** @throws RefusedError 429 */
export function checkRate(call: Call, rules: Rules): void {
  const seconds = rules.rate.retryAfter(call);
  if (seconds === undefined) return;
  refuse(429, 'too_many_requests', 'Global limit has been reached', [['Retry-After', String(seconds)]]);
}

/** @throws RefusedError 413 */
export function checkPayload(_call: Call, body: Body): void {
  if (body.tooLarge) refuse(413, 'payload_too_large', 'Payload too large');
}

function checkScopes(operation: Operation, claims: JsonObject, call: Call, rules: Rules): void {
  const required = rules.scopes.required(operation, call);
  const missing = required.find((scope) => !rules.scopes.permits(claims.scopes, scope, claims, call));
  if (missing === undefined) return;
  refuse(403, 'insufficient_scope', `Insufficient scope, expected any of: ${missing.name}`, [
    ['WWW-Authenticate', `Bearer error="insufficient_scope", scope="${missing.name}"`],
  ]);
}

function checkParameters(
  operation: Operation,
  call: Call,
  { parameters: rules, paging }: Rules,
): { path: JsonObject; query: JsonObject } {
  const path: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  const { query: pairs } = call;
  if (pairs === undefined) return invalid('query', 'its percent-encoding is broken');

  const judge = (parameter: Parameter, raw: unknown): unknown => {
    const value = rules.value(raw, parameter, call);
    const found = [...parameter.validate(value), ...pageErrors(parameter, value, operation.pagination)];
    const [first] = rules.violations(found, value, parameter, call);
    return first ? invalid(parameter.in, `${parameter.name} ${first.message}`) : value;
  };
  const pageErrors = (parameter: Parameter, value: unknown, pagination?: Pagination): SchemaError[] => {
    if (pagination === undefined || typeof value !== 'number' || parameter.in !== 'query') return [];
    const bound = (keyword: 'minimum' | 'maximum', limit: number): SchemaError[] => {
      if (keyword === 'minimum' ? value >= limit : value <= limit) return [];
      const message = `must be ${keyword === 'minimum' ? '>=' : '<='} ${limit}`;
      return [{ pointer: '', keyword, message, component: undefined, value }];
    };
    if (parameter.name === pagination.size.parameter.name) {
      return [
        ...bound('minimum', paging.minimum(pagination, call)),
        ...bound('maximum', paging.maximum(pagination, call)),
      ];
    }
    if (pagination.kind === 'offset' && parameter.name === 'page') {
      return bound('minimum', paging.firstPage(pagination, call));
    }
    return [];
  };
  const read = (parameter: Parameter, text: string): unknown => {
    const { type } = parameter.schema;
    if (type === 'integer' || type === 'number') {
      const number = rules.numberOf(text, parameter, call);
      return number ?? invalid(parameter.in, `${parameter.name} must be ${type}`);
    }
    if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text);
    return text;
  };
  const absent = (parameter: Parameter): unknown => {
    if (parameter.required) return invalid(parameter.in, `${parameter.name} is missing`);
    return rules.absent(parameter, call);
  };
  const queryValue = (parameter: Parameter): unknown => {
    const values = pairs.filter(([name]) => name === parameter.name).map(([, value]) => value);
    const [text] = values;
    if (text === undefined) return absent(parameter);
    if (parameter.schema.type === 'array') {
      const items = parameter.schema.items ?? {};
      const texts = values.flatMap((value) => value.split(','));
      return judge(
        parameter,
        texts.map((item) => read({ ...parameter, schema: items }, item)),
      );
    }
    const one = values.length === 1 ? text : rules.repeated(values, parameter, call);
    if (one === undefined) return invalid('query', `${parameter.name} stands more than once`);
    if (one === '') {
      const taken = rules.empty(parameter, call);
      if (taken === 'refused') return invalid('query', `${parameter.name} is empty`);
      if (taken === 'absent') return absent(parameter);
    }
    return judge(parameter, read(parameter, one));
  };

  for (const parameter of operation.parameters) {
    if (parameter.in === 'path') {
      const text = rules.decodedPath(call.pathTexts[parameter.name] ?? '', parameter, call);
      if (text === undefined) invalid('path', 'its percent-encoding is broken');
      path[parameter.name] = judge(parameter, read(parameter, text));
    } else if (parameter.in === 'query') {
      const value = queryValue(parameter);
      if (value !== undefined) query[parameter.name] = value;
    } else {
      const text = call.headers[parameter.name.toLowerCase()]?.toString();
      if (text !== undefined) judge(parameter, read(parameter, text));
    }
  }
  const unknown = pairs.map(([name]) => name).filter((name) => !isDeclared(operation, name));
  const [refused] = rules.refusedNames(unknown, operation, call);
  if (refused !== undefined) invalid('query', `${refused} is not allowed`);
  return { path, query };
}

/** Whatever else may be wrong with a request, the data that its path names must exist. @throws RefusedError 404 */
function checkExistence(operation: Operation, path: JsonObject, call: Call, { rules, tenant }: State): void {
  const found: Readonly<Record<string, (id: string) => unknown>> = {
    action: (id) => rules.versions.found(tenant.actions, id, call),
    rate_limit_policy: (id) => rules.policies.found(tenant.policies, id, call),
    self_service_profile: (id) => rules.texts.found(tenant.profiles, id, call),
  };
  for (const { name, resource = '' } of operation.parameters) {
    if (found[resource]?.(String(path[name])) === undefined && resource in found) {
      refuse(404, `inexistent_${resource}`, 'The resource does not exist');
    }
  }
}

function isDeclared(operation: Operation, name: string): boolean {
  return operation.parameters.some((parameter) => parameter.in === 'query' && parameter.name === name);
}

function mediaTypeOf(operation: Operation, call: Call, { body: rules }: Rules) {
  const mediaType = rules.mediaType(call.mediaType, operation, call);
  return mediaType ?? refuse(415, 'unsupported_media_type', `Unsupported media type ${call.mediaType ?? ''}`);
}

function checkBody(operation: Operation, call: Call, body: Body, rules: Rules): unknown {
  if (operation.body === undefined) return undefined;
  if (body.bytes.length === 0) return operation.body.required ? invalid('body', 'it is missing') : undefined;
  const media = mediaTypeOf(operation, call, rules);
  const text = rules.body.text(body.bytes, call);
  if (text === undefined) return invalid('body', 'it is not UTF-8');
  const parsed = rules.body.parsed(text, media.mediaType, call);
  if (parsed === undefined) return invalid('body', `it is not ${media.mediaType}`);
  const value = rules.body.value(parsed, media.mediaType, call);
  const [first] = rules.body.violations(media.validate(value), value, call);
  return first ? invalid('body', `${first.pointer || 'it'} ${first.message}`) : value;
}

/** 400 with the code of the place that is wrong: `invalid_query_string`. */
function invalid(place: 'path' | 'query' | 'header' | 'body', details: string): never {
  const code = place === 'query' ? 'invalid_query_string' : place === 'body' ? 'invalid_body' : 'invalid_uri';
  return refuse(400, code, `Payload validation error: ${place}: ${details}`);
}
