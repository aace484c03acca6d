import type { Rules } from '../fake/rules.ts';

/** A rule with any parameters and result. */
export type AnyRule = (...args: readonly unknown[]) => unknown;

export function isRule(value: unknown): value is AnyRule {
  return typeof value === 'function';
}

/** Every rule and its name: `token.isExpired`, `checks`. */
export function namedRules(rules: Rules): [name: string, rule: unknown][] {
  return Object.entries<object>(rules).flatMap(([group, members]): [string, unknown][] =>
    Array.isArray(members)
      ? [[group, members]]
      : Object.entries(members).map(([name, rule]) => [`${group}.${name}`, rule]),
  );
}

/** The rules with each function replaced. */
export function mapRules(rules: Rules, transform: (name: string, rule: AnyRule) => AnyRule): Rules {
  const overridden = new Map<string, AnyRule>();
  const proxyOf = <Group extends object>(group: Group, groupName: string): Group =>
    new Proxy(group, {
      get(target, key) {
        const rule: unknown = Reflect.get(target, key);
        if (!isRule(rule)) return rule;
        const name = `${groupName}.${String(key)}`;
        const known = overridden.get(name) ?? transform(name, rule);
        overridden.set(name, known);
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
