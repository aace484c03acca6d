import type { ExperimentEntry } from '../../contract/data-set.ts';
import { isObject, type JsonObject, mapValues } from '../../contract/json.ts';
import type { Scope } from '../../contract/model.ts';
import type { Call, FakeResponse, Refusal, WireResponse } from '../../fake/call.ts';
import type { TrustedKey } from '../../fake/keys.ts';
import type { OffsetPage } from '../../fake/pages.ts';
import type { Rules, RulesOverride, SignedToken } from '../../fake/rules.ts';
import { withRule } from '../named-rules.ts';
import { type Grants, grantsOf } from './grants.ts';
import { parameterBuilder } from './parameters.ts';
import { isEntry } from './predicates.ts';
import { transformAt } from './values.ts';

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
 * Overrides of rules for some requests, with a method for each kind of mistake that services make; the usual rules apply to all
 * other requests. A rule that does not get the request is overridden for all requests.
 */
export class Builder {
  readonly condition: CallPredicate;

  constructor(condition: CallPredicate) {
    this.condition = condition;
  }

  /** Replaces a rule; `override` gets the usual rule before the rule's own arguments. */
  around<N extends RuleName>(
    name: N,
    override: (usual: Rule<N>, ...args: Args<N>) => Result<N>,
  ): RulesOverride {
    return (rules) =>
      withRule(rules, name, (usual: Rule<N>) => (...args: Args<N>) => {
        const call = callOf(args);
        const applies = call === undefined || this.condition(call);
        return applies ? override(usual, ...args) : Reflect.apply(usual, undefined, args);
      });
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

  /** Calls `see` with what a rule returns and with its arguments, and leaves the rule as it is. */
  observe<N extends RuleName>(name: N, see: (result: Result<N>, ...args: Args<N>) => unknown): RulesOverride {
    return this.after(name, (result, ...args) => {
      see(result, ...args);
      return result;
    });
  }

  /** Changes the first argument of a rule. */
  before<N extends RuleName>(name: N, transform: (...args: Args<N>) => Args<N>[0]): RulesOverride {
    return this.around(name, (usual, ...args) =>
      Reflect.apply(usual, undefined, [transform(...args), ...args.slice(1)]),
    );
  }

  /** Returns a builder limited to requests that also meet all of these conditions. */
  when(...conditions: readonly CallPredicate[]): Builder {
    return new Builder((call) => this.condition(call) && conditions.every((each) => each(call)));
  }

  /** Returns a builder for a path or query parameter that is a string. */
  param(name: string) {
    return parameterBuilder(this, name, (value) => typeof value === 'string');
  }

  /** Returns a builder for a path or query parameter that is an integer. */
  integer(name: string) {
    return parameterBuilder(this, name, (value) => typeof value === 'number');
  }

  /** Serves requests whatever their credentials. */
  needsNoToken(): RulesOverride {
    return compose(
      this.replace('token.sent', () => undefined),
      this.replace('token.anonymous', () => ({ sub: 'anonymous' })),
      this.replace('scopes.permits', () => true),
    );
  }

  /** Reads the token from somewhere else if the header contains none. */
  readsTokenFrom(read: (call: Call) => string | undefined): RulesOverride {
    return this.after('token.sent', (usual, call) => usual ?? read(call));
  }

  /** Accepts tokens that meet the condition, whoever signed them. `key` is a key that may have signed the token. */
  acceptsToken(condition: (token: SignedToken, key: TrustedKey | undefined) => boolean): RulesOverride {
    return compose(
      // With an unknown `kid`, any key may have signed.
      this.after('token.candidates', (usual, _header, keys) => (usual.length > 0 ? usual : keys)),
      this.around('token.verifiesSignature', async (usual, token, key, call) =>
        condition(token, key) ? true : usual(token, key, call),
      ),
    );
  }

  /** Permits requests that meet the condition even without the required scope. */
  permits(condition: (grants: Grants, scope: Scope) => boolean): RulesOverride {
    return this.permitsClaim((claim, scope) => condition(grantsOf(claim), scope));
  }

  /** Permits requests by the content of the `scopes` claim or of another claim. */
  permitsClaim(condition: (claim: unknown, scope: Scope, claims: JsonObject) => boolean): RulesOverride {
    return this.after(
      'scopes.permits',
      (usual, claim, scope, claims) => usual || condition(claim, scope, claims),
    );
  }

  /** Denies requests that have the required scope. */
  denies(condition: (grants: Grants, scope: Scope) => boolean): RulesOverride {
    return this.after('scopes.permits', (usual, claim, scope) => usual && !condition(grantsOf(claim), scope));
  }

  /** Changes every response, including errors. */
  response(transform: (response: FakeResponse, call: Call) => FakeResponse): RulesOverride {
    return this.after('responses.response', (usual, _answer, call) => transform(usual, call));
  }

  /** Gives successful responses another status. */
  status(
    status: number,
    condition: (response: FakeResponse, call: Call) => boolean = () => true,
  ): RulesOverride {
    return this.response((response, call) =>
      response.status < 300 && condition(response, call)
        ? { ...response, status, body: status === 204 ? undefined : (response.body ?? {}) }
        : response,
    );
  }

  /** Gives responses that meet the condition (default: successful ones) another media type, or none. */
  mediaType(
    type: string | undefined,
    condition: (response: WireResponse) => boolean = ({ status }) => status < 300,
  ): RulesOverride {
    return this.after('responses.wire', (usual) => {
      if (!condition(usual)) return usual;
      const others = usual.headers.filter(([name]) => name !== 'Content-Type');
      const own = type === undefined ? [] : [['Content-Type', type] as const];
      return { ...usual, headers: [...own, ...others] };
    });
  }

  /** Gives refusals with a matching code another status. */
  refusalStatus(
    status: number,
    code: RegExp,
    condition: (refusal: Refusal) => boolean = () => true,
  ): RulesOverride {
    return this.after('responses.refusal', (usual) =>
      code.test(usual.code) && condition(usual) ? { ...usual, status } : usual,
    );
  }

  /** Executes requests that are refused with this code nevertheless, under rules that let them pass. */
  executesRefused(code: string, lenient: RulesOverride): RulesOverride {
    return (rules) =>
      this.replace('responses.executedAfterRefusal', (refusal) =>
        refusal.code === code ? lenient(rules) : undefined,
      )(rules);
  }

  /** Changes the parsed request body before it is validated. */
  coercesBody(transform: (body: unknown) => unknown): RulesOverride {
    return this.after('body.parsed', (value) => (value === undefined ? undefined : transform(value)));
  }

  /** Accepts templates without checking them. */
  acceptsTemplate(condition: (field: string, text: string) => boolean = () => true): RulesOverride {
    return this.after('templates.problem', (usual, field, text) =>
      condition(field, text) ? undefined : usual,
    );
  }

  /** Rejects valid templates. */
  rejectsTemplate(condition: (text: string, field: string) => boolean): RulesOverride {
    return this.after(
      'templates.problem',
      (usual, field, text) => usual ?? (condition(text, field) ? 'it is not allowed' : undefined),
    );
  }

  /** Changes each message of an update before it is stored. */
  storesEach(transform: (text: string) => string): RulesOverride {
    return this.after('templates.stored', (messages) => mapValues(messages, transform));
  }

  /** Changes each item of a listing. */
  item(transform: (item: JsonObject, call: Call) => JsonObject): RulesOverride {
    return compose(
      this.after('experiments.shown', (shown, _item, _index, _page, call) => transform(shown, call)),
      this.after('versions.shown', (shown, _item, _whole, _index, _page, call) => transform(shown, call)),
    );
  }

  /** Changes the value at a path of each item (`allocations[].weight`) if it is present; undefined omits it. */
  field(path: string, transform: (value: unknown, call: Call) => unknown): RulesOverride {
    return this.at(path, (value, call) => (value === undefined ? undefined : transform(value, call)));
  }

  /** Adds this value to each item that has none at the path. */
  fieldDefault(path: string, value: unknown): RulesOverride {
    return this.at(path, (member) => (member === undefined ? value : member));
  }

  private at(path: string, transform: (value: unknown, call: Call) => unknown): RulesOverride {
    return this.item((item, call) => {
      const changed = transformAt(item, path, (value) => transform(value, call));
      return isObject(changed) ? changed : item;
    });
  }

  /** Changes how one filter matches an experiment. */
  filter(
    field: string,
    matches: (wanted: string, found: unknown, entry: ExperimentEntry) => boolean,
  ): RulesOverride {
    return this.after('experiments.matches', (usual, name, wanted, found, item) =>
      name === field && isEntry(item) ? matches(wanted, found, item) : usual,
    );
  }

  /** Sets the index of the first item on a numbered page; the page has `per_page` items. */
  start(start: (page: OffsetPage) => number): RulesOverride {
    return this.replace('versions.items', (all, page) => all.slice(start(page), start(page) + page.perPage));
  }

  /** Sets the maximum size of a request body. */
  payloadLimit(bytes: number): RulesOverride {
    return this.replace('payload.limit', () => bytes);
  }
}

/** The request among a rule's arguments. */
export function callOf(args: readonly unknown[]): Call | undefined {
  return args.find((each): each is Call => isObject(each) && 'clockOffset' in each);
}

/** Combines several overrides, applied in this order. */
export function compose(...overrides: readonly RulesOverride[]): RulesOverride {
  return (rules) => overrides.reduce((overridden, each) => each(overridden), rules);
}
