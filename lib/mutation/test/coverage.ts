import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../../fake/call.ts';
import type { NamedOverride } from '../../fake/fake.ts';
import { override, type Rules, type RulesOverride } from '../../fake/rules.ts';
import type { Check } from '../../runner/requirement.ts';
import { type AnyRule, callOf, isRule, mapRules, namedRules } from '../rule-overrides.ts';
import { runAgainstFake, type SuiteRun } from './run-suite.ts';

/** A fault or a variant. */
export type FaultOrVariant = Required<NamedOverride>;

/** By name of each fault and variant the ids of the requirements and observations to which it can make a difference. */
export type Coverage = ReadonlyMap<string, ReadonlySet<string>>;

/** A rule as the fault or variant of this name overrides it; some rules are values. */
interface RuleOverride {
  readonly name: string;
  readonly rule: unknown;
}

/** Rules that are called for their effect: any call of an overridden one counts as a difference. */
const effects: ReadonlySet<string> = new Set(['policies.remove', 'correlation.append']);

/** Called for each request at which an override would make a difference; without a request where its rule does not get one. */
export type OnDifference = (name: string, requirement: string, call: Call | undefined) => void;

/**
 * Finds out which requirements cover each fault and variant. The suite runs once against the conforming fake; whenever a
 * rule is called, every override of it is called with the same arguments, and where the result differs the requirement
 * that sent the request covers the override. All others would get the conforming fake's responses.
 * Knock-on failures, through what a fault leaves behind in the tenant, are not found.
 * @param follow gets every request, for what `onDifference` needs to know of it
 * @throws Error where the suite reports a failure of the conforming fake
 */
export async function coverageOf(
  overrides: readonly FaultOrVariant[],
  run: SuiteRun,
  onDifference: OnDifference = () => {},
  follow: RulesOverride = (rules) => rules,
): Promise<Coverage> {
  const coverage = new Map(overrides.map(({ name }) => [name, new Set<string>()]));
  const current = new AsyncLocalStorage<string>();
  const all = run.suite.map(({ id }) => id);
  const cover = (name: string, ids: readonly string[]): void => {
    for (const id of ids) coverage.get(name)?.add(id);
  };
  const observed: RulesOverride = (rules) => {
    const base = follow(verifiesOnce(rules));
    const byRule = rulesOf(overrides, base);
    for (const { name, rule } of [...byRule.values()].flat()) if (!isRule(rule)) cover(name, all);
    return mapRules(base, (ruleName, rule) => (...args) => {
      const usual = rule(...args);
      const id = current.getStore();
      for (const { name, rule: overridden } of byRule.get(ruleName) ?? []) {
        // Requests outside any requirement only find out what else a request may carry.
        const differs = (): void => {
          if (id === undefined) return;
          cover(name, [id]);
          onDifference(name, id, callOf(args));
        };
        if (!isRule(overridden) || effects.has(ruleName)) differs();
        else compare(usual, overridden, args, differs);
      }
      // With a cached token the rules of verification would not be called.
      return ruleName === 'token.remembers' ? false : usual;
    });
  };
  const suite = run.suite.map((check) => within(check, current));
  const { requirements } = await runAgainstFake([observed], { ...run, suite });
  const broken = requirements.find(({ verdict }) => verdict === 'failed' || verdict === 'error');
  if (broken) throw new Error(`${broken.id} fails against the conforming fake: ${broken.reason}`);
  return coverage;
}

/** What the ids of requirements about one thing have in common: `8/payload`. */
export function similarity(id: string): string {
  return /^[^/]*\/\w+/.exec(id)?.[0] ?? id;
}

/** Calls `differs` where the overridden rule returns something other than `usual`, or throws. */
function compare(usual: unknown, overridden: AnyRule, args: readonly unknown[], differs: () => void): void {
  try {
    const other = overridden(...args);
    if (!(usual instanceof Promise && other instanceof Promise)) {
      if (!isDeepStrictEqual(usual, other)) differs();
      return;
    }
    Promise.all([usual, other]).then(([one, another]) => {
      if (!isDeepStrictEqual(one, another)) differs();
    }, differs);
  } catch {
    differs();
  }
}

/** By name of each rule its overrides. */
function rulesOf(overrides: readonly FaultOrVariant[], rules: Rules): ReadonlyMap<string, RuleOverride[]> {
  const found = new Map<string, RuleOverride[]>();
  const usual = new Map(namedRules(rules));
  for (const { name, rules: override } of overrides) {
    for (const [ruleName, rule] of namedRules(override(rules)))
      if (rule !== usual.get(ruleName)) found.set(ruleName, [...(found.get(ruleName) ?? []), { name, rule }]);
  }
  return found;
}

/** The same rules; the signature of each token is verified once for all overrides. */
function verifiesOnce(rules: Rules): Rules {
  const results = new Map<string, Promise<boolean>>();
  return override(rules, 'token', ({ verifiesSignature: usual }) => ({
    verifiesSignature(token, key, call) {
      const name = `${token.text} ${token.algorithm} ${key?.kid ?? ''}`;
      const result = results.get(name) ?? usual(token, key, call);
      results.set(name, result);
      return result;
    },
  }));
}

/** The check; the requests that it sends are attributed to it. */
function within(check: Check, current: AsyncLocalStorage<string>): Check {
  const { id } = check;
  if (check.kind === 'exchange') return check;
  return check.kind === 'requirement'
    ? { ...check, judge: (ctx) => current.run(id, () => check.judge(ctx)) }
    : { ...check, observe: (ctx) => current.run(id, () => check.observe(ctx)) };
}
