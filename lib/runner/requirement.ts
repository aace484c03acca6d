import type { Exchange } from '../client/exchange.ts';
import type { DataSet } from '../contract/data-set.ts';
import type { Cloud, Contract, Operation } from '../contract/model.ts';
import type { Control } from '../control/control.ts';
import type { Capability } from './capabilities.ts';
import type { FullContext, RequirementContext } from './context.ts';

/** A member of the context that is not undefined. */
type Known<Member extends keyof FullContext> = { readonly [Each in Member]: NonNullable<FullContext[Each]> };

/** Members of the context that a check certainly has if its needs include them. */
interface ByNeed {
  readonly mint: Known<'minter'>;
  readonly client: Known<'client'>;
  readonly seed: Known<'dataSet'> & { readonly control: Pick<Control, 'seed'> };
  readonly inspect: Known<'dataSet'> & { readonly control: Pick<Control, 'inspect'> };
  readonly data: Known<'dataSet'>;
  readonly clock: Known<'clock'>;
  readonly logs: Known<'logs'>;
}

type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer Every) => void
  ? Every
  : never;

/** The context of a check with these needs. */
export type ContextFor<Need extends Capability> = RequirementContext &
  ([Need & keyof ByNeed] extends [never] ? unknown : All<ByNeed[Need & keyof ByNeed]>);

/**
 * What may run at the same time as a check. `parallel`: parallel checks, and `operation` checks of other operations; `operation`:
 * checks of other operations, except exclusive ones; `exclusive`: nothing, because the check seeds the tenant, moves the clock or must
 * see everything that changes.
 */
export type Lane = 'parallel' | 'operation' | 'exclusive';

/** How a check is run. */
export interface Execution<Need extends Capability = Capability> {
  /** Capabilities that the check needs. It is not judged on a target without them. They determine the context's members. */
  readonly needs: readonly Need[];
  /** Default: parallel. */
  readonly lane?: Lane;
  /** The only kind of cloud to judge, if the specification is ambiguous for the other. Default: both. */
  readonly cloud?: Cloud;
  /** Also judges every other exchange of the run, if the requirement's own exchanges pass. */
  readonly judgeExchange?: JudgeExchange;
}

/** Judges one requirement on one operation, or records what the target does where the specification is silent. */
export interface SendingCheck extends Execution {
  readonly lane: Lane;
  readonly kind: 'requirement' | 'observation';
  readonly id: string;
  /** Returns if the requirement passes, throws a Violation if it fails. An observation returns what was seen, if anything. */
  readonly judge: (ctx: FullContext) => Promise<unknown>;
}

/** The context of an exchange check. */
export interface ExchangeContext {
  readonly contract: Contract;
  readonly cloud: Cloud;
  /** The operation of the exchange. */
  readonly operation: Operation;
  /** What the tenant contains, if known. */
  readonly dataSet: DataSet | undefined;
  /** Id of the requirement or observation that sent the exchange. */
  readonly sentBy: string;
  /** True if a requirement sent it with the usual token and it must be served. */
  readonly isValid: boolean;
}

/**
 * Judges one exchange of the run, whichever requirement sent it: throws a Violation if it breaks the requirement. Returns false
 * if the requirement does not apply to it, so that it does not count as judged.
 */
export type JudgeExchange = (exchange: Exchange, ctx: ExchangeContext) => boolean;

/** Judges one requirement over every exchange of the run with one of its operations. */
export interface ExchangeCheck {
  readonly kind: 'exchange';
  readonly id: string;
  readonly needs: readonly Capability[];
  readonly judgeExchange: JudgeExchange;
  /** Stack of its definition, for violations thrown in shared code. */
  readonly definition: string;
}

/** The implementation of one row of `fixtures/requirements.yaml`. */
export type Check = SendingCheck | ExchangeCheck;

/** Defines how to judge the requirement with this id. Its row has the level, description and operations. */
export function requirement<const Need extends Capability>(
  id: string,
  execution: Execution<Need>,
  judge: (ctx: ContextFor<Need>) => Promise<void>,
): SendingCheck;
export function requirement(id: string, execution: Execution, judge: SendingCheck['judge']): SendingCheck {
  return { kind: 'requirement', id, lane: 'parallel', ...execution, judge };
}

/** Defines a requirement that is judged over every exchange of the run with one of its operations. */
export function exchangeCheck(
  id: string,
  needs: readonly Capability[],
  judgeExchange: JudgeExchange,
): ExchangeCheck {
  const [, ...definition] = (new Error().stack ?? '').split('\n');
  return { kind: 'exchange', id, needs, judgeExchange, definition: definition.join('\n') };
}

/** Defines how to make the observation with this id. */
export function observation<const Need extends Capability>(
  id: string,
  execution: Execution<Need>,
  observe: (ctx: ContextFor<Need>) => Promise<unknown>,
): SendingCheck;
export function observation(id: string, execution: Execution, judge: SendingCheck['judge']): SendingCheck {
  return { kind: 'observation', id, lane: 'parallel', ...execution, judge };
}
