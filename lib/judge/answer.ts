import type { Exchange, Response } from '../target/exchange.ts';
import { TargetFailure } from './verdict.ts';

/** An exchange as requirements look at it. */
export interface Answer {
  readonly exchange: Exchange;
  /** True where all data that the request names is known to exist: then nothing but the request decides. */
  readonly certain: boolean;
}

/** Too Many Requests (RFC 6585, section 4): says nothing of the request. */
const tooMany = 429;

/** The answer's response. Throws TargetFailure where none came, or none but 429 for as long as it was waited for. */
export function response(answer: Answer): Response {
  const { exchange } = answer;
  if (exchange.response === undefined || exchange.response.status === tooMany)
    throw new TargetFailure(exchange);
  return exchange.response;
}

/** The answer's status. Throws TargetFailure where none came. */
export function status(answer: Answer): number {
  return response(answer).status;
}

/** The answer's body, where it is a JSON object; an empty object otherwise. */
export function members(answer: Answer): Readonly<Record<string, unknown>> {
  const { json } = response(answer);
  return isObject(json) ? json : {};
}

/** The array of this name in the answer's body, with the items that are objects. */
export function items(answer: Answer, name: string): readonly Readonly<Record<string, unknown>>[] {
  const value = members(answer)[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
