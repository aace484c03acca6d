import type { Exchange } from '../client/exchange.ts';
import type { RequirementContext } from './context.ts';

/** Judges one requirement on one operation: returns where it holds, throws a Violation where it does not. */
export type Judge = (ctx: RequirementContext) => Promise<void>;

/**
 * Looks at one exchange of the run, whichever requirement sent it: throws a Violation where it breaks the requirement. False where
 * it says nothing about it, so that it does not count as judged by it.
 */
export type Look = (exchange: Exchange, ctx: Pick<RequirementContext, 'contract'>) => boolean;

/** Finds out what the target does where the specification is silent. Undefined: nothing was seen. */
export type Observe = (ctx: RequirementContext) => Promise<unknown>;

/** The code beside one row of the ledger. */
export type Entry =
  | { readonly kind: 'requirement'; readonly id: string; readonly judge: Judge }
  | { readonly kind: 'passive'; readonly id: string; readonly look: Look }
  | { readonly kind: 'observation'; readonly id: string; readonly observe: Observe };

/** How the requirement of this id is judged. Level, needs and operations stand in the ledger. */
export function requirement(id: string, judge: Judge): Entry {
  return { kind: 'requirement', id, judge };
}

/** A requirement that is judged over every exchange of the run with one of its operations. */
export function passive(id: string, look: Look): Entry {
  return { kind: 'passive', id, look };
}

/** How the observation of this id is made. */
export function observation(id: string, observe: Observe): Entry {
  return { kind: 'observation', id, observe };
}
