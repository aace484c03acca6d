import fc, { type Arbitrary } from 'fast-check';
import type { Contract, Operation, Parameter } from '../contract/model.ts';
import { integerBounds, merged, typeOf, valid } from './valid.ts';

/** What an operation is called with: parameter values as text, and the body as a JSON value. */
export interface Input {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the operation takes none. */
  readonly body: unknown;
}

/** The seed of the values that fill in what a request must have but no requirement is about: the same in every run. */
const fillingSeed = 1;

/**
 * The smallest input that holds against the operation's schemas: required parameters and the required body only.
 * Defaults and enums come first; a path parameter that names data gets `resources[its kind]`, or a made-up id.
 */
export function minimalInput(
  contract: Contract,
  operation: Operation,
  resources: Readonly<Record<string, string>> = {},
): Input {
  const namesData = Object.keys(resources).length > 0;
  const known = namesData ? undefined : withoutData.get(operation);
  if (known !== undefined) return known;
  const input = makeInput(contract, operation, resources);
  if (!namesData) withoutData.set(operation, input);
  return input;
}

/** What was made for operations whose requests name no data: it is wanted for most requests of a run. */
const withoutData = new WeakMap<Operation, Input>();

function makeInput(
  contract: Contract,
  operation: Operation,
  resources: Readonly<Record<string, string>>,
): Input {
  const values = (where: Parameter['in']) =>
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === where && parameter.required)
        .map((parameter) => [
          parameter.name,
          resources[parameter.resource ?? ''] ?? textOf(contract, parameter),
        ]),
    );
  const [media] = operation.body?.content ?? [];
  return {
    path: values('path'),
    query: values('query'),
    headers: values('header'),
    body: media && filling(contract, media.schema),
  };
}

/** Texts of a parameter that break its schema, labelled with the keyword; undefined where every text holds. */
export function invalidText(
  contract: Contract,
  parameter: Parameter,
): Arbitrary<{ readonly text: string; readonly keyword: string }> | undefined {
  const schema = merged(contract, parameter.schema);
  const labelled = (keyword: string, texts: Arbitrary<string>) => texts.map((text) => ({ text, keyword }));
  const found: Arbitrary<{ text: string; keyword: string }>[] = [];
  const type = typeOf(schema);
  if (schema.enum !== undefined) {
    const values = schema.enum.map(String);
    const others = fc.oneof(
      fc.constantFrom(...values.map((each) => `${each}x`)),
      fc.stringMatching(/^[a-z]{3,12}$/),
    );
    return labelled(
      'enum',
      others.filter((text) => !values.includes(text)),
    );
  }
  if (type === 'integer' || type === 'number')
    found.push(labelled('type', fc.constantFrom('many', 'ten', '1x', 'x1', '--1')));
  if (type === 'integer') {
    found.push(labelled('type', fc.constantFrom('1.5', '2.25', '0.1')));
    const bounds = integerBounds(schema);
    if (schema.minimum !== undefined)
      found.push(
        labelled('minimum', fc.integer({ min: bounds.min - 1000, max: bounds.min - 1 }).map(String)),
      );
    if (schema.maximum !== undefined)
      found.push(
        labelled('maximum', fc.integer({ min: bounds.max + 1, max: bounds.max + 1000 }).map(String)),
      );
  }
  if (type === 'boolean') found.push(labelled('type', fc.constantFrom('maybe', '2', 'yes and no')));
  if (type === 'string' && schema.maxLength !== undefined && schema.maxLength < 2000) {
    found.push(
      labelled(
        'maxLength',
        fc
          .integer({ min: schema.maxLength + 1, max: schema.maxLength + 100 })
          .map((length) => 'a'.repeat(length)),
      ),
    );
  }
  return found.length === 0 ? undefined : fc.oneof(...found);
}

function textOf(contract: Contract, parameter: Parameter): string {
  const value = filling(contract, parameter.schema);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function filling(contract: Contract, schema: Parameter['schema']): unknown {
  const resolved = merged(contract, schema);
  if (resolved.default !== undefined) return resolved.default;
  if (resolved.enum !== undefined) return resolved.enum[0];
  if (typeOf(resolved) === 'string' && resolved.format === undefined && resolved.pattern === undefined) {
    return 'conformance'.padEnd(resolved.minLength ?? 0, '-').slice(0, resolved.maxLength);
  }
  if (typeOf(resolved) === 'object') {
    return Object.fromEntries(
      (resolved.required ?? []).map((name) => [name, filling(contract, resolved.properties?.[name] ?? {})]),
    );
  }
  return fc.sample(valid(contract, resolved), { numRuns: 1, seed: fillingSeed })[0];
}
