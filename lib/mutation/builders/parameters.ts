import type { SchemaError } from '../../contract/schema.ts';
import type { Call } from '../../fake/call.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import type { Builder } from './builder.ts';

/** Overrides of how one path or query parameter is read. They apply to values of one type. */
export function parameterBuilder<Value>(
  builder: Builder,
  parameter: string,
  is: (value: unknown) => value is Value,
) {
  /** Accepts values that violate the schema; without a condition, all of them. */
  const accepts = (
    condition: (value: Value, call: Call, error: SchemaError) => boolean = () => true,
  ): RulesOverride =>
    builder.after('parameters.violations', (found, _errors, value, { name }, call) =>
      name === parameter && is(value) ? found.filter((error) => !condition(value, call, error)) : found,
    );
  return {
    accepts,

    /** Changes values before they are validated. */
    coerces: (transform: (value: Value, call: Call) => Value): RulesOverride =>
      builder.after('parameters.value', (value, _sent, { name }, call) =>
        name === parameter && is(value) ? transform(value, call) : value,
      ),

    /** Rejects valid values. */
    rejects: (condition: (value: Value, call: Call) => boolean): RulesOverride =>
      builder.after('parameters.violations', (found, _errors, value, { name }, call) =>
        name === parameter && is(value) && condition(value, call)
          ? [{ pointer: '', keyword: 'enum', message: `must not be ${name}`, component: undefined, value }]
          : found,
      ),

    /** Uses this value if the parameter is absent. */
    defaultsTo: (value: Value): RulesOverride =>
      builder.after('parameters.absent', (usual, { name }) => (name === parameter ? value : usual)),

    /** Parses texts that are not integers; NaN leaves them rejected. */
    parses: (parse: (text: string) => number): RulesOverride =>
      builder.after('parameters.numberOf', (usual, text, { name }) => {
        if (usual !== undefined || name !== parameter) return usual;
        const number = parse(text);
        return Number.isNaN(number) ? undefined : number;
      }),

    /** Accepts values above the maximum. */
    ignoresMaximum: (condition: (value: Value, call: Call) => boolean = () => true): RulesOverride =>
      accepts((value, call, { keyword }) => keyword === 'maximum' && condition(value, call)),
  };
}
