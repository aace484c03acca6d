import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import { override, type Rules, type RulesOverride } from '../../fake/rules.ts';
import type { Check } from '../../runner/requirement.ts';
import { type Judgement, judgeFake } from './judge-fake.ts';

/** A change of the fake's rules: a fault or a variant. */
interface Change {
  readonly name: string;
  readonly rules: RulesOverride;
}

/** For each change the ids of the requirements and observations to which it can make a difference. */
export type Reach = ReadonlyMap<string, ReadonlySet<string>>;

type Rule = (...asked: readonly unknown[]) => unknown;

/** What a change put in the place of a rule; of one that is asked nothing it is a value. */
interface Replacement {
  readonly by: string;
  readonly rule: unknown;
}

/** Rules that are asked for what they do, not for an answer: whoever comes upon a change of one is reached. */
const effects: ReadonlySet<string> = new Set(['policies.remove', 'correlation.append']);

/**
 * Which requirements can tell each change from the conforming fake. While the whole suite runs against that, every change is
 * asked what its rule is asked; where it answers otherwise, it reaches the requirement whose request that was. A requirement
 * that a change does not reach would get the conforming fake's answers, and judge the same of them; unless the change leaves
 * something behind in the tenant that others stumble over, which only a run of the whole suite shows.
 * @throws Error where the suite holds something against the conforming fake
 */
export async function reachOf(changes: readonly Change[], judgement: Judgement): Promise<Reach> {
  const reach = new Map(changes.map(({ name }) => [name, new Set<string>()]));
  const asking = new AsyncLocalStorage<string>();
  const everything = judgement.suite.map(({ id }) => id);
  const reachesAll = (by: string): void => {
    for (const each of everything) reach.get(by)?.add(each);
  };
  const reached = (by: string): void => {
    const id = asking.getStore();
    // What is asked beside the requirements is asked for all of them.
    if (id === undefined) reachesAll(by);
    else reach.get(by)?.add(id);
  };
  const watch: RulesOverride = (rules) => {
    const base = verifiedOnce(rules);
    const replaced = replacements(changes, base);
    for (const { by, rule } of [...replaced.values()].flat()) if (!isRule(rule)) reachesAll(by);
    return withEach(base, (place, rule) => (...asked) => {
      const usual = rule(...asked);
      for (const { by, rule: changed } of replaced.get(place) ?? []) {
        if (!isRule(changed) || effects.has(place)) reached(by);
        else compare(usual, changed, asked, () => reached(by));
      }
      // A token that is remembered would spare the rules of verification the question.
      return place === 'token.remembers' ? false : usual;
    });
  };
  const suite = judgement.suite.map((entry) => within(entry, asking));
  const { requirements } = await judgeFake([watch], { ...judgement, suite });
  const held = requirements.find(({ verdict }) => verdict === 'failed' || verdict === 'error');
  if (held) throw new Error(`${held.id} does not hold of the conforming fake: ${held.reason}`);
  return reach;
}

/** Calls `differs` where the changed rule answers otherwise than `usual`, or throws. */
function compare(usual: unknown, changed: Rule, asked: readonly unknown[], differs: () => void): void {
  try {
    const other = changed(...asked);
    if (!(usual instanceof Promise && other instanceof Promise)) {
      if (!isDeepStrictEqual(usual, other)) differs();
      return;
    }
    Promise.all([usual, other]).then(
      ([one, another]) => {
        if (!isDeepStrictEqual(one, another)) differs();
      },
      () => differs(),
    );
  } catch {
    differs();
  }
}

/** By the name of each rule what the changes put in its place. */
function replacements(changes: readonly Change[], rules: Rules): ReadonlyMap<string, Replacement[]> {
  const found = new Map<string, Replacement[]>();
  const usual = new Map(rulesIn(rules));
  for (const { name, rules: change } of changes) {
    for (const [place, rule] of rulesIn(change(rules)))
      if (rule !== usual.get(place)) found.set(place, [...(found.get(place) ?? []), { by: name, rule }]);
  }
  return found;
}

/** Every rule with its name: `token.isExpired`, `checks`. */
function rulesIn(rules: Rules): [place: string, rule: unknown][] {
  return Object.entries(rules).flatMap(([group, members]): [string, unknown][] =>
    Array.isArray(members)
      ? [[group, members]]
      : Object.entries(members).map(([name, rule]) => [`${group}.${name}`, rule]),
  );
}

/** The rules with something else in place of each; what is no function stays. */
function withEach(rules: Rules, instead: (place: string, rule: Rule) => Rule): Rules {
  const made = new Map<string, Rule>();
  const inGroup = <Group extends object>(group: Group, of: string): Group =>
    new Proxy(group, {
      get(target, name) {
        const rule: unknown = Reflect.get(target, name);
        if (!isRule(rule)) return rule;
        const place = `${of}.${String(name)}`;
        const known = made.get(place) ?? instead(place, rule);
        made.set(place, known);
        return known;
      },
    });
  return new Proxy(rules, {
    get(target, name) {
      const group: unknown = Reflect.get(target, name);
      return typeof group === 'object' && group !== null && !Array.isArray(group)
        ? inGroup(group, String(name))
        : group;
    },
  });
}

/** The same rules; the signature of each token is verified once for all who ask. */
function verifiedOnce(rules: Rules): Rules {
  const known = new Map<string, Promise<boolean>>();
  return override(rules, 'token', ({ signatureHolds }) => ({
    signatureHolds(token, key, call) {
      const name = `${token.text} ${token.algorithm} ${key?.kid ?? ''}`;
      const found = known.get(name) ?? signatureHolds(token, key, call);
      known.set(name, found);
      return found;
    },
  }));
}

/** The entry, whose requests are known as its own. */
function within(entry: Check, asking: AsyncLocalStorage<string>): Check {
  const { id } = entry;
  if (entry.kind === 'exchange') return entry;
  return entry.kind === 'requirement'
    ? { ...entry, judge: (ctx) => asking.run(id, () => entry.judge(ctx)) }
    : { ...entry, observe: (ctx) => asking.run(id, () => entry.observe(ctx)) };
}

function isRule(value: unknown): value is Rule {
  return typeof value === 'function';
}
