import { isObject } from '../contract/json.ts';
import type { Call } from '../fake/call.ts';
import type { Rules, RulesOverride } from '../fake/rules.ts';

type Group = Exclude<keyof Rules, 'checks'>;
type FunctionsOf<G extends Group> = {
  [R in keyof Rules[G]]: Rules[G][R] extends (...args: never[]) => unknown ? R & string : never;
}[keyof Rules[G]];

/** The name of a rule that is a function: `paging.maximum`. */
export type RuleName = { [G in Group]: `${G}.${FunctionsOf<G>}` }[Group];

/** The type of the rule of this name. */
export type Rule<N extends RuleName> = N extends `${infer G extends Group}.${infer R}`
  ? R extends keyof Rules[G]
    ? Extract<Rules[G][R], (...args: never[]) => unknown>
    : never
  : never;

type Args<N extends RuleName> = Parameters<Rule<N>>;
type Result<N extends RuleName> = ReturnType<Rule<N>>;

/** True for the requests to which an override applies. */
export type CallPredicate = (call: Call) => boolean;

/**
 * Overrides of rules for some requests; the usual rules apply to all others. A rule that does not get the request is
 * overridden for all requests.
 */
export class RuleOverrides {
  readonly condition: CallPredicate;

  constructor(condition: CallPredicate) {
    this.condition = condition;
  }

  /** Replaces a rule; `override` gets the usual rule before the rule's own arguments. */
  around<N extends RuleName>(
    name: N,
    override: (usual: Rule<N>, ...args: Args<N>) => Result<N>,
  ): RulesOverride {
    const [group = '', rule = ''] = name.split('.');
    return (rules) => {
      const members = Reflect.get(rules, group);
      const usual = members[rule];
      const overridden = (...args: Args<N>) => {
        const call = callOf(args);
        const applies = call === undefined || this.condition(call);
        return applies ? override(usual, ...args) : Reflect.apply(usual, undefined, args);
      };
      return { ...rules, [group]: { ...members, [rule]: overridden } };
    };
  }

  /** Replaces a rule without using the usual one. */
  replace<N extends RuleName>(name: N, rule: (...args: Args<N>) => Result<N>): RulesOverride {
    return this.around(name, (_usual, ...args) => rule(...args));
  }

  /** Changes what a rule returns; `transform` gets the usual result before the rule's arguments. */
  after<N extends RuleName>(
    name: N,
    transform: (result: Result<N>, ...args: Args<N>) => Result<N>,
  ): RulesOverride {
    return this.around(name, (usual, ...args) => transform(Reflect.apply(usual, undefined, args), ...args));
  }

  /** Changes the first argument of a rule. */
  before<N extends RuleName>(name: N, transform: (...args: Args<N>) => Args<N>[0]): RulesOverride {
    return this.around(name, (usual, ...args) =>
      Reflect.apply(usual, undefined, [transform(...args), ...args.slice(1)]),
    );
  }
}

/** The request among a rule's arguments. */
export function callOf(args: readonly unknown[]): Call | undefined {
  return args.find((each): each is Call => isObject(each) && 'clockOffset' in each);
}

const everyRequest = new RuleOverrides(() => true);

/** The methods of `RuleOverrides`, for every request. */
export const around = everyRequest.around.bind(everyRequest);
export const replace = everyRequest.replace.bind(everyRequest);
export const after = everyRequest.after.bind(everyRequest);
export const before = everyRequest.before.bind(everyRequest);

/** Combines several overrides, applied in this order. */
export function compose(...overrides: readonly RulesOverride[]): RulesOverride {
  return (rules) => overrides.reduce((overridden, each) => each(overridden), rules);
}
