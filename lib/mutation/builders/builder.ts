import type { SchemaError } from '../../contract/schema.ts';
import type { Call, FakeResponse, Refusal } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { type CallPredicate, RuleOverrides } from '../rule-overrides.ts';
import { ScopeBuilder, TokenBuilder } from './credentials.ts';
import { IntegerBuilder, TextBuilder } from './parameters.ts';

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
  param(name: string): TextBuilder {
    return new TextBuilder(this, name);
  }

  /** A path or query parameter that is an integer. */
  integer(name: string): IntegerBuilder {
    return new IntegerBuilder(this, name);
  }

  /** The bearer token. */
  get token(): TokenBuilder {
    return new TokenBuilder(this);
  }

  /** What the scopes of a token permit. */
  get scopes(): ScopeBuilder {
    return new ScopeBuilder(this);
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

  /** Successes have another media type, or none. */
  mediaType(type: string | undefined): RulesOverride {
    return this.after('responses.wire', (usual) => {
      if (usual.status >= 300) return usual;
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
    return this.after('body.value', (value) => transform(value));
  }

  /** Violations of the request body's schema are ignored. */
  acceptsBody(condition: (error: SchemaError) => boolean): RulesOverride {
    return this.after('body.violations', (found) => found.filter((error) => !condition(error)));
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

  /** Another text is recorded in place of a correlation ID; `kept` is what is usually recorded. */
  recordsCorrelationId(transform: (id: string, recorded: string) => string): RulesOverride {
    return this.after('correlation.recorded', (recorded, id) => transform(id, recorded));
  }

  /** Correlation IDs that are not recorded. */
  dropsCorrelationId(condition: (id: string) => boolean = () => true): RulesOverride {
    return this.after('correlation.sent', (id) => (id !== undefined && condition(id) ? undefined : id));
  }

  /** The most bytes that a request body may have. */
  payloadLimit(bytes: number): RulesOverride {
    return this.replace('payload.limit', () => bytes);
  }
}
