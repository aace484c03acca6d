import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { Call, FakeResponse } from '../../fake/call.ts';
import type { NamedOverride } from '../../fake/fake.ts';
import { conformingRules, override, type Rules, type RulesOverride } from '../../fake/rules.ts';
import type { Service } from '../../fake/service.ts';
import type { State } from '../../fake/state.ts';
import { wireResponse } from '../../fake/wire.ts';
import type { Check } from '../../runner/requirement.ts';
import { callOf } from '../builders/builder.ts';
import { type AnyRule, changedRules, isRule, withRule } from '../named-rules.ts';
import { runAgainstFake, type SuiteRun } from './run-suite.ts';

/** A fault or a variant. */
export type FaultOrVariant = Required<NamedOverride>;

/** The requirements and observations whose results each fault and variant can change: ids by the name of the override. */
export type Coverage = ReadonlyMap<string, ReadonlySet<string>>;

/** A rule as overridden by the fault or variant of this name. */
interface RuleOverride {
  readonly name: string;
  readonly rule: AnyRule;
}

/** This rule is called for its effect and returns nothing, so every call of an override counts as a difference. */
const ruleWithoutResult = 'policies.remove';

/** No token counts as known, because the rules that verify it would not be called. */
const tokenCache = 'token.remembers';

/**
 * A difference in these rules counts as visible without executing the request again: they produce what is sent, apply before
 * the service gets the request, or apply to what it has cached from earlier requests.
 */
const alwaysVisible =
  /^(payload|routing)\.|^responses\.(refusal|response|serialized|wire)$|^token\.remember|\.(responseBody|shown)$/;

/**
 * Called for each request for which an overridden rule returns another result; without a request if the rule does not get
 * one. `isVisible` also executes the request under the override: true if the response or the state afterwards differs.
 */
export type OnDifference = (
  name: string,
  requirement: string,
  call: Call | undefined,
  isVisible: () => Promise<boolean>,
) => void | Promise<void>;

/**
 * Finds out which requirements cover each fault and variant. The suite runs once against the conforming fake; whenever a
 * rule is called, every override of it is called with the same arguments, and if the result differs, the requirement
 * that sent the request covers the override. All others would get the conforming fake's responses.
 * Knock-on failures, caused by what a fault leaves behind in the tenant, are not found.
 * @param follow gets every request, to collect what `onDifference` needs to know about it
 * @throws Error if the suite reports a failure of the conforming fake
 */
export async function coverageOf(
  overrides: readonly FaultOrVariant[],
  run: SuiteRun,
  onDifference?: OnDifference,
  follow: RulesOverride = (rules) => rules,
): Promise<Coverage> {
  const coverage = new Map(overrides.map(({ name }) => [name, new Set<string>()]));
  const current = new AsyncLocalStorage<string>();
  const all = run.suite.map(({ id }) => id);
  const needs = new Map(run.suite.map((check) => [check.id, check.needs]));
  const cover = (name: string, ids: readonly string[]): void => {
    for (const id of ids) coverage.get(name)?.add(id);
  };
  const base = verifiesOnce(conformingRules(run.contract));
  const overridden = new Map(overrides.map((each) => [each.name, each.rules(base)]));
  /** The overrides by the names of the rules that are observed. */
  const byRule = new Map<string, RuleOverride[]>([[tokenCache, []]]);
  for (const [name, rules] of overridden)
    for (const [ruleName, rule] of changedRules(rules, base)) {
      // A value instead of a function may change every response.
      if (isRule(rule)) byRule.set(ruleName, [...(byRule.get(ruleName) ?? []), { name, rule }]);
      else cover(name, all);
    }
  /** For each request, the overrides with a rule that returned another result, and the pending comparisons. */
  const candidates = new WeakMap<Call, { names: Set<string>; underWay: Promise<void>[] }>();
  const observe =
    (ruleName: string, rule: AnyRule): AnyRule =>
    (...args) => {
      const usual = rule(...args);
      const id = current.getStore();
      const call = callOf(args);
      const candidate = (call && candidates.get(call)) ?? { names: new Set(), underWay: [] };
      if (call !== undefined) candidates.set(call, candidate);
      for (const { name, rule: changed } of byRule.get(ruleName) ?? []) {
        // Requests outside any requirement count for no coverage.
        const differs = (): void => {
          if (id === undefined) return;
          cover(name, [id]);
          if (call?.operation !== undefined && !alwaysVisible.test(ruleName)) candidate.names.add(name);
          else void onDifference?.(name, id, call, async () => true);
        };
        if (ruleName === ruleWithoutResult) differs();
        else {
          const compared = compare(usual, changed, args, differs);
          if (compared !== undefined) candidate.underWay.push(compared);
        }
      }
      return ruleName === tokenCache ? false : usual;
    };
  const observed = [...byRule.keys()].reduce(
    (rules, name) => withRule(rules, name, (rule: AnyRule) => observe(name, rule)),
    base,
  );
  const executesAgain = (service: Service): Service => {
    return async (call, body, state) => {
      const before = copyOf(state);
      const response = await service(call, body, state);
      const id = current.getStore();
      const { names = [], underWay = [] } = candidates.get(call) ?? {};
      await Promise.all(underWay);
      if (id === undefined) return response;
      const execute = async (rules: Rules) => {
        const copy = { ...copyOf(before), rules };
        return visibleOf(await service(call, body, copy), call, copy, needs.get(id) ?? []);
      };
      let usual: Promise<unknown> | undefined;
      for (const name of names)
        await onDifference?.(name, id, call, async () => {
          usual ??= execute(base);
          return !isDeepStrictEqual(await usual, await execute(overridden.get(name) ?? base));
        });
      return response;
    };
  };
  const suite = run.suite.map((check) => within(check, current));
  const { requirements } = await runAgainstFake(
    [() => follow(observed)],
    { ...run, suite },
    onDifference && executesAgain,
  );
  const broken = requirements.find(({ verdict }) => verdict === 'failed' || verdict === 'error');
  if (broken) throw new Error(`${broken.id} fails against the conforming fake: ${broken.reason}`);
  return coverage;
}

