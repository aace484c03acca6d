import { isObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { around, type Rule, type RuleName } from '../rule-overrides.ts';
import type { Where } from './predicates.ts';

type Args<N extends RuleName> = Parameters<Rule<N>>;
type Result<N extends RuleName> = ReturnType<Rule<N>>;

/**
 * The requests at which overrides of rules show; at all others the usual rules hold. A rule that is not told of a request
 * is overridden for all of them.
 */
export class Place {
  readonly where: Where;

  constructor(where: Where) {
    this.where = where;
  }

  /** Replaces a rule; `change` gets the usual rule before the rule's own arguments. */
  around<N extends RuleName>(
    name: N,
    change: (usual: Rule<N>, ...args: Args<N>) => Result<N>,
  ): RulesOverride {
    return around(name, (usual, ...args) =>
      this.holds(args) ? change(usual, ...args) : Reflect.apply(usual, undefined, args),
    );
  }

  /** Replaces a rule that needs nothing of the usual one. */
  replace<N extends RuleName>(name: N, rule: (...args: Args<N>) => Result<N>): RulesOverride {
    return this.around(name, (_usual, ...args) => rule(...args));
  }

  /** Changes what a rule returns; `change` gets the usual result before the rule's arguments. */
  after<N extends RuleName>(
    name: N,
    change: (result: Result<N>, ...args: Args<N>) => Result<N>,
  ): RulesOverride {
    return this.around(name, (usual, ...args) => change(Reflect.apply(usual, undefined, args), ...args));
  }

  /** Changes the first argument of a rule. */
  before<N extends RuleName>(name: N, change: (...args: Args<N>) => Args<N>[0]): RulesOverride {
    return this.around(name, (usual, ...args) =>
      Reflect.apply(usual, undefined, [change(...args), ...args.slice(1)]),
    );
  }

  private holds(args: readonly unknown[]): boolean {
    const call = args.find(isCall);
    return call === undefined || this.where(call);
  }
}

function isCall(value: unknown): value is Call {
  return isObject(value) && 'clockOffset' in value && 'rawHeaders' in value;
}
