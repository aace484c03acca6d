import fc, { type Arbitrary } from 'fast-check';
import { type Contract, safeMethods } from '../contract/model.ts';
import type { FullContext } from './context.ts';
import { settleAll } from './settle-all.ts';
import { Violation } from './verdict.ts';

/** Options of a property. */
export interface PropertyOptions<T> {
  /** Fraction of the run's number of examples that is generated. Default: 1. */
  readonly fraction?: number;
  /** Values that are tried first, for every seed. */
  readonly examples?: readonly T[];
  /** True if the values must be tried one after another. */
  readonly sequential?: boolean;
}

/** A contract with more operations than this, and than this many per example, distributes values among them. */
const sharedFrom = 50;
const operationsPerExample = 2;

/** The share of its values that a requirement tries on each operation: 1 for all. @param runs the run's number of examples */
export function operationFraction({ operations }: Contract, runs: number): number {
  return Math.min(1, Math.max(sharedFrom, operationsPerExample * runs) / operations.length);
}

/** Maximum time for shrinking a counterexample, in milliseconds: a hanging server must not delay the run. */
const shrinkTimeLimitMs = 20_000;

/**
 * Checks the predicate on generated values. The first failing value is shrunk and becomes the counterexample of the violation.
 * The same seed gives the same counterexample.
 * @throws Violation for a counterexample, and any other error of the predicate
 */
export async function checkProperty<T>(
  ctx: FullContext,
  arbitrary: Arbitrary<T>,
  predicate: (value: T) => Promise<void>,
  { fraction = 1, examples = [], sequential = false }: PropertyOptions<T>,
): Promise<void> {
  const { runs } = ctx.run;
  const numRuns = Math.ceil(runs * fraction * operationFraction(ctx.contract, runs));
  const parameters = { seed: ctx.seed, numRuns };
  const check = async (value: T): Promise<void> => {
    try {
      await predicate(value);
    } catch (error) {
      if (error instanceof Violation) {
        // Also those that are found while shrinking.
        ctx.run.attribute(error.exchanges);
        error.counterexample ??= value;
      }
      throw error;
    }
  };
  for (const example of ctx.share(examples, 2)) await check(example);
  let concurrent: Violation | undefined;
  if (!sequential) {
    try {
      await settleAll(fc.sample(arbitrary, parameters), check);
      return;
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      concurrent = error;
    }
  }
  await shrink(arbitrary, check, parameters);
  // Only concurrent requests violate it. The specification does not say how concurrent updates affect each other.
  if (concurrent?.exchanges.every(({ request }) => safeMethods.has(request.method))) throw concurrent;
}

async function shrink<T>(
  arbitrary: Arbitrary<T>,
  check: (value: T) => Promise<void>,
  parameters: { readonly seed: number; readonly numRuns: number },
): Promise<void> {
  let fatal: unknown;
  const { errorInstance, counterexample } = await fc.check(
    fc.asyncProperty(arbitrary, async (value) => {
      if (fatal !== undefined) return;
      try {
        await check(value);
      } catch (error) {
        if (error instanceof Violation) throw error;
        fatal = error;
      }
    }),
    { ...parameters, interruptAfterTimeLimit: shrinkTimeLimitMs, markInterruptAsFailure: false },
  );
  if (errorInstance instanceof Violation) {
    if (counterexample !== null) errorInstance.counterexample = counterexample[0];
    throw errorInstance;
  }
  if (fatal !== undefined) throw fatal;
}
