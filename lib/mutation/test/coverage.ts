import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../../fake/call.ts';
import { override, type Rules, type RulesOverride } from '../../fake/rules.ts';
import type { Check } from '../../runner/requirement.ts';
import { type AnyRule, callOf, isRule, mapRules, namedRules } from '../rule-overrides.ts';
import { runAgainstFake, type SuiteRun } from './run-suite.ts';

/** A fault or a variant. */
export interface Change {
  readonly name: string;
  readonly rules: RulesOverride;
}

/** By name of each change the ids of the requirements and observations to which it can make a difference. */
export type Coverage = ReadonlyMap<string, ReadonlySet<string>>;

/** A rule as a change overrides it; some rules are values. */
interface Override {
  readonly change: string;
  readonly rule: unknown;
}

/** Rules that are called for their effect: any call of a changed one counts as a difference. */
const effects: ReadonlySet<string> = new Set(['policies.remove', 'correlation.append']);

/** Told of each request at which a change would make a difference; of no request where its rule is told of none. */
export type OnDifference = (change: string, requirement: string, call: Call | undefined) => void;

/**
 * Finds out which requirements can tell each change from the conforming fake. The suite runs once against the conforming
 * fake; whenever a rule is called, every changed version of it is called with the same arguments, and where the result
 * differs the change covers the requirement that sent the request. All others would get the conforming fake's responses.
 * Knock-on failures, through what a change leaves behind in the tenant, are not found.
 * @param follow told of every request, for what `onDifference` wants to know of it
 * @throws Error where the suite reports a failure of the conforming fake
 */
export async function coverageOf(
  changes: readonly Change[],
  run: SuiteRun,
  onDifference: OnDifference = () => {},
  follow: RulesOverride = (rules) => rules,
): Promise<Coverage> {
  const coverage = new Map(changes.map(({ name }) => [name, new Set<string>()]));
  const current = new AsyncLocalStorage<string>();
  const all = run.suite.map(({ id }) => id);
  const cover = (change: string, ids: readonly string[]): void => {
    for (const id of ids) coverage.get(change)?.add(id);
  };
  const observed: RulesOverride = (rules) => {
    const base = follow(verifiesOnce(rules));
    const overrides = overridesOf(changes, base);
    for (const { change, rule } of [...overrides.values()].flat()) if (!isRule(rule)) cover(change, all);
    return mapRules(base, (name, rule) => (...args) => {
      const usual = rule(...args);
      const id = current.getStore();
      for (const { change, rule: changed } of overrides.get(name) ?? []) {
        // Requests outside any requirement only find out what else a request may carry.
        const differs = (): void => {
          if (id === undefined) return;
          cover(change, [id]);
          onDifference(change, id, callOf(args));
        };
        if (!isRule(changed) || effects.has(name)) differs();
        else compare(usual, changed, args, differs);
      }
      // With a cached token the rules of verification would not be called.
      return name === 'token.remembers' ? false : usual;
    });
  };
  const suite = run.suite.map((check) => within(check, current));
  const { requirements } = await runAgainstFake([observed], { ...run, suite });
  const broken = requirements.find(({ verdict }) => verdict === 'failed' || verdict === 'error');
  if (broken) throw new Error(`${broken.id} fails against the conforming fake: ${broken.reason}`);
  return coverage;
}

/** Calls `differs` where the changed rule returns something other than `usual`, or throws. */
function compare(usual: unknown, changed: AnyRule, args: readonly unknown[], differs: () => void): void {
  try {
    const other = changed(...args);
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

/** By name of each rule what the changes put in its place. */
function overridesOf(changes: readonly Change[], rules: Rules): ReadonlyMap<string, Override[]> {
  const found = new Map<string, Override[]>();
  const usual = new Map(namedRules(rules));
  for (const { name: change, rules: changed } of changes) {
    for (const [name, rule] of namedRules(changed(rules)))
      if (rule !== usual.get(name)) found.set(name, [...(found.get(name) ?? []), { change, rule }]);
  }
  return found;
}

/** The same rules; the signature of each token is verified once for all changes. */
function verifiesOnce(rules: Rules): Rules {
  const results = new Map<string, Promise<boolean>>();
  return override(rules, 'token', ({ signatureHolds }) => ({
    signatureHolds(token, key, call) {
      const name = `${token.text} ${token.algorithm} ${key?.kid ?? ''}`;
      const result = results.get(name) ?? signatureHolds(token, key, call);
      results.set(name, result);
      return result;
    },
  }));
}

/** The check, whose requests are known as its own. */
function within(check: Check, current: AsyncLocalStorage<string>): Check {
  const { id } = check;
  if (check.kind === 'exchange') return check;
  return check.kind === 'requirement'
    ? { ...check, judge: (ctx) => current.run(id, () => check.judge(ctx)) }
    : { ...check, observe: (ctx) => current.run(id, () => check.observe(ctx)) };
}
