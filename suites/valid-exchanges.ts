import { type Operation, type Parameter, safeMethods } from '../lib/contract/model.ts';
import { expectThat } from '../lib/runner/expect.ts';
import type { JudgeExchange } from '../lib/runner/requirement.ts';
import { isOrdinary } from './experiments-content.ts';

/** Valid requests that every requirement may send and none may see refused. */

/** Statuses of refusals that do not concern the input. */
const notOfInput = [401, 403, 408, 429];

/** True for a value that the specification allows on every cloud, in its usual spelling. */
function isPlain({ pagination }: Operation, { name, schema, validate }: Parameter, text: string): boolean {
  const value = schema.type === 'integer' && /^(0|[1-9]\d*)$/.test(text) ? Number(text) : text;
  const isSize = name === pagination?.size.parameter.name;
  const isWithin = !isSize || (Number(value) >= 1 && Number(value) <= pagination.size.maximum.public);
  return isOrdinary(text) && validate(value).length === 0 && isWithin;
}

/**
 * No valid request that reads is refused for its query.
 * @param names the requests to judge: those with the first of these parameters and none besides. Default: all
 */
export const refusesNone =
  (...names: readonly string[]): JudgeExchange =>
  (exchange, { operation, isValid }) => {
    const { specified, method, path, parameters, pagination } = operation;
    if (!isValid || !specified || !safeMethods.has(method)) return false;
    const sent = [...new URL(exchange.request.url).searchParams];
    const isMeant = ([name]: readonly [string, string]) => names.length === 0 || names.includes(name);
    const [first] = names;
    if (!sent.every(isMeant) || (first !== undefined && !sent.some(([name]) => name === first))) return false;
    const isUsual = sent.every(([name, text]) => {
      const parameter = parameters.find((each) => each.in === 'query' && each.name === name);
      const isRepeated = sent.filter(([other]) => other === name).length > 1;
      // A checkpoint may have expired, and a page may begin at the end of the items.
      const isLater =
        pagination?.kind === 'checkpoint'
          ? name === pagination.from
          : name === pagination?.page && text !== '0';
      return parameter !== undefined && !isRepeated && !isLater && isPlain(operation, parameter, text);
    });
    const code = exchange.response?.status ?? 0;
    // The path may name data that does not exist.
    if (!isUsual || (code === 404 && path.includes('{'))) return false;
    const isRefused = code >= 400 && code < 500 && !notOfInput.includes(code);
    expectThat(!isRefused, 'no refusal of a valid request', String(code), exchange);
    return true;
  };
