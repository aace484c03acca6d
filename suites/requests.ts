import type { Authorization } from '../lib/client/exchange.ts';
import type { Call } from '../lib/runner/call.ts';
import type { RequirementContext } from '../lib/runner/context.ts';
import type { ContextFor } from '../lib/runner/requirement.ts';
import { effortFraction } from '../lib/runner/run-context.ts';

/** Bodies, tokens and variations of requests that several suites send. */

/** A raw body with this media type. */
export const raw = (text: string, mediaType = 'application/json') => ({
  body: { mediaType, bytes: new TextEncoder().encode(text) },
});

/** Length of a body that is sent in several pieces. */
const slowCharacters = 300_000;

/** The value as JSON, padded with white space and sent slowly, so that concurrent requests overlap. */
export function slowJson(value: unknown): Call {
  const { body } = raw(JSON.stringify(value).padEnd(slowCharacters));
  return { body: { ...body, pauseMs: 20 } };
}

/** Servers commonly allow up to five minutes of clock skew. One more minute covers the actual skew. In seconds. */
export const widestLeeway = 6 * 60;

/** An Authorization value that is not secret, so that reports show it unredacted. */
export const literal = (value: string): Authorization => ({ value, secret: false });

/** Claims of a token (RFC 7519). */
export type Claims = Readonly<Record<string, unknown>>;

/** A minted token that permits the operation, with these claims in place of the usual ones; undefined omits one. */
export const minted = ({ minter, operation }: ContextFor<'mint'>, changes: Claims = {}, variation?: number) =>
  minter.sign({ ...minter.claims(operation.scopes, variation), ...changes });

/** Variations in which a request is sent so that it meets every class; one in a run of few examples. */
export function variationsOf({ run, operation }: RequirementContext): readonly number[] {
  return [...Array(Math.ceil(run.neutral.rowsOfGroup(operation) * effortFraction(run))).keys()];
}

/** The same variations, and the first one again: a service may remember its response to an equal request. */
export const variationsAndAgain = (ctx: RequirementContext): readonly number[] => [...variationsOf(ctx), 0];

/**
 * Two of these variations, which share no class, for requests that are large or many; one in a run of few examples.
 * @param first number of the first one. Default: 0
 */
export const twoVariations = (ctx: RequirementContext, first = 0): readonly number[] =>
  variationsOf(ctx)
    .slice(0, 2)
    .map((variation) => first + variation);

/** The usual number of variations of an operation, so that the turns of one operation follow those of the one before. */
const usualVariations = 3;

/**
 * Some of these values, others in each variation, on each operation and with each seed, so that a few requests cover all of them.
 * @param count number of values. Default: 1, or 2 on an operation with a body, which has the most classes
 */
export function inTurn<T>(
  { contract, operation, run }: RequirementContext,
  values: readonly T[],
  variation: number,
  count = operation.body === undefined ? 1 : 2,
): readonly T[] {
  const turn = run.seed + variation + usualVariations * contract.operations.indexOf(operation);
  const start = (count * turn) % values.length;
  return [...values, ...values].slice(start, start + count);
}
