import type { Exchange } from '../client/exchange.ts';
import type { ReceivedResponse } from '../client/received-response.ts';
import { isObject } from '../contract/json.ts';
import { NotJudged, TargetFailure } from './verdict.ts';

/** An exchange, and how certain it is that its data exists. */
export interface CallResult {
  readonly exchange: Exchange;
  /** True where all data that the request names is known to exist: then nothing but the request decides. */
  readonly certain: boolean;
}

/** Too Many Requests (RFC 6585, section 4): says nothing of the request. */
const tooMany = 429;

/** The answer's response. Throws TargetFailure where none came, NotJudged where only 429 came for as long as it was waited for. */
export function response(answer: CallResult): ReceivedResponse {
  const { exchange } = answer;
  if (exchange.response === undefined) throw new TargetFailure(exchange);
  if (exchange.response.status === tooMany)
    throw new NotJudged('the target answered 429 (too many requests) for longer than the run waits', [
      '--rate',
      'limits in the profile',
    ]);
  return exchange.response;
}

/** The answer's status. Throws TargetFailure where none came. */
export function status(answer: CallResult): number {
  return response(answer).status;
}

/** The answer's body, where it is a JSON object; an empty object otherwise. */
export function members(answer: CallResult): Readonly<Record<string, unknown>> {
  const { json } = response(answer);
  return isObject(json) ? json : {};
}

/**
 * The items of the list of this name in the answer's body, or with an empty name of the body itself; none where the answer is not a
 * success. Throws NotJudged for a success without a list of objects: the requirements on the answer's fields are about that, and
 * an empty list would pass everything else.
 */
export function items(answer: CallResult, name: string): readonly Readonly<Record<string, unknown>>[] {
  const code = status(answer);
  if (code < 200 || code > 299) return [];
  const { json } = response(answer);
  const list = name === '' ? json : members(answer)[name];
  if (!Array.isArray(list) || !list.every(isObject))
    throw new NotJudged(
      `an answer of ${code} contains no list of ${name}: see the requirements on its fields`,
    );
  return list;
}
