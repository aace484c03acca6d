import fc, { type Arbitrary } from 'fast-check';
import { type Contract, safeMethods } from '../contract/model.ts';
import { settleAll } from './settle-all.ts';
import { Violation } from './verdict.ts';

/** How a property is checked. */
export interface PropertyOptions<T> {
  /** How many values; the run's number where left out. */
  readonly runs?: number;
  /** Values that are tried first, whatever the seed. */
  readonly examples?: readonly T[];
  /** True where the values must be tried one after another. */
  readonly sequential?: boolean;
  /** The counterexample as the report shows it; the value itself where left out. */
  readonly show?: (value: T) => unknown;
}

/** Operations of a contract from which on values are shared out among them, more where a property has more examples. */
const sharedFrom = 50;
const operationsPerExample = 2;

/** Which part of its values a requirement tries on each operation: 1 for all. @param runs the run's number of examples */
export function shareOf({ operations }: Contract, runs: number): number {
  return Math.min(1, Math.max(sharedFrom, operationsPerExample * runs) / operations.length);
}

/** Longest time for shrinking a counterexample, in milliseconds: a hanging server must not delay the run. */
const shrinkTimeLimitMs = 20_000;

/**
 * Checks the predicate on generated values. The first failing one is shrunk, and stands in the violation as its counterexample;
 * the same seed gives the same one.
 * @param options.onViolation called with every violation, those on the way to the smallest too
 * @throws Violation for a counterexample, and what else the predicate throws
 */
export async function checkProperty<T>(
  arbitrary: Arbitrary<T>,
  predicate: (value: T) => Promise<void>,
  options: PropertyOptions<T> & {
    readonly runs: number;
    readonly seed: number;
    readonly onViolation: (violation: Violation) => void;
  },
): Promise<void> {
  const { show = (value: T): unknown => value, examples = [], seed, runs: numRuns } = options;
  const check = async (value: T): Promise<void> => {
    try {
      await predicate(value);
    } catch (error) {
      if (error instanceof Violation) {
        options.onViolation(error);
        error.counterexample ??= show(value);
      }
      throw error;
    }
  };
  for (const example of examples) await check(example);
  let concurrent: Violation | undefined;
  if (options.sequential !== true) {
    try {
      await settleAll(fc.sample(arbitrary, { seed, numRuns }), check);
      return;
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      concurrent = error;
    }
  }
  await shrink(arbitrary, check, { seed, numRuns, show });
  // It shows only with requests at the same time. The specification leaves open what updates at the same time do to each other.
  if (concurrent?.exchanges.every(({ request }) => safeMethods.has(request.method))) throw concurrent;
}

async function shrink<T>(
  arbitrary: Arbitrary<T>,
  check: (value: T) => Promise<void>,
  { show, ...parameters }: { seed: number; numRuns: number; show: (value: T) => unknown },
): Promise<void> {
  let last: { violation: Violation; value: T } | undefined;
  let fatal: unknown;
  const result = await fc.check(
    fc.asyncProperty(arbitrary, async (value) => {
      if (fatal !== undefined) return;
      try {
        await check(value);
      } catch (error) {
        if (!(error instanceof Violation)) {
          fatal = error;
          return;
        }
        last = { violation: error, value };
        throw error;
      }
    }),
    { ...parameters, interruptAfterTimeLimit: shrinkTimeLimitMs, markInterruptAsFailure: false },
  );
  if (last !== undefined) {
    last.violation.counterexample = show(result.counterexample?.[0] ?? last.value);
    throw last.violation;
  }
  if (fatal !== undefined) throw fatal;
}
