import { isObject } from '../contract/json.ts';
import type { Call } from '../fake/call.ts';
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

/** True for the requests at which an override shows. */
export type Where = (call: Call) => boolean;

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
    const [group = '', rule = ''] = name.split('.');
    return (rules) => {
      const members = Reflect.get(rules, group);
      const usual = members[rule];
      const changed = (...args: Args<N>) =>
        this.holds(args) ? change(usual, ...args) : Reflect.apply(usual, undefined, args);
      return { ...rules, [group]: { ...members, [rule]: changed } };
    };
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
    const call = callOf(args);
    return call === undefined || this.where(call);
  }
}

/** The request that a rule is told of. */
export function callOf(args: readonly unknown[]): Call | undefined {
  return args.find((each): each is Call => isObject(each) && 'clockOffset' in each && 'rawHeaders' in each);
}

/** A rule whose types are of no interest. */
export type AnyRule = (...args: readonly unknown[]) => unknown;

export function isRule(value: unknown): value is AnyRule {
  return typeof value === 'function';
}

/** Every rule with its name: `token.isExpired`, `checks`. */
export function namedRules(rules: Rules): [name: string, rule: unknown][] {
  return Object.entries(rules).flatMap(([group, members]): [string, unknown][] =>
    Array.isArray(members)
      ? [[group, members]]
      : Object.entries(members).map(([name, rule]) => [`${group}.${name}`, rule]),
  );
}

/** The rules with each function replaced. */
export function mapRules(rules: Rules, change: (name: string, rule: AnyRule) => AnyRule): Rules {
  const changed = new Map<string, AnyRule>();
  const proxyOf = <Group extends object>(group: Group, groupName: string): Group =>
    new Proxy(group, {
      get(target, key) {
        const rule: unknown = Reflect.get(target, key);
        if (!isRule(rule)) return rule;
        const name = `${groupName}.${String(key)}`;
        const known = changed.get(name) ?? change(name, rule);
        changed.set(name, known);
        return known;
      },
    });
  return new Proxy(rules, {
    get(target, key) {
      const group: unknown = Reflect.get(target, key);
      return typeof group === 'object' && group !== null && !Array.isArray(group)
        ? proxyOf(group, String(key))
        : group;
    },
  });
}

const everyRequest = new Place(() => true);

/** The overrides of `Place`, for every request. */
export const around = everyRequest.around.bind(everyRequest);
export const replace = everyRequest.replace.bind(everyRequest);
export const after = everyRequest.after.bind(everyRequest);
export const before = everyRequest.before.bind(everyRequest);

/** A rule that always returns the same value. */
export function constant<N extends RuleName>(name: N, value: Result<N>): RulesOverride {
  return around(name, () => value);
}

/** Several overrides as one, applied in this order. */
export function compose(...overrides: readonly RulesOverride[]): RulesOverride {
  return (rules) => overrides.reduce((changed, each) => each(changed), rules);
}
