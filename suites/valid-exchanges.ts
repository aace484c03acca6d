import type { Exchange } from '../lib/client/exchange.ts';
import { essenceOf } from '../lib/contract/media-types.ts';
import type { Operation, Parameter } from '../lib/contract/model.ts';
import { expectStatus, expectThat, isServed, show } from '../lib/runner/expect.ts';
import type { JudgeExchange } from '../lib/runner/requirement.ts';
import { isOrdinaryFilter } from './experiments-content.ts';
import { isNeutralTemplate, messagesOfUpdate } from './phone-messages.ts';

/** Valid requests that every requirement may send and none may see refused. */

/** Statuses of refusals that do not concern the input. */
const notOfInput = [401, 403, 408, 429];

/** True for a value that the specification allows on every cloud, in its usual spelling. */
function isPlain({ pagination }: Operation, { name, schema, validate }: Parameter, text: string): boolean {
  const value = schema.type === 'integer' && /^(0|[1-9]\d*)$/.test(text) ? Number(text) : text;
  const isSize = name === pagination?.size.parameter.name;
  const isWithin = !isSize || (Number(value) >= 1 && Number(value) <= pagination.size.maximum.public);
  return isOrdinaryFilter(text) && validate(value).length === 0 && isWithin;
}

/** True if the request declares exactly this media type, without parameters. */
const hasType = ({ request }: Exchange, mediaType: string): boolean =>
  request.headers.some(([name, value]) => name === 'content-type' && value === mediaType);

/** The request was not answered with 400. */
function expectNot400(exchange: Exchange, because: string): void {
  const expectation = { expected: 'a status other than 400', because };
  expectThat(exchange.response?.status !== 400, expectation, '400', exchange);
}

/**
 * No update of another requirement is refused because of its messages. Skips updates with a correlation ID or a query, which may be
 * the cause.
 */
export const acceptsMessages =
  (mediaType: string): JudgeExchange =>
  (exchange, { isValid, operation }) => {
    const { headers, url } = exchange.request;
    const hasId = headers.some(([name]) => name === operation.correlation?.header.toLowerCase());
    const sent = messagesOfUpdate(exchange);
    if (!isValid || !hasType(exchange, mediaType) || hasId || new URL(url).search !== '') return false;
    if (sent === undefined || !Object.values(sent).every(isNeutralTemplate)) return false;
    expectNot400(exchange, 'nothing in the specification makes the messages invalid');
    return true;
  };

/** True if the request declares this media type, with or without parameters. */
export const hasMediaType = ({ request }: Exchange, mediaType: string): boolean =>
  request.headers.some(([name, value]) => name === 'content-type' && essenceOf(value) === mediaType);

/** Every accepted request with a body of this media type has the status 200 (section 4.1, item Response 200). */
export const acceptedWith200 =
  (mediaType: string): JudgeExchange =>
  (exchange, { isValid }) => {
    const result = { exchange, certain: true };
    if (!isValid || !hasMediaType(exchange, mediaType) || !isServed(result)) return false;
    expectStatus(result, 200, 'the update is accepted');
    return true;
  };

/** No valid request is refused for its query, if it has the parameter `name` and, besides it, only some of `others`. */
export const acceptsParameter =
  (name: string, ...others: readonly string[]): JudgeExchange =>
  (exchange, { operation, isValid }) => {
    const { path, parameters, pagination } = operation;
    const sent = [...new URL(exchange.request.url).searchParams];
    const names = sent.map(([each]) => each);
    const isMeant = names.includes(name) && names.every((each) => [name, ...others].includes(each));
    if (!isValid || !isMeant || new Set(names).size < names.length) return false;
    const isUsual = sent.every(([each, text]) => {
      const parameter = parameters.find((other) => other.in === 'query' && other.name === each);
      // A page may begin at the end of the items.
      const isLater = pagination?.kind === 'offset' && each === pagination.page && text !== '0';
      return parameter !== undefined && !isLater && isPlain(operation, parameter, text);
    });
    const code = exchange.response?.status ?? 0;
    // The path may name data that does not exist.
    if (!isUsual || (code === 404 && path.includes('{'))) return false;
    const isRefused = code >= 400 && code < 500 && !notOfInput.includes(code);
    const expectation = { expected: 'no 4xx status for the query', because: 'its parameters are valid' };
    expectThat(!isRefused, expectation, String(code), exchange);
    return true;
  };

/** Judges refusals that only a filter can have caused. */
export const acceptsAnyText: JudgeExchange = (exchange, { isValid }) => {
  const { searchParams } = new URL(exchange.request.url);
  const filters = [...searchParams].filter(([name]) => /^(authentication_flow|feature_flag_id)$/.test(name));
  if (!isValid || filters.length === 0 || searchParams.has('from')) return false;
  expectNot400(exchange, `${show(Object.fromEntries(filters))} may be any text`);
  return true;
};
