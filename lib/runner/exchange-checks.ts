import { type Exchange, isSuccess } from '../client/exchange.ts';
import { isObject } from '../contract/json.ts';
import { bodyKindOf, covers } from '../contract/media-types.ts';
import type { Contract, MediaType, Operation } from '../contract/model.ts';
import { ifGenerated } from '../contract/not-generated.ts';
import { defaultShareOfMaximum } from '../contract/pagination.ts';
import type { SchemaError } from '../contract/schema.ts';
import { validValues } from '../contract/valid.ts';
import { listIn } from './call-result.ts';
import { expectAtMost, expectNoServerError, expectThat, show } from './expect.ts';
import type { ExchangeContext, JudgeExchange } from './requirement.ts';
import { Violation } from './verdict.ts';
import type { Item } from './walk.ts';

/** What exchange checks judge on each exchange. Each returns true if the exchange shows that the requirement holds. */

/**
 * True for a response of 500 or above that refuses the body: of a gateway to a body over the limit, because the service closed the
 * connection while it was still being sent (RFC 9110, sections 15.6.3 to 15.6.5), or of a server that does not understand chunks
 * (RFC 9112, section 6.1).
 */
export function refusesBodyWith5xx({ request, response }: Exchange, { payload }: Contract): boolean {
  const code = response?.status ?? 0;
  const isOverLimit = request.bodyBytes > payload.accepts && [502, 503, 504].includes(code);
  return isOverLimit || (request.chunked && code === 501);
}

/** No response of 500 or above. */
export const noServerError: JudgeExchange = (exchange, { contract, sentBy }) => {
  if (refusesBodyWith5xx(exchange, contract)) return false;
  const because = `no request may break the service; ${sentBy} sent this one`;
  expectNoServerError({ exchange, certain: true }, because);
  return true;
};

/** Successful responses have a declared status. */
export const declaredStatus: JudgeExchange = (exchange, { operation: { success } }) => {
  const code = exchange.response?.status ?? 0;
  const statuses = success.map(({ status }) => status);
  if (!isSuccess(code) || statuses.length === 0) return false;
  const isDeclared = declarationsOf(code).some((each) => statuses.includes(each));
  const because = 'the contract declares no other status of success';
  expectThat(isDeclared, { expected: statuses.join(' or '), because }, String(code), exchange);
  return true;
};

/** Successful responses have a declared media type. For JSON, any JSON media type is accepted (RFC 6839, section 3.1). */
export const declaredMediaType: JudgeExchange = (exchange, { operation }) => {
  const content = declaredContent(operation, exchange);
  // A response without a body is another requirement's failure.
  if (content.length === 0 || exchange.response?.status === 204) return false;
  const got = exchange.response?.mediaType;
  const wanted = content.map((each) => each.mediaType);
  const isJson = got !== undefined && bodyKindOf(got) === 'json';
  const isCovered = (each: string) =>
    got !== undefined && (covers(each, got) || (isJson && bodyKindOf(each) === 'json'));
  if (!wanted.some(isCovered)) {
    throw new Violation(`Content-Type: ${wanted.join(' or ')}`, got ?? 'no Content-Type', [exchange]);
  }
  return true;
};

/**
 * Successful responses are valid against the declared schema. Only errors within these components count: each component has its
 * own requirement, so that one mistake is reported once. Without components, all errors count.
 */
export function matchesSchema(...components: readonly string[]): JudgeExchange {
  return (exchange, ctx) => {
    const { contract, operation } = ctx;
    const found = schemaErrors(ctx, exchange);
    if (found === undefined) return false;
    const errors = found.filter(
      (error) =>
        !isNull(contract, error) && (components.length === 0 || components.includes(error.component ?? '')),
    );
    const [error] = errors;
    if (error !== undefined) {
      if (!isSatisfiable(contract, operation, exchange)) return false;
      const { text = '' } = exchange.response ?? {};
      const notJson = text === '' ? 'an empty body' : `${show(text)}, which is not JSON`;
      throw new Violation(
        `${error.pointer === '' ? 'the body' : error.pointer} ${error.message.replace(/^must /, 'to ')}`,
        error.value === undefined ? notJson : show(error.value),
        [exchange],
      );
    }
    return components.length === 0 || components.some((name) => containsComponent(ctx, name));
  };
}

/** Optional fields without a value are absent, not null. */
export const noNull: JudgeExchange = (exchange, ctx) => {
  // 8/checkpoint-next-absent covers a null checkpoint.
  const found = schemaErrors(ctx, exchange);
  const error = found?.find((each) => isNull(ctx.contract, each) && each.pointer !== '/next');
  if (error !== undefined) throw new Violation(`${error.pointer} to be absent`, 'null', [exchange]);
  return found !== undefined;
};