/** The prefix that the ids of requirements about one thing share: `8/payload`. */
export function idPrefix(id: string): string {
  return /^[^/]*\/\w+/.exec(id)?.[0] ?? id;
}

/** Calls `differs` if the overridden rule throws or returns another result than `usual`. Promises are awaited. */
function compare(
  usual: unknown,
  overridden: AnyRule,
  args: readonly unknown[],
  differs: () => void,
): Promise<void> | undefined {
  try {
    const other = overridden(...args);
    if (!(usual instanceof Promise && other instanceof Promise)) {
      if (!isDeepStrictEqual(usual, other)) differs();
      return undefined;
    }
    return Promise.all([usual, other]).then(([one, another]) => {
      if (!isDeepStrictEqual(one, another)) differs();
    }, differs);
  } catch {
    differs();
    return undefined;
  }
}

/**
 * What a requirement with these needs can observe after an execution that leaves this state: the response as it is sent, the
 * remaining policies (by deleting again), and, if it inspects them, the stored messages and the logs.
 */
function visibleOf(
  response: FakeResponse,
  call: Call,
  { tenant, log, rules }: State,
  needs: Check['needs'],
): unknown {
  const { parts, ...wire } = wireResponse(response, call, rules, 0);
  // No requirement tells apart the reasons for which a token is refused.
  const isRefused = wire.status === 401 || wire.status === 403;
  return [
    isRefused ? wire.status : [wire, Buffer.concat(parts.map((part) => Buffer.from(part)))],
    [...tenant.policies.keys()],
    needs.includes('inspect') && tenant.templates,
    needs.includes('logs') && [log.length, log.at(-1)?.references],
  ];
}

/** A copy that later requests do not change, with an empty token cache, whose checkpoints depend on their content only. */
function copyOf(state: State): State {
  const policies = new Map(state.tenant.policies);
  return {
    ...state,
    codec: {
      encode: (listing, checkpoint) => JSON.stringify([listing, checkpoint]),
      decode: (listing, text) => state.codec.decode(listing, text),
    },
    verified: new Map(),
    tenant: { ...state.tenant, policies },
    log: [...state.log],
  };
}

/** The same rules, but the signature of each token is verified only once for all overrides. */
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

/** The check, with the requests that it sends attributed to it. */
function within(check: Check, current: AsyncLocalStorage<string>): Check {
  const { id } = check;
  if (check.kind === 'exchange') return check;
  return { ...check, judge: (ctx) => current.run(id, () => check.judge(ctx)) };
}
