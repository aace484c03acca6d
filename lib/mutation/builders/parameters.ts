import type { SchemaError } from '../../contract/schema.ts';
import type { Call } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { Builder } from './builder.ts';

/** Overrides of how one path or query parameter is read. They apply to values of one type. */
export class ParameterBuilder<Value> {
  private readonly overrides: Builder;
  private readonly name: string;
  private readonly is: (value: unknown) => value is Value;

  constructor(overrides: Builder, name: string, is: (value: unknown) => value is Value) {
    this.overrides = overrides;
    this.name = name;
    this.is = is;
  }

  /** Changes values before they are validated. */
  coerces(transform: (value: Value, call: Call) => Value): RulesOverride {
    return this.overrides.after('parameters.value', (value, _sent, { name }, call) =>
      name === this.name && this.is(value) ? transform(value, call) : value,
    );
  }

  /** Accepts values that violate the schema; without a condition, all of them. */
  accepts(condition: (value: Value, call: Call, error: SchemaError) => boolean = () => true): RulesOverride {
    return this.overrides.after('parameters.violations', (found, _errors, value, { name }, call) =>
      name === this.name && this.is(value) ? found.filter((error) => !condition(value, call, error)) : found,
    );
  }

  /** Rejects valid values. */
  rejects(condition: (value: Value, call: Call) => boolean): RulesOverride {
    return this.overrides.after('parameters.violations', (found, _errors, value, { name }, call) =>
      name === this.name && this.is(value) && condition(value, call)
        ? [{ pointer: '', keyword: 'enum', message: `must not be ${name}`, component: undefined, value }]
        : found,
    );
  }

  /** Uses this value if the parameter is absent. */
  defaultsTo(value: Value): RulesOverride {
    return this.overrides.after('parameters.absent', (usual, { name }) =>
      name === this.name ? value : usual,
    );
  }

  /** Parses texts that are not integers; NaN leaves them rejected. */
  parses(parse: (text: string) => number): RulesOverride {
    return this.overrides.after('parameters.numberOf', (usual, text, { name }) => {
      if (usual !== undefined || name !== this.name) return usual;
      const number = parse(text);
      return Number.isNaN(number) ? undefined : number;
    });
  }

  /** Accepts values above the maximum. */
  ignoresMaximum(condition: (value: Value, call: Call) => boolean = () => true): RulesOverride {
    return this.accepts((value, call, { keyword }) => keyword === 'maximum' && condition(value, call));
  }
}