/** A page has at most as many items as its query requests or, without a size, as the default. */
export const judgeRequestedSize: JudgeExchange = (exchange, { operation, cloud }) => {
  const list = listedItems(exchange, operation);
  const { pagination } = operation;
  if (list === undefined || pagination === undefined) return false;
  const sizes = new URL(exchange.request.url).searchParams.getAll(pagination.size.parameter.name);
  const { default: usual, cloudMaximum } = pagination.size;
  // The default of the operation, or that of section 8.
  const [size = String(Math.max(usual, cloudMaximum[cloud] * defaultShareOfMaximum))] = sizes;
  // The specification does not say which of several values counts, nor what other notations mean.
  if (sizes.length > 1 || !/^[1-9]\d{0,8}$/.test(size)) return false;
  expectAtMost(Number(size), list, { exchange });
  return true;
};

/** The items of the listing in a successful response; undefined if it contains no such list. */
export function listedItems({ response }: Exchange, { pagination }: Operation): readonly Item[] | undefined {
  const { status = 0, json } = response ?? {};
  if (pagination === undefined || !isSuccess(status)) return undefined;
  return listIn(json, pagination.items);
}

/** How a contract may declare a status of success, the most specific first. */
const declarationsOf = (status: number): string[] => [String(status), '2XX', 'DEFAULT'];

/** The content that the contract declares for a successful response; empty for any other response. */
function declaredContent(operation: Operation, { response }: Exchange): readonly MediaType[] {
  const { method, success, pagination, specified } = operation;
  const status = response?.status ?? 0;
  if (!isSuccess(status)) return [];
  const statuses = declarationsOf(status);
  // The specification does not name the status. A listing has a body, even if it has no items.
  if (specified || (status === 204 && pagination !== undefined)) statuses.push('200');
  const declared = statuses
    .map((wanted) => success.find((each) => each.status === wanted))
    .find((each) => each !== undefined);
  // These have no content, whatever is declared (RFC 9110, sections 9.3.2 and 15.3.5).
  const isEmpty = method === 'HEAD' || (status === 204 && declared?.status !== '200');
  return isEmpty ? [] : (declared?.content ?? []);
}

/** The declared content for the media type of the response; for an undeclared media type the first one. */
function declaredFor(operation: Operation, exchange: Exchange): MediaType | undefined {
  const declared = declaredContent(operation, exchange);
  const got = exchange.response?.mediaType ?? '';
  return declared.find(({ mediaType }) => covers(mediaType, got)) ?? declared[0];
}

/** Cached bodies as they are validated, with their errors. All checks of an exchange get the same context. */
const validated = new WeakMap<
  ExchangeContext,
  { readonly value: unknown; readonly errors: readonly SchemaError[] }
>();

/** The schema errors of the response; undefined if no JSON schema is declared for it. */
function schemaErrors(ctx: ExchangeContext, exchange: Exchange): readonly SchemaError[] | undefined {
  const known = validated.get(ctx);
  if (known !== undefined) return known.errors;
  const { response } = exchange;
  const content = declaredFor(ctx.operation, exchange);
  if (content === undefined || content.kind !== 'json' || content.validate.problem !== undefined)
    return undefined;
  const value = (response?.bodyBytes ?? 0) > wholeBytes ? sampled(response?.json) : response?.json;
  const errors = content.validate(value);
  validated.set(ctx, { value, errors });
  return errors;
}

/** Whether a valid value was found for the schema of a response. */
const satisfiable = new WeakMap<MediaType, boolean>();

/** False if no valid value is found: a contract may contradict itself, so that no server can conform. */
function isSatisfiable(contract: Contract, operation: Operation, exchange: Exchange): boolean {
  const content = declaredFor(operation, exchange);
  if (content === undefined) return true;
  const isFound =
    satisfiable.get(content) ?? ifGenerated(() => validValues(contract, content, 'response')) !== undefined;
  satisfiable.set(content, isFound);
  return isFound;
}

/** Bytes of a response up to which all of it is validated. */
const wholeBytes = 64 * 1024;

/** Items of a list and fields of an object that are validated in a large response: more than any page contains. */
const judgedItems = 200;
const judgedFields = 2_000;

/** The value with long lists and objects truncated. The driver limits its depth. */
function sampled(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, judgedItems).map(sampled);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, judgedFields)
      .map(([name, inner]) => [name, sampled(inner)]),
  );
}

function isNull(contract: Contract, error: SchemaError): boolean {
  const name = error.pointer.split('/').at(-1) ?? '';
  const required = error.component === undefined ? [] : (contract.component(error.component)?.required ?? []);
  return error.value === null && error.keyword === 'type' && error.pointer !== '' && !required.includes(name);
}

/** True if the response contains a field of the component. A listing without items shows nothing about its items. */
function containsComponent(ctx: ExchangeContext, name: string): boolean {
  const { properties } = ctx.contract.component(name) ?? {};
  if (properties === undefined) return true;
  return containsAny(validated.get(ctx)?.value, Object.keys(properties), 0);
}

function containsAny(value: unknown, fields: readonly string[], depth: number): boolean {
  if (depth > 8) return false;
  if (Array.isArray(value)) return value.some((each) => containsAny(each, fields, depth + 1));
  if (!isObject(value)) return false;
  if (fields.some((field) => Object.hasOwn(value, field))) return true;
  for (const name in value) if (containsAny(value[name], fields, depth + 1)) return true;
  return false;
}
