import type { Exchange } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import type { Cloud, Contract, Operation } from '../contract/model.ts';
import type { Control } from '../control/control.ts';
import type { FullContext, RequirementContext } from './context.ts';
import type { Capability } from './target.ts';

/** Members of the context that a check has only where its needs name them. */
interface ByNeed {
  readonly mint: Pick<FullContext, 'minter'>;
  readonly client: Pick<FullContext, 'client'>;
  readonly seed: Pick<FullContext, 'dataSet'> & { readonly control: Pick<Control, 'seed'> };
  readonly inspect: Pick<FullContext, 'dataSet'> & { readonly control: Pick<Control, 'inspect'> };
  readonly data: Pick<FullContext, 'dataSet'>;
  readonly clock: Pick<FullContext, 'clock'> & { readonly control: Pick<Control, 'moveClock'> };
  readonly logs: Pick<FullContext, 'logs'>;
}

type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer Every) => void
  ? Every
  : never;

/** What a check with these needs is given. */
export type ContextFor<Need extends Capability> = RequirementContext &
  ([Need & keyof ByNeed] extends [never] ? unknown : All<ByNeed[Need & keyof ByNeed]>);

/**
 * What may run at the same time as a check. `parallel`: anything but an exclusive check; `operation`: anything but an exclusive check and others
 * on its operation; `exclusive`: nothing, because it seeds the tenant, moves the clock or must see all that changes.
 */
export type Lane = 'parallel' | 'operation' | 'exclusive';

/** How a check is run. */
export interface Execution<Need extends Capability = Capability> {
  /** What the suite must be able to do; a target without one of them is not judged. The context's members follow from them. */
  readonly needs: readonly Need[];
  readonly lane: Lane;
  /** The kind of cloud on which the specification can be read in one way only; both where left out. */
  readonly cloud?: Cloud;
}

/** Judges one requirement on one operation: returns where it passes, throws a Violation where it fails. */
export interface RequirementCheck extends Execution {
  readonly kind: 'requirement';
  readonly id: string;
  readonly judge: (ctx: FullContext) => Promise<void>;
  /** Judges every exchange of the run too, whichever requirement sent it, where what it sends itself passes. */
  readonly judgeExchange?: JudgeExchange | undefined;
}

/** What a check over all exchanges is given. */
export interface ExchangeContext {
  readonly contract: Contract;
  /** The operation that the exchange is with. */
  readonly operation: Operation;
  /** What the tenant contains, where that is known. */
  readonly dataSet: DataSet | undefined;
  /** Id of the requirement or observation that sent it. */
  readonly sentBy: string;
  /** True where a requirement sent it, with the usual token, as a request that is to be served. */
  readonly isValid: boolean;
}

/**
 * Looks at one exchange of the run, whichever requirement sent it: throws a Violation where it breaks the requirement. False where
 * it says nothing about it, so that it does not count as judged by it.
 */
export type JudgeExchange = (exchange: Exchange, ctx: ExchangeContext) => boolean;

/** Judges one requirement over every exchange of the run with one of its operations. */
export interface ExchangeCheck {
  readonly kind: 'exchange';
  readonly id: string;
  readonly needs: readonly Capability[];
  readonly judgeExchange: JudgeExchange;
  /** Stack of its definition, for violations that are thrown in code that several checks share. */
  readonly definition: string;
}

/** Finds out what the target does where the specification is silent. Undefined: nothing was seen. */
export interface Observation extends Execution {
  readonly kind: 'observation';
  readonly id: string;
  readonly observe: (ctx: FullContext) => Promise<unknown>;
}

/** The code of one row of `fixtures/requirements.yaml`. */
export type Check = RequirementCheck | ExchangeCheck | Observation;

/**
 * How the requirement of this id is judged. Level, description and operations are in its row.
 * @param judgeExchange judges what other requirements send too
 */
export function requirement<const Need extends Capability>(
  id: string,
  execution: Execution<Need>,
  judge: (ctx: ContextFor<Need>) => Promise<void>,
  judgeExchange?: JudgeExchange,
): RequirementCheck;
export function requirement(
  id: string,
  execution: Execution,
  judge: RequirementCheck['judge'],
  judgeExchange?: JudgeExchange,
): RequirementCheck {
  return { kind: 'requirement', id, ...execution, judge, judgeExchange };
}

/** A requirement that is judged over every exchange of the run with one of its operations. */
export function exchangeCheck(
  id: string,
  needs: readonly Capability[],
  judgeExchange: JudgeExchange,
): ExchangeCheck {
  const [, ...definition] = (new Error().stack ?? '').split('\n');
  return { kind: 'exchange', id, needs, judgeExchange, definition: definition.join('\n') };
}

/** How the observation of this id is made. */
export function observation<const Need extends Capability>(
  id: string,
  execution: Execution<Need>,
  observe: (ctx: ContextFor<Need>) => Promise<unknown>,
): Observation;
export function observation(id: string, execution: Execution, observe: Observation['observe']): Observation {
  return { kind: 'observation', id, ...execution, observe };
}
