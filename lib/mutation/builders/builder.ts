import type { JsonObject } from '../../contract/json.ts';
import type { Scope } from '../../contract/model.ts';
import type { Call, FakeResponse, Refusal, WireResponse } from '../../fake/call.ts';
import type { TrustedKey } from '../../fake/keys.ts';
import type { RulesOverride, SignedToken } from '../../fake/rules.ts';
import { type CallPredicate, compose, RuleOverrides } from '../rule-overrides.ts';
import { type Grants, grantsOf } from './grants.ts';
import { IntegerBuilder, ParameterBuilder } from './parameters.ts';
import { mapValues } from './values.ts';

/** Overrides for requests to some operations, one verb for each thing that services get wrong. */
export class Builder extends RuleOverrides {
  /** The same, only for requests that meet all of these conditions too. */
  when(...conditions: readonly CallPredicate[]): Builder {
    return new Builder(this.all(conditions));
  }

  protected all(conditions: readonly CallPredicate[]): CallPredicate {
    return (call) => this.condition(call) && conditions.every((each) => each(call));
  }

  /** A path or query parameter that is a string. */
  param(name: string): ParameterBuilder<string> {
    return new ParameterBuilder(this, name, (value) => typeof value === 'string');
  }

  /** A path or query parameter that is an integer. */
  integer(name: string): IntegerBuilder {
    return new IntegerBuilder(this, name);
  }

  /** Requests are served whatever their credentials. */
  needsNoToken(): RulesOverride {
    return compose(
      this.replace('token.sent', () => undefined),
      this.replace('token.anonymous', () => ({ sub: 'anonymous' })),
      this.replace('scopes.permits', () => true),
    );
  }

  /** Where the header carries no token it is read from somewhere else. */
  readsTokenFrom(read: (call: Call) => string | undefined): RulesOverride {
    return this.after('token.sent', (usual, call) => usual ?? read(call));
  }

  /** Such tokens are accepted whoever signed them; `key` is one that may have. */
  acceptsToken(condition: (token: SignedToken, key: TrustedKey | undefined) => boolean): RulesOverride {
    return compose(
      // With an unknown `kid` that is any key.
      this.after('token.candidates', (usual, _header, keys) => (usual.length > 0 ? usual : keys)),
      this.around('token.verifiesSignature', async (usual, token, key, call) =>
        condition(token, key) ? true : usual(token, key, call),
      ),
    );
  }

  /** Requests are permitted by more than the required scope. */
  permits(condition: (grants: Grants, scope: Scope) => boolean): RulesOverride {
    return this.permitsClaim((claim, scope) => condition(grantsOf(claim), scope));
  }

  /** Requests are permitted by whatever stands in the `scopes` claim or another one. */
  permitsClaim(condition: (claim: unknown, scope: Scope, claims: JsonObject) => boolean): RulesOverride {
    return this.after(
      'scopes.permits',
      (usual, claim, scope, claims) => usual || condition(claim, scope, claims),
    );
  }

  /** Requests with the required scope are denied. */
  denies(condition: (grants: Grants, scope: Scope) => boolean): RulesOverride {
    return this.after('scopes.permits', (usual, claim, scope) => usual && !condition(grantsOf(claim), scope));
  }

  /** Any response, errors too. */
  response(transform: (response: FakeResponse, call: Call) => FakeResponse): RulesOverride {
    return this.after('responses.response', (usual, _answer, call) => transform(usual, call));
  }

  /** Successes have another status. */
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

  /** Such responses, successes by default, have another media type, or none. */
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

  /** Refusals of a code have another status. */
  refusalStatus(
    status: number,
    code: RegExp,
    condition: (refusal: Refusal) => boolean = () => true,
  ): RulesOverride {
    return this.after('responses.refusal', (usual) =>
      code.test(usual.code) && condition(usual) ? { ...usual, status } : usual,
    );
  }

  /** A request that is refused with this code is executed all the same, under rules that let it pass. */
  executesRefused(code: string, lenient: RulesOverride): RulesOverride {
    return (rules) =>
      this.replace('responses.executedAfterRefusal', (refusal) =>
        refusal.code === code ? lenient(rules) : undefined,
      )(rules);
  }

  /** The parsed request body is changed before it is validated. */
  coercesBody(transform: (body: unknown) => unknown): RulesOverride {
    return this.after('body.parsed', (value) => (value === undefined ? undefined : transform(value)));
  }

  /** A template is accepted without a check. */
  acceptsTemplate(condition: (field: string, text: string) => boolean = () => true): RulesOverride {
    return this.after('templates.problem', (usual, field, text) =>
      condition(field, text) ? undefined : usual,
    );
  }

  /** A valid template is rejected. */
  rejectsTemplate(condition: (text: string, field: string) => boolean): RulesOverride {
    return this.after(
      'templates.problem',
      (usual, field, text) => usual ?? (condition(text, field) ? 'it is not allowed' : undefined),
    );
  }

  /** Each message of an update is changed before it is stored. */
  storesEach(transform: (text: string) => string): RulesOverride {
    return this.after('templates.stored', (messages) => mapValues(messages, transform));
  }

  /** The most bytes that a request body may have. */
  payloadLimit(bytes: number): RulesOverride {
    return this.replace('payload.limit', () => bytes);
  }
}
