import { type Exchange, isSuccess } from '../client/exchange.ts';
import type { ReceivedResponse } from '../client/received-response.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import { NotJudged, TargetFailure } from './verdict.ts';

/** An exchange, and whether the data that it names certainly exists. */
export interface CallResult {
  readonly exchange: Exchange;
  /** True if all data that the request names is known to exist. */
  readonly certain: boolean;
}

/** The response. Throws TargetFailure if there is none. */
export function responseOf({ exchange }: CallResult): ReceivedResponse {
  if (exchange.response === undefined) throw new TargetFailure(exchange);
  return exchange.response;
}

/** The status of the response. Throws as `responseOf` does. */
export function status(result: CallResult): number {
  return responseOf(result).status;
}

/** The body of the response if it is a JSON object; otherwise an empty object. */
export function members(result: CallResult): JsonObject {
  const { json } = responseOf(result);
  return isObject(json) ? json : {};
}

/** The list of objects with this name in a JSON body; if the name is empty, the body itself. Undefined if there is none. */
export function listIn(json: unknown, name: string): readonly JsonObject[] | undefined {
  const list = name === '' ? json : isObject(json) && json[name];
  return Array.isArray(list) && list.every(isObject) ? list : undefined;
}

/**
 * The items of the list with this name in the body of the response; if the name is empty, of the body itself. Empty if the
 * response is not a success. Throws NotJudged for a success without a list of objects: the requirements on its fields report
 * that, and an empty list would pass everything else.
 */
export function items(result: CallResult, name: string): readonly JsonObject[] {
  const code = status(result);
  if (!isSuccess(code)) return [];
  const list = listIn(responseOf(result).json, name);
  if (list === undefined)
    throw new NotJudged(
      `a ${code} response contains no list of ${name || 'items'}: see the requirements on its fields`,
    );
  return list;
}
