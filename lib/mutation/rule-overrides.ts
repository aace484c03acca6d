import type { Rules, RulesOverride } from '../fake/rules.ts';

type Group = Exclude<keyof Rules, 'checks'>;
type FunctionsOf<G extends Group> = {
  [R in keyof Rules[G]]: Rules[G][R] extends (...args: never[]) => unknown ? R & string : never;
}[keyof Rules[G]];

/** Name of a rule that is a function: `paging.maximum`. */
export type RuleName = { [G in Group]: `${G}.${FunctionsOf<G>}` }[Group];

/** The type of the rule of this name. */
export type Rule<N extends RuleName> = N extends `${infer G extends Group}.${infer R}`
  ? R extends keyof Rules[G]
    ? Extract<Rules[G][R], (...args: never[]) => unknown>
    : never
  : never;

type Args<N extends RuleName> = Parameters<Rule<N>>;
type Result<N extends RuleName> = ReturnType<Rule<N>>;

/** Replaces a rule; `change` gets the usual rule before the rule's own arguments. */
export function around<N extends RuleName>(
  name: N,
  change: (usual: Rule<N>, ...args: Args<N>) => Result<N>,
): RulesOverride {
  const [group = '', rule = ''] = name.split('.');
  return (rules) => {
    const members = Reflect.get(rules, group);
    const usual = members[rule];
    return { ...rules, [group]: { ...members, [rule]: (...args: Args<N>) => change(usual, ...args) } };
  };
}

/** Replaces a rule that needs nothing of the usual one. */
export function replace<N extends RuleName>(name: N, rule: (...args: Args<N>) => Result<N>): RulesOverride {
  return around(name, (_usual, ...args) => rule(...args));
}

/** A rule that always returns the same value. */
export function constant<N extends RuleName>(name: N, value: Result<N>): RulesOverride {
  return around(name, () => value);
}

/** Changes what a rule returns; `change` gets the usual result before the rule's arguments. */
export function after<N extends RuleName>(
  name: N,
  change: (result: Result<N>, ...args: Args<N>) => Result<N>,
): RulesOverride {
  return around(name, (usual, ...args) => change(Reflect.apply(usual, undefined, args), ...args));
}

/** Changes the first argument of a rule. */
export function before<N extends RuleName>(name: N, change: (...args: Args<N>) => Args<N>[0]): RulesOverride {
  return around(name, (usual, ...args) =>
    Reflect.apply(usual, undefined, [change(...args), ...args.slice(1)]),
  );
}

/** Several overrides as one, applied in this order. */
export function compose(...overrides: readonly RulesOverride[]): RulesOverride {
  return (rules) => overrides.reduce((changed, each) => each(changed), rules);
}
