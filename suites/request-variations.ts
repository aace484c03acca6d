import type { RequirementContext } from '../lib/runner/context.ts';
import { effortFraction } from '../lib/runner/run-context.ts';

/** Variations of a request, which do not change its meaning. */

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

/** The most variations that an operation of the specification has. */
const mostVariations = 5;

/**
 * Some of these values, others in each variation and on each operation, so that a few requests cover all of them.
 * @param count number of values. Default: 1
 */
export function inTurn<T>(
  { contract, operation }: RequirementContext,
  values: readonly T[],
  variation: number,
  count = 1,
): readonly T[] {
  const turn = variation + mostVariations * contract.operations.indexOf(operation);
  const start = (count * turn) % values.length;
  return [...values, ...values].slice(start, start + count);
}
