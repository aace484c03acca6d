import type { Rules } from '../fake/rules.ts';

/** A rule with any parameters and result. */
export type AnyRule = (...args: readonly unknown[]) => unknown;

export function isRule(value: unknown): value is AnyRule {
  return typeof value === 'function';
}

/** Every rule and its name: `token.isExpired`, `checks`. */
function namedRules(rules: Rules): [name: string, rule: unknown][] {
  return Object.entries<object>(rules).flatMap(([group, members]): [string, unknown][] =>
    Array.isArray(members)
      ? [[group, members]]
      : Object.entries(members).map(([name, rule]) => [`${group}.${name}`, rule]),
  );
}

/** The rules that differ from the usual ones, and their names. */
export function changedRules(rules: Rules, usual: Rules): [name: string, rule: unknown][] {
  const before = new Map(namedRules(usual));
  return namedRules(rules).filter(([name, rule]) => rule !== before.get(name));
}

/** The rules with the one of this name replaced. */
export function withRule<R>(rules: Rules, name: string, change: (usual: R) => unknown): Rules {
  const [group = '', rule = ''] = name.split('.');
  const members = Reflect.get(rules, group);
  return { ...rules, [group]: { ...members, [rule]: change(members[rule]) } };
}
