import { isDeepStrictEqual } from 'node:util';
import { type Exchange, isSuccess } from '../client/exchange.ts';
import { resourceKinds } from '../contract/data-set.ts';
import { isObject } from '../contract/json.ts';
import { differenceOf, show } from '../report/difference.ts';
import { copyOfStart, count, duration, plural } from '../report/text.ts';
import type { Call } from './call.ts';
import { type CallResult, responseOf, status } from './call-result.ts';
import { capabilityTable } from './capabilities.ts';
import type { RequirementContext } from './context.ts';
import { type Expectation, NotJudged, reasoned, Violation } from './verdict.ts';

export { count, duration, plural, show };

/** Characters of a body that are read for a message, as JSON and otherwise. */
const readJsonCharacters = 256 * 1024;
const readTextCharacters = 4_000;

/** Characters of a body, and of one text in it, that are shown with a status. */
const bodyCharacters = 240;
const textCharacters = 100;

/** The status for messages, with an outline of a JSON body, or the text of another body without its HTML tags. */
function shown(result: CallResult): string {
  const { text, json } = responseOf(result);
  const markup = /<(script|style)\b[\s\S]*?(<\/\1>|$)|<[^>]*>/gi;
  const isOutlined = json !== undefined && text.length <= readJsonCharacters;
  const content = isOutlined
    ? outline(json)
    : copyOfStart(text, readTextCharacters).replace(markup, ' ').trim();
  const words = content.replaceAll(/\s+/g, ' ');
  const code = status(result);
  // The body of a success matters less than its status.
  const length = code < 300 ? textCharacters : bodyCharacters;
  if (words === '') return String(code);
  const start = shortened(words, length);
  return `${code} with ${isOutlined ? start : `"${start}"`}`;
}

