import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { Call, FakeResponse } from '../../fake/call.ts';
import { conformingRules, override, type Rules, type RulesOverride } from '../../fake/rules.ts';
import type { Service } from '../../fake/service.ts';
import type { State } from '../../fake/state.ts';
import { wireResponse } from '../../fake/wire.ts';
import type { Check } from '../../runner/requirement.ts';
import { callOf } from '../builders/builder.ts';
import type { Fault } from '../fault.ts';
import { type AnyRule, changedRules, isRule, withRule } from '../named-rules.ts';
import { runAgainstFake, type SuiteRun } from './run-suite.ts';

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
 * Finds the requests that each fault would answer differently. The suite runs once against the conforming fake; whenever a
 * rule is called, every override of it is called with the same arguments, and the results are compared.
 * Knock-on failures, caused by what a fault leaves behind in the tenant, are not found.
 * @param follow gets every request, to collect what `onDifference` needs to know about it
 * @throws Error if the suite reports a failure of the conforming fake
 */
export async function findDifferences(
  faults: readonly Pick<Fault, 'name' | 'rules'>[],
  run: SuiteRun,
  onDifference: OnDifference,
  follow: RulesOverride = (rules) => rules,
): Promise<void> {
  const observation = new Observation(faults, run, onDifference);
  const { requirements } = await runAgainstFake(
    [() => follow(observation.rules())],
    { ...run, suite: observation.suite() },
    (service) => observation.executesAgain(service),
  );
  const broken = requirements.find(({ verdict }) => verdict === 'failed' || verdict === 'error');
  if (broken) throw new Error(`${broken.id} fails against the conforming fake: ${broken.reason}`);
}

/** Compares the conforming rules with every override while the suite runs. */
class Observation {
  readonly #requirement = new AsyncLocalStorage<string>();
  readonly #run: SuiteRun;
  readonly #onDifference: OnDifference;
  readonly #base: Rules;
  readonly #overridden: ReadonlyMap<string, Rules>;
  /** The overrides by the names of the rules that are observed, each with the name of its fault. */
  readonly #byRule = new Map<string, { name: string; rule: AnyRule }[]>([[tokenCache, []]]);
  /** For each request, the overrides with a rule that returned another result, and the pending comparisons. */
  readonly #candidates = new WeakMap<Call, { names: Set<string>; underWay: Promise<void>[] }>();

  constructor(faults: readonly Pick<Fault, 'name' | 'rules'>[], run: SuiteRun, onDifference: OnDifference) {
    this.#run = run;
    this.#onDifference = onDifference;
    this.#base = verifiesOnce(conformingRules(run.contract));
    this.#overridden = new Map(faults.map((each) => [each.name, each.rules(this.#base)]));
    for (const [name, rules] of this.#overridden)
      for (const [ruleName, rule] of changedRules(rules, this.#base))
        if (isRule(rule)) this.#byRule.set(ruleName, [...(this.#byRule.get(ruleName) ?? []), { name, rule }]);
  }

  /** The suite, with the requests that each check sends attributed to it. */
  suite(): readonly Check[] {
    return this.#run.suite.map((check) => {
      if (check.kind === 'exchange') return check;
      return { ...check, judge: (ctx) => this.#requirement.run(check.id, () => check.judge(ctx)) };
    });
  }

  /** The conforming rules, observed. */
  rules(): Rules {
    return [...this.#byRule.keys()].reduce(
      (rules, name) => withRule(rules, name, (rule: AnyRule) => this.#observed(name, rule)),
      this.#base,
    );
  }

  #observed(ruleName: string, rule: AnyRule): AnyRule {
    return (...args) => {
      const usual = rule(...args);
      const id = this.#requirement.getStore();
      const call = callOf(args);
      const candidate = (call && this.#candidates.get(call)) ?? { names: new Set(), underWay: [] };
      if (call !== undefined) this.#candidates.set(call, candidate);
      for (const { name, rule: changed } of this.#byRule.get(ruleName) ?? []) {
        // Requests outside any requirement do not count.
        const differs = (): void => {
          if (id === undefined) return;
          if (call?.operation !== undefined && !alwaysVisible.test(ruleName)) candidate.names.add(name);
          else void this.#onDifference(name, id, call, async () => true);
        };
        if (ruleName === ruleWithoutResult) differs();
        else candidate.underWay.push(...compare(usual, changed, args, differs));
      }
      return ruleName === tokenCache ? false : usual;
    };
  }

  /** The service, which executes each request again under the overrides that may change its response. */
  executesAgain(service: Service): Service {
    return async (call, body, state) => {
      const before = copyOf(state);
      const response = await service(call, body, state);
      const id = this.#requirement.getStore();
      const { names = [], underWay = [] } = this.#candidates.get(call) ?? {};
      await Promise.all(underWay);
      if (id === undefined) return response;
      const needs = this.#run.suite.find((check) => check.id === id)?.needs ?? [];
      const execute = async (rules: Rules) => {
        const copy = { ...copyOf(before), rules };
        return visibleOf(await service(call, body, copy), call, copy, needs);
      };
      let usual: Promise<unknown> | undefined;
      for (const name of names)
        await this.#onDifference(name, id, call, async () => {
          usual ??= execute(this.#base);
          return !isDeepStrictEqual(await usual, await execute(this.#overridden.get(name) ?? this.#base));
        });
      return response;
    };
  }
}

/** The prefix that the ids of requirements about one thing share: `8/payload`. */
export function idPrefix(id: string): string {
  return /^[^/]*\/\w+/.exec(id)?.[0] ?? id;
}

/** Calls `differs` if the overridden rule throws or returns another result than `usual`. Returns what compares promises. */
function compare(usual: unknown, overridden: AnyRule, args: readonly unknown[], differs: () => void) {
  try {
    const other = overridden(...args);
    if (usual instanceof Promise && other instanceof Promise)
      return [
        Promise.all([usual, other]).then(([one, another]) => {
          if (!isDeepStrictEqual(one, another)) differs();
        }, differs),
      ];
    if (!isDeepStrictEqual(usual, other)) differs();
  } catch {
    differs();
  }
  return [];
}

/**
 * What a requirement with these needs can observe after an execution that leaves this state: the response as it is sent, the
 * remaining policies (by deleting again), and, if it inspects them, the stored messages and the logs.
 */
function visibleOf(response: FakeResponse, call: Call, { tenant, log, rules }: State, needs: Check['needs']) {
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