/** JSON text of the value, with inner lists of objects as `[51 items]` and long texts truncated. */
function outline(value: unknown): string {
  const text = JSON.stringify(value, (name, inner: unknown) => {
    if (Array.isArray(inner) && name !== '' && inner.some(isObject))
      return `[${plural(inner.length, 'item')}]`;
    return typeof inner === 'string' ? shortened(inner, textCharacters) : inner;
  });
  return text.replaceAll(/"(\[[\d,]+ items?])"/g, '$1');
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${copyOfStart(text, length)}…` : text;
}

/** Why a 404 is not judged for data that may not exist. */
const mayNotExist = [
  '404 for data that may not exist',
  [...new Set(resourceKinds.flatMap((kind) => capabilityTable[kind].requiredFlags))],
] as const;

/** Throws a Violation that shows the response unless it is right. */
function expectResult(isRight: boolean, expectation: Expectation, result: CallResult): void {
  if (!isRight) throw new Violation(expectation, shown(result), [result.exchange]);
}

/** The request was served: 2xx; if its data may not exist, any status below 500 except 401 and 403. */
export function expectServed(result: CallResult, because = 'the request is valid'): void {
  const code = status(result);
  const isRight = result.certain ? isSuccess(code) : code !== 401 && code !== 403 && code < 500;
  const expected = result.certain ? 'a 2xx status' : 'a status other than 401 and 403, below 500';
  expectResult(isRight, { expected, because }, result);
}

/** The request was not served and did not break the server: neither 2xx nor 5xx. A redirect or 404 of a router is accepted. */
export function expectNotServed(result: CallResult, because: string): void {
  const code = status(result);
  const isRight = !isSuccess(code) && code < 500;
  expectResult(isRight, { expected: 'neither 2xx nor 5xx', because }, result);
}

/** The token was accepted: neither 401 nor 403. Throws NotJudged for a 5xx status. */
export function expectTokenAccepted(result: CallResult, because: string): void {
  if (status(result) >= 500)
    throw new NotJudged(`${status(result)} does not show whether the token was accepted`);
  const isAccepted = ![401, 403].includes(status(result));
  expectResult(isAccepted, { expected: 'neither 401 nor 403', because }, result);
}

/** The request was answered with exactly this status. Throws NotJudged for 404 if its data may not exist. */
export function expectStatus(result: CallResult, wanted: number, because: string): void {
  if (status(result) === 404 && !result.certain) throw new NotJudged(...mayNotExist);
  expectResult(status(result) === wanted, { expected: String(wanted), because }, result);
}

/**
 * The request was answered with a status of success and content. The specification names no status of responses to reads.
 * @throws NotJudged for 404 if its data may not exist
 */
export function expectSuccess(result: CallResult, because: string): void {
  if (status(result) === 404 && !result.certain) throw new NotJudged(...mayNotExist);
  const isRight = isServed(result) && status(result) !== 204;
  expectResult(isRight, { expected: 'a 2xx status with content', because }, result);
}

/** @throws NotJudged for 404 if the tenant's data is not known: the data that the request names may not exist */
export function assertExists({ contract, dataSet }: RequirementContext, result: CallResult): void {
  const operation = contract.operations.find(({ id }) => id === result.exchange.operation);
  const kinds = resourceKinds.filter((kind) =>
    operation?.parameters.some(({ resource }) => resource === kind),
  );
  if (status(result) !== 404 || dataSet !== undefined || kinds.length === 0) return;
  const flags = kinds.flatMap((kind) => capabilityTable[kind].requiredFlags.slice(0, 1));
  const { pathname } = new URL(result.exchange.request.url);
  // Policies that a flag names are only for requests that delete one.
  if (!result.certain)
    throw new NotJudged(
      `404 for ${pathname}, an id that the suite generated`,
      kinds.includes('rate_limit_policy') ? ['--control'] : flags,
    );
  throw new NotJudged(
    `404 for ${pathname}: the resource named by ${flags.join(' and ')} may not exist`,
    flags,
  );
}

/** The request is refused with 400. */
export async function expect400(ctx: RequirementContext, call: Call, because: string): Promise<void> {
  const result = await ctx.probe(call);
  assertExists(ctx, result);
  expectStatus(result, 400, because);
}

/**
 * The request was refused with one of these statuses (default: any 4xx).
 * @throws NotJudged for 404 if its data may not exist: the target may have permitted the request
 */
export function expectRefused(result: CallResult, because: string, wanted: readonly number[] = []): void {
  const code = status(result);
  if (code === 404 && !result.certain) throw new NotJudged(...mayNotExist);
  const isRight = wanted.length === 0 ? isRefusal(result) : wanted.includes(code);
  const expected = wanted.length === 0 ? 'a 4xx status' : wanted.join(' or ');
  expectResult(isRight, { expected, because }, result);
}

/** The two values are deeply equal. */
export function expectEqual(
  what: Expectation,
  wanted: unknown,
  got: unknown,
  ...exchanges: readonly Exchange[]
): void {
  if (isDeepStrictEqual(got, wanted)) return;
  const { expected, because } = reasoned(what);
  throw new Violation(what, show(got), exchanges, differenceOf(expected, wanted, got, because));
}

/** No forbidden values were found. */
export function expectNone(
  what: Expectation,
  found: readonly string[],
  ...exchanges: readonly Exchange[]
): void {
  expectEqual(what, [], found, ...exchanges);
}

/** The list has at most this many items. */
export function expectAtMost(
  limit: number,
  found: readonly unknown[],
  { exchange }: Pick<CallResult, 'exchange'>,
): void {
  const got = plural(found.length, 'item');
  expectThat(found.length <= limit, `at most ${plural(limit, 'item')}`, got, exchange);
}

/** The request did not break the server: any status below 500. */
export function expectNoServerError(result: CallResult, because: string): void {
  const code = status(result);
  expectThat(code < 500, { expected: 'a status below 500', because }, String(code), result.exchange);
}

/** The condition is met. */
export function expectThat(
  condition: boolean,
  expectation: Expectation,
  got: string,
  ...exchanges: readonly Exchange[]
): void {
  if (!condition) throw new Violation(expectation, got, exchanges);
}

/** True for a status of success: any 2xx. */
export const isServed = (result: CallResult): boolean => isSuccess(status(result));

/** True for a refusal: any 4xx. */
export function isRefusal(result: CallResult): boolean {
  return status(result) >= 400 && status(result) < 500;
}
